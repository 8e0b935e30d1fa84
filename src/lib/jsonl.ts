// The one JSONL scanner: a buffer scan that yields byte ranges. Reads are synchronous (from the page cache a 256 KB read costs
// less than one trip through the thread pool), so a long reader must let the event loop breathe between lines itself.
// Memory is bounded by the longest line, not by the file, and that by `longestLine`.
import { closeSync, fstatSync, readSync } from 'node:fs'
import { openRegular } from './regular-file.ts'

const newline = 0x0a
const carriageReturn = 0x0d
const defaultChunkBytes = 256 * 1024
/** A buffer that grew for long lines is kept up to this size: lines just over a chunk must not cost an allocation each. */
const keptBytes = 16 * 1024 * 1024
/** Longer ones are passed over: no agent writes them, and who reads one whole needs twice its memory. */
export const longestLine = 64 * 1024 * 1024

/** A line as a range of a buffer that is reused: take what you need before asking for the next one. */
export interface Line {
  buffer: Buffer
  start: number
  end: number
  /** Byte offset of the line in the file. */
  offset: number
  /** The last line has no newline: it may still be being written. */
  torn: boolean
  /** Over `longestLine`: the range is empty. */
  tooLong: boolean
}

export interface ScanEnd {
  /** Where reading on has to start: behind the last newline. */
  readonly offset: number
  readonly inode: number
}

/**
 * Scans the lines between `from` (the start of a line) and the size the file has when it is opened. A file that is replaced
 * meanwhile is read to its old end (we hold the inode); one that is cut short simply ends, its rest reported as torn. Blank
 * lines, a BOM and the CR of CRLF are left out. Throws what opening and reading throw.
 */
export function* scanLines(
  path: string,
  from = 0,
  to = Number.POSITIVE_INFINITY,
  chunkBytes = defaultChunkBytes,
): Generator<Line, ScanEnd> {
  const fd = openRegular(path)
  try {
    const { size, ino } = fstatSync(fd)
    const read: ReadBytes = (into, at, length, position) => readSync(fd, into, at, length, position)
    return yield* scanSource(read, from, Math.min(to, size), ino, chunkBytes)
  } finally {
    closeSync(fd)
  }
}

/** Fills `into` from `at` with up to `length` bytes that stand at `position` of the source; 0 at its end. */
export type ReadBytes = (into: Buffer, at: number, length: number, position: number) => number

/** The scan itself, over bytes from anywhere: positions only ever go up, so that the source may be a stream (`to` infinite). */
export function* scanSource(
  read: ReadBytes,
  from: number,
  to: number,
  inode: number,
  chunkBytes = defaultChunkBytes,
): Generator<Line, ScanEnd> {
  let buffer: Buffer = Buffer.allocUnsafe(Math.max(1, Math.min(chunkBytes, to - from)))
  /** Where in the file the buffer begins, and how much of it is filled: always from the start of a line. */
  let base = from
  let filled = 0
  /** Where a line begins that is passed over. */
  let passing: number | null = null
  const line: Line = { buffer, start: 0, end: 0, offset: 0, torn: false, tooLong: false }
  for (;;) {
    const left = to - base - filled
    if (filled === buffer.length && left > 0) buffer = resize(buffer, Math.min(filled * 2, filled + left), filled)
    const wanted = Math.min(buffer.length - filled, left, keptBytes)
    const got = wanted > 0 ? read(buffer, filled, wanted, base + filled) : 0
    const view = buffer.subarray(0, filled + got)
    line.buffer = buffer
    let start = 0
    // What was there before this read has no newline: a line of many chunks is searched once, not once per chunk.
    for (let found = view.indexOf(newline, filled); found !== -1; found = view.indexOf(newline, start)) {
      if (found - start > longestLine) passing ??= base + start
      if (passing !== null) yield passOver(line, passing)
      else if (place(line, start, found, base)) yield line
      passing = null
      start = found + 1
    }
    filled += got
    if (got === 0) {
      line.torn = true
      if (passing !== null) yield passOver(line, passing)
      else if (place(line, start, filled, base)) yield line
      return { offset: passing ?? base + start, inode }
    }
    if (passing === null && filled - start > longestLine) passing = base + start
    if (passing !== null) start = filled
    buffer.copyWithin(0, start, filled)
    base += start
    filled -= start
    if (buffer.length > keptBytes && filled < chunkBytes) buffer = resize(buffer, chunkBytes, filled)
  }
}

function passOver(line: Line, offset: number): Line {
  line.offset = offset
  line.start = line.end = 0
  line.tooLong = true
  return line
}

/** Sets the range without BOM and CR; false for a blank line. */
function place(line: Line, start: number, end: number, base: number): boolean {
  const { buffer } = line
  line.tooLong = false
  line.offset = base + start
  if (base + start === 0 && buffer[0] === 0xef && buffer[1] === 0xbb && buffer[2] === 0xbf && end >= 3) start += 3
  if (end > start && buffer[end - 1] === carriageReturn) end -= 1
  line.start = start
  line.end = end
  while (start < end && (buffer[start] === 0x20 || buffer[start] === 0x09)) start += 1
  return end > start
}

function resize(buffer: Buffer, bytes: number, filled: number): Buffer {
  const resized = Buffer.allocUnsafe(bytes)
  buffer.copy(resized, 0, 0, filled)
  return resized
}

/** The parsed line, or `undefined` when it is not a JSON object: a bad line is data, never an exception. */
export function parseLine(line: Line): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(line.buffer.toString('utf8', line.start, line.end))
    return isObject(value) ? value : undefined
  } catch {
    return undefined // counted by the caller as skipped
  }
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
