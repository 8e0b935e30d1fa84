// One at a time per repository, across processes: git's own `worktree add` reads half-made neighbours and fails, and two of
// them on one path leave wrecks. The lock is a file in the shared git folder; that of a dead process is taken over.
import { link, readFile, rm, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileErrorCode, isMissing } from '../lib/file-errors.ts'
import { AppError } from '../model/error.ts'
import { makeShortId } from './short-id.ts'

const lockName = 'offshoot-worktrees.lock'
const retryMs = 25
/** Half a minute; what is done under the lock takes milliseconds. */
const patience = { maxTries: 1200 }

export async function withRepositoryLock<T>(
  commonDir: string,
  work: () => Promise<T>,
  { maxTries }: { readonly maxTries: number } = patience,
): Promise<T> {
  const lock = join(commonDir, lockName)
  const own = join(commonDir, `${lockName}.${makeShortId()}`)
  // Written whole before it is linked in: a lock is never seen without its owner.
  await writeFile(own, await describeOwner(process.pid), { mode: 0o644 })
  try {
    await acquire(lock, own, maxTries)
    try {
      return await work()
    } finally {
      await rm(lock, { force: true })
    }
  } finally {
    await rm(own, { force: true })
  }
}

async function acquire(lock: string, own: string, maxTries: number): Promise<void> {
  let holder: string | null = null
  for (let tries = 0; tries < maxTries; tries++) {
    try {
      return await link(own, lock)
    } catch (error) {
      if (fileErrorCode(error) !== 'EEXIST') throw error
    }
    holder = await readIfThere(lock)
    if (holder !== null && (await isDead(holder))) await breakLock(lock, holder, own)
    else await sleep(retryMs)
  }
  const pid = holder?.split(' ')[1] ?? 'unknown'
  throw new AppError('busy', `Another offshoot (process ${pid}) is working on the worktrees of this repository.`, {
    hint: `Try again in a moment. If no such process is running, remove ${lock}.`,
  })
}

/** Whoever removes a dead lock must be alone in it, and look again: it may be another's fresh one by now. */
async function breakLock(lock: string, dead: string, own: string): Promise<void> {
  const right = `${lock}.dead`
  try {
    await link(own, right)
  } catch (error) {
    if (fileErrorCode(error) !== 'EEXIST') throw error
    const holder = await readIfThere(right)
    if (holder !== null && (await isDead(holder))) await rm(right, { force: true })
    return
  }
  try {
    if ((await readIfThere(lock)) === dead) await rm(lock)
  } finally {
    await rm(right)
  }
}

async function isDead(holder: string): Promise<boolean> {
  const [host, pid] = holder.split(' ')
  if (host !== hostname()) return false
  try {
    process.kill(Number(pid), 0)
  } catch (error) {
    if (fileErrorCode(error) === 'ESRCH') return true
  }
  return (await describeOwner(Number(pid))) !== holder
}

/** With the time the process started, where the system tells: process numbers are used again. */
async function describeOwner(pid: number): Promise<string> {
  const stat = await readIfThere(`/proc/${pid}/stat`)
  const startedAt = stat?.slice(stat.lastIndexOf(')')).split(' ')[20] ?? '-'
  return `${hostname()} ${pid} ${startedAt}`
}

async function readIfThere(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    if (isMissing(error)) return null
    throw error
  }
}
