// Opens and reads regular files, and nothing else. A pipe or a device in a place where a file is expected would hold the process for
// good, its timers and signals included: so nothing is opened in a way that waits, and what is no file is refused.
import { closeSync, constants, fstatSync, openSync, type PathLike, readFileSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'

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
  if (stat.isDirectory()) throw fault('EISDIR', `${path} is a folder, not a file`, path)
  throw fault('ENOTFILE', `${path} is not a regular file`, path)
}

function refuseLarge(path: PathLike, size: number, { mostBytes: most = mostBytes }: ReadLimit): void {
  if (size > most) throw fault('EFBIG', `${path} is too large to be read (${size} bytes, at most ${most})`, path)
}

/** Looks like a fault of the file system, which is what callers tell apart. */
function fault(code: string, message: string, path: PathLike): Error {
  return Object.assign(new Error(message), { code, syscall: 'open', path })
}
