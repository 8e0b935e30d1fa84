// Writes a document beside its target and puts it in place when it is whole: a reader never sees half a file, and a file
// that is there is never replaced by accident.
import { closeSync, existsSync, fsyncSync, linkSync, openSync, renameSync, rmSync, writeSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fileErrorCode, isMissing } from '../lib/file-errors.ts'
import { isAlive } from '../lib/is-alive.ts'
import { findLeftovers } from '../lib/leftovers.ts'
import { explainMachine } from '../lib/machine-fault.ts'
import { AppError } from '../model/error.ts'

export interface FileSink {
  write(text: string): void
  /** Puts the file in place; until then nothing is there. */
  commit(): void
  /** Leaves nothing behind; harmless after `commit`. */
  discard(): void
  readonly bytes: number
}

/** Its user's alone: redaction finds what looks like a secret, which is not all that is one. */
export function createFileSink(path: string, { force }: { readonly force: boolean }): FileSink {
  if (!force && existsSync(path)) throw alreadyThere(path)
  const temporary = join(dirname(path), `.${basename(path)}.${process.pid}.tmp`)
  removeLeft(path)
  let open: number | undefined = attempt(path, () => openSync(temporary, 'wx', 0o600))
  let bytes = 0
  const close = () => {
    if (open !== undefined) closeSync(open)
    open = undefined
  }
  return {
    get bytes() {
      return bytes
    },
    write(text) {
      if (open === undefined) throw new Error('written after the end')
      const content = Buffer.from(text)
      const fd = open
      for (let at = 0; at < content.length; ) at += attempt(path, () => writeSync(fd, content, at))
      bytes += content.length
    },
    commit() {
      if (open !== undefined) attempt(path, () => fsyncSync(Number(open)))
      close()
      attempt(path, () => (force ? renameSync(temporary, path) : placeNew(temporary, path)))
      rmSync(temporary, { force: true })
    },
    discard() {
      close()
      rmSync(temporary, { force: true })
    },
  }
}

/** The files of killed processes. One with our own number that is older than this process is another's too. One of another user stays. */
function removeLeft(path: string): void {
  for (const left of findLeftovers(path, /^\.(\d+)\.tmp$/, '.')) {
    const pid = Number(left.captured)
    const isLeft = pid === process.pid ? left.mtimeMs < performance.timeOrigin : !isAlive(pid)
    if (!isLeft) continue
    try {
      rmSync(left.path, { force: true })
    } catch (error) {
      if (fileErrorCode(error) === undefined) throw error
    }
  }
}

/** A link fails when the name was taken meanwhile; a file system without links gets the check and the rename. */
function placeNew(temporary: string, path: string): void {
  try {
    linkSync(temporary, path)
  } catch (error) {
    const code = fileErrorCode(error)
    if (code === 'EEXIST' || existsSync(path)) throw alreadyThere(path)
    if (code !== 'EPERM' && code !== 'ENOTSUP' && code !== 'EOPNOTSUPP') throw error
    renameSync(temporary, path)
  }
}

function attempt<T>(path: string, work: () => T): T {
  try {
    return work()
  } catch (cause) {
    if (!isMissing(cause)) throw explainMachine(cause, { path })
    throw new AppError('failed', `${path} cannot be written: there is no folder ${dirname(path)}.`, {
      cause,
      hint: 'Make the folder first, or choose another file.',
    })
  }
}

function alreadyThere(path: string): AppError {
  return new AppError('file_exists', `${path} is there already`, {
    hint: 'Choose another file, or pass --force to overwrite it.',
  })
}
