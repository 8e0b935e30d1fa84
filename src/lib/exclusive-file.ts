// Makes a file that nobody has seen half of: written beside its target, fsynced, then linked in under its name, which fails
// when the name is taken. A crash leaves at most the `.part` file, whose name follows from the target's.
import { closeSync, fsyncSync, linkSync, openSync, rmSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { AppError } from '../model/error.ts'
import { fileErrorCode } from './file-errors.ts'

const bufferBytes = 1 << 20

/** What a crash may leave of a file that was being made. */
export function partPathOf(path: string): string {
  return `${path}.part`
}

/** Collects small pieces: one system call for each line of a transcript would cost more than the copying itself. */
export class FileWriter {
  readonly #fd: number
  readonly #buffer = Buffer.allocUnsafe(bufferBytes)
  #filled = 0

  constructor(fd: number) {
    this.#fd = fd
  }

  write(bytes: Buffer, start = 0, end = bytes.length): void {
    if (end - start > bufferBytes - this.#filled) this.flush()
    if (end - start > bufferBytes) {
      writeAll(this.#fd, bytes, start, end)
      return
    }
    this.#filled += bytes.copy(this.#buffer, this.#filled, start, end)
  }

  flush(): void {
    writeAll(this.#fd, this.#buffer, 0, this.#filled)
    this.#filled = 0
  }
}

function writeAll(fd: number, bytes: Buffer, start: number, end: number): void {
  for (let at = start; at < end; ) at += writeSync(fd, bytes, at, end - at)
}

export async function createExclusive(path: string, fill: (writer: FileWriter) => Promise<void> | void): Promise<void> {
  const part = partPathOf(path)
  const fd = openSync(part, 'wx', 0o600)
  try {
    try {
      const writer = new FileWriter(fd)
      await fill(writer)
      writer.flush()
      fsyncSync(fd)
    } finally {
      closeSync(fd)
    }
    linkSync(part, path)
  } catch (error) {
    throw fileErrorCode(error) === 'EEXIST' ? new AppError('file_exists', `${path} exists already.`, { cause: error }) : error
  } finally {
    rmSync(part, { force: true })
  }
  syncFolder(dirname(path))
}

/** The new name itself must survive a power cut too. */
function syncFolder(path: string): void {
  const fd = openSync(path, 'r')
  try {
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
}
