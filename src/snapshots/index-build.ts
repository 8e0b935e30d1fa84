// Writes index files: git's version 2, or 3 where a flag needs it, without extensions. From an index that was read, so that
// what it knows of files (times, sizes) can be taken along or left out.
import { createHash } from 'node:crypto'
import type { IndexEntry } from './index-file.ts'

export interface IndexRecord {
  readonly entry: IndexEntry
  /** The index the entry was read from. */
  readonly source: Buffer
  /** Whether what it knows of the file goes along; else git must compare. */
  readonly keepStat: boolean
  readonly assumeUnchanged: boolean
  readonly skipWorktree: boolean
}

const headerBytes = 12
const modeAt = 24
const statBytes = 40
const lengthMask = 0xfff

/** In the order of paths, then of stages, as git wants it. */
export function buildIndex(records: readonly IndexRecord[], hashBytes: number): Buffer {
  const sizes = records.map((record) => sizeOf(record, hashBytes))
  const index = Buffer.alloc(sizes.reduce((sum, size) => sum + size, headerBytes + hashBytes))
  index.write('DIRC', 'latin1')
  index.writeUInt32BE(records.some(isExtended) ? 3 : 2, 4)
  index.writeUInt32BE(records.length, 8)
  let at = headerBytes
  records.forEach((record, number) => {
    writeRecord(index, at, record, hashBytes)
    at += sizes[number] ?? 0
  })
  createHash(hashBytes === 32 ? 'sha256' : 'sha1')
    .update(index.subarray(0, at))
    .digest()
    .copy(index, at)
  return index
}

function isExtended({ entry, skipWorktree }: IndexRecord): boolean {
  return skipWorktree || entry.intentToAdd
}

/** Ends with one to eight zero bytes. */
function sizeOf(record: IndexRecord, hashBytes: number): number {
  const fixed = statBytes + hashBytes + (isExtended(record) ? 4 : 2)
  return (fixed + record.entry.path.length + 8) & ~7
}

function writeRecord(index: Buffer, at: number, record: IndexRecord, hashBytes: number): void {
  const { entry, source, keepStat, assumeUnchanged, skipWorktree } = record
  const flagsAt = at + statBytes + hashBytes
  source.copy(index, keepStat ? at : at + statBytes, entry.at + (keepStat ? 0 : statBytes), entry.at + statBytes + hashBytes)
  index.writeUInt32BE(entry.mode, at + modeAt)
  const extended = isExtended(record)
  const length = Math.min(entry.path.length, lengthMask)
  index.writeUInt16BE((assumeUnchanged ? 0x8000 : 0) | (extended ? 0x4000 : 0) | (entry.stage << 12) | length, flagsAt)
  if (extended) index.writeUInt16BE((skipWorktree ? 0x4000 : 0) | (entry.intentToAdd ? 0x2000 : 0), flagsAt + 2)
  index.write(entry.path, flagsAt + (extended ? 4 : 2), 'latin1')
}
