// Changes a file that somebody else writes too (an agent's settings): under a lock of ours, written beside it and renamed in, and
// only if it is still what was read. A link to the file stays a link; mode and owner stay.
import { randomUUID } from 'node:crypto'
import { constants } from 'node:fs'
import { access, lstat, mkdir, readlink, rename, rm, stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import writeFileAtomic from 'write-file-atomic'
import { AppError } from '../model/error.ts'
import { isMissing } from './file-errors.ts'
import { findLeftovers } from './leftovers.ts'
import { withLockFile } from './lock-file.ts'
import { explainMachine } from './machine-fault.ts'
import { loadRegular } from './regular-file.ts'

/** Ten seconds; what is done under the lock takes milliseconds. */
const lockTries = 400
const maxRounds = 20
const maxLinks = 40

/** Gets the text (`null`: no such file) and gives the new one (`null`: no file). May be asked again if the file changes meanwhile. */
export type Change = (text: string | null) => string | null

/** True when the file was changed. */
export async function editFile(path: string, change: Change): Promise<boolean> {
  const target = await targetOf(path)
  // Asked first without any lock: what has nothing to do leaves no trace, not even in a folder that is not there.
  const text = await readText(target)
  if (change(text) === text) return false
  try {
    await mkdir(dirname(target), { recursive: true })
    const busy = (pid: string) => new AppError('busy', `Another offshoot (process ${pid}) is changing ${path}.`)
    return await withLockFile(`${target}.offshoot-lock`, () => editAlone(target, change), { maxTries: lockTries, onBusy: busy })
  } catch (error) {
    throw explainMachine(error, { path })
  }
}

/** The text of a file, `null` when there is none. */
export async function readText(path: string): Promise<string | null> {
  let bytes: Buffer
  try {
    bytes = await loadRegular(path)
  } catch (error) {
    if (isMissing(error)) return null
    throw explainMachine(error, { path })
  }
  const text = bytes.toString('utf8')
  if (Buffer.from(text, 'utf8').equals(bytes)) return text
  throw new AppError('unreadable', `${path} is not UTF-8, so it cannot be changed without damage.`, {
    hint: 'Save the file as UTF-8.',
  })
}

/** Whoever writes a part holds the lock, so under it every part is left over: ours, and that which write-file-atomic makes for it. */
const partEnding = /^\.offshoot-[\da-f]{8}(?:\.\d+)?$/

async function editAlone(target: string, change: Change): Promise<boolean> {
  for (const { path } of findLeftovers(target, partEnding)) await rm(path, { force: true })
  for (let round = 0; round < maxRounds; round++) {
    const before = await readText(target)
    const after = change(before)
    if (after === before) return false
    if (await swapIn(target, before, after)) return true
  }
  throw new AppError('busy', `${target} is changed by another program all the time.`, { hint: 'Try again in a moment.' })
}

/** False when the file is not what it was any more. */
async function swapIn(target: string, before: string | null, after: string | null): Promise<boolean> {
  if (before !== null) await refuseReadOnly(target)
  const part = `${target}.offshoot-${randomUUID().slice(0, 8)}`
  try {
    if (after !== null) await writeFileAtomic(part, after, await ownership(target))
    if ((await readText(target)) !== before) return false
    if (after === null) await rm(target, { force: true })
    else await rename(part, target)
    return true
  } finally {
    await rm(part, { force: true })
  }
}

/** A rename would replace a file that says it is not to be written. */
async function refuseReadOnly(target: string): Promise<void> {
  await access(target, constants.W_OK)
  if (((await stat(target)).mode & 0o222) !== 0) return
  throw new AppError('unreadable', `${target} is read-only.`, { hint: `chmod u+w ${target}` })
}

async function ownership(target: string) {
  try {
    const { mode, uid, gid } = await stat(target)
    return { mode: mode & 0o7777, chown: { uid, gid } }
  } catch (error) {
    if (isMissing(error)) return { mode: 0o600 }
    throw error
  }
}

/** Where a chain of links ends, also when nothing is there yet. */
async function targetOf(path: string): Promise<string> {
  let target = path
  for (let links = 0; links < maxLinks; links++) {
    try {
      if (!(await lstat(target)).isSymbolicLink()) return target
    } catch (error) {
      if (isMissing(error)) return target
      throw error
    }
    target = resolve(dirname(target), await readlink(target))
  }
  throw new AppError('unreadable', `${path} is a link that leads nowhere.`)
}
