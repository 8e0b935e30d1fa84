// Copies chosen paths from one work tree to another: bytes, executable bit and links as they are, links never followed.
// A file that cannot be read is reported and the rest goes on; a full disk or a missing right at the target ends it.
import { type BigIntStats, constants } from 'node:fs'
import { copyFile, lstat, lutimes, mkdir, readlink, rm, symlink } from 'node:fs/promises'
import { fileErrorCode, isMissing } from '../lib/file-errors.ts'
import { openRegularHandle } from '../lib/regular-file.ts'
import { type BytePath, folderOf, placeOf } from './byte-path.ts'
import { look } from './look.ts'

export interface CopyProblem {
  readonly path: BytePath
  readonly reason: 'unreadable' | 'special-file' | 'changed-meanwhile'
}

export interface CopyOptions {
  /** Gives the copies the times of their originals, and tells what they then are. */
  readonly keepTimes?: boolean
  /** Puts the copy in the place of a file that is there. */
  readonly replace?: boolean
}

export interface CopyResult {
  readonly copied: number
  /** With `keepTimes` only. */
  readonly stats: ReadonlyMap<BytePath, BigIntStats>
  readonly problems: readonly CopyProblem[]
}

/** More at once gained nothing: the disk and libuv's four threads are the limit. */
const atOnce = 8

/** What is not there in the source (deleted files) is not an error: it will not be there in the target either. */
export async function copyFiles(
  from: string,
  to: string,
  paths: Iterable<BytePath>,
  { keepTimes = false, replace = false }: CopyOptions = {},
): Promise<CopyResult> {
  const stats = new Map<BytePath, BigIntStats>()
  const sourceFolders = createFolderCheck(from)
  const targetFolders = createFolderMaker(to)
  const problems: CopyProblem[] = []
  let copied = 0
  let stopped = false
  const waiting = paths[Symbol.iterator]()
  const takeTurns = async () => {
    for (let next = waiting.next(); !next.done && !stopped; next = waiting.next()) {
      const outcome = await copyOne(next.value).catch((error) => {
        stopped = true
        throw error
      })
      if (outcome === 'copied') copied++
      else if (outcome !== 'absent') problems.push({ path: next.value, reason: outcome })
    }
  }

  async function copyOne(path: BytePath): Promise<'copied' | 'absent' | CopyProblem['reason']> {
    const folder = folderOf(path)
    const source = placeOf(from, path)
    const before = (await sourceFolders(folder)) ? await look(source).catch(noteUnreadable) : null
    if (before === 'unreadable') return before
    if (before === null || before.isDirectory()) return 'absent'
    if (!before.isFile() && !before.isSymbolicLink()) return 'special-file'
    await targetFolders(folder)
    const target = placeOf(to, path)
    if (replace) await rm(target, { force: true })
    if (before.isSymbolicLink()) await symlink(await readlink(source, 'buffer'), target)
    else {
      const outcome = await copyContent(source, target, before)
      if (outcome !== 'copied') return outcome
    }
    if (keepTimes) {
      await lutimes(target, Number(before.atimeMs) / 1000, Number(before.mtimeNs) / 1e9)
      stats.set(path, await lstat(target, { bigint: true }))
    }
    return 'copied'
  }

  // All have ended before an error is thrown: whoever cleans up must not race with a copy.
  const outcomes = await Promise.allSettled(Array.from({ length: atOnce }, takeTurns))
  const failed = outcomes.find((outcome) => outcome.status === 'rejected')
  if (failed !== undefined) throw failed.reason
  return { copied, stats, problems }
}

async function copyContent(source: Buffer, target: Buffer, before: BigIntStats): Promise<'copied' | CopyProblem['reason']> {
  try {
    await copyFile(source, target, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE)
  } catch (error) {
    if (isMissing(error)) return 'changed-meanwhile'
    if (fileErrorCode(error) === 'EACCES' && !(await isReadable(source))) return 'unreadable'
    throw error
  }
  const after = await look(source)
  return after?.mtimeNs === before.mtimeNs && after.size === before.size ? 'copied' : 'changed-meanwhile'
}

/** Whether every folder on the way is a real one: what lies beyond a link is not in the work tree. */
function createFolderCheck(root: string): (folder: BytePath | null) => Promise<boolean> {
  const known = new Map<BytePath, Promise<boolean>>()
  const check = (folder: BytePath | null): Promise<boolean> => {
    if (folder === null) return Promise.resolve(true)
    const found = known.get(folder) ?? isReal(folder)
    known.set(folder, found)
    return found
  }
  const isReal = async (folder: BytePath) => {
    if (!(await check(folderOf(folder)))) return false
    return (await look(placeOf(root, folder)))?.isDirectory() ?? false
  }
  return check
}

/** Makes the folders on the way and refuses to go through a link. */
export function createFolderMaker(root: string): (folder: BytePath | null) => Promise<void> {
  const known = new Map<BytePath, Promise<void>>()
  const make = (folder: BytePath | null): Promise<void> => {
    if (folder === null) return Promise.resolve()
    const made = known.get(folder) ?? makeOne(folder)
    known.set(folder, made)
    return made
  }
  const makeOne = async (folder: BytePath) => {
    await make(folderOf(folder))
    const place = placeOf(root, folder)
    try {
      await mkdir(place)
    } catch (error) {
      if (fileErrorCode(error) !== 'EEXIST' || !(await lstat(place)).isDirectory()) throw error
    }
  }
  return make
}

/** By opening it: `access` would ask for the real user, not for the one we act as. */
async function isReadable(path: Buffer): Promise<boolean> {
  try {
    const file = await openRegularHandle(path)
    await file.close()
    return true
  } catch (error) {
    if (fileErrorCode(error) === 'EACCES') return false
    throw error
  }
}

function noteUnreadable(error: unknown): 'unreadable' {
  if (fileErrorCode(error) === 'EACCES') return 'unreadable'
  throw error
}
