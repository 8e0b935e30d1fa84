// Opens and reads regular files, and nothing else. A pipe or a device in a place where a file is expected would hold the process for
// good, its timers and signals included: so nothing is opened in a way that waits, and what is no file is refused.
import { closeSync, constants, fstatSync, openSync, type PathLike, readFileSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { AppError } from '../model/error.ts'

const withoutWaiting = constants.O_RDONLY | constants.O_NONBLOCK

/** Far more than settings, manifests and notes ever have. What may be larger is read in pieces, or says so. */
const mostBytes = 64 * 1024 * 1024

/** For what has to be read whole however large it is. */
export const anySize: ReadLimit = { mostBytes: 2 ** 31 - 1 }

export interface ReadLimit {
  readonly mostBytes?: number
}

/** A descriptor for reading. */
export function openRegular(path: PathLike): number {
  const fd = openSync(path, withoutWaiting)
  try {
    refuseOthers(path, fstatSync(fd))
    return fd
  } catch (error) {
    closeSync(fd)
    throw error
  }
}

export async function openRegularHandle(path: PathLike): Promise<FileHandle> {
  const handle = await open(path, withoutWaiting)
  try {
    refuseOthers(path, await handle.stat())
    return handle
  } catch (error) {
    await handle.close()
    throw error
  }
}

export function readRegular(path: PathLike, limit: ReadLimit = {}): Buffer {
  const fd = openRegular(path)
  try {
    refuseLarge(path, fstatSync(fd).size, limit)
    return readFileSync(fd)
  } finally {
    closeSync(fd)
  }
}

export function readRegularText(path: PathLike, limit?: ReadLimit): string {
  return readRegular(path, limit).toString('utf8')
}

export async function loadRegular(path: PathLike, limit: ReadLimit = {}): Promise<Buffer> {
  const handle = await openRegularHandle(path)
  try {
    refuseLarge(path, (await handle.stat()).size, limit)
    return await handle.readFile()
  } finally {
    await handle.close()
  }
}

export async function loadRegularText(path: PathLike, limit?: ReadLimit): Promise<string> {
  return (await loadRegular(path, limit)).toString('utf8')
}

function refuseOthers(path: PathLike, stat: { isFile(): boolean; isDirectory(): boolean }): void {
  if (stat.isFile()) return
  // As reading one would say it.
  if (stat.isDirectory()) throw Object.assign(new Error(`EISDIR: ${path} is a folder`), { code: 'EISDIR', syscall: 'read', path })
  throw new AppError('unreadable', `${path} is not a regular file.`, { hint: 'Remove it, or put the file back.' })
}

function refuseLarge(path: PathLike, size: number, { mostBytes: most = mostBytes }: ReadLimit): void {
  if (size <= most) return
  throw new AppError('unreadable', `${path} is too large to be read: ${size} bytes, at most ${most} are.`, {
    hint: 'Look whether it is the file it should be.',
  })
}
