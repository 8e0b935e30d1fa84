// Which entries of an index differ from those of an earlier one, in whatever they say, times included. Compared as bytes, side
// by side: 20,000 entries in a few milliseconds, where reading both would take ten times as long.
import type { BytePath } from './byte-path.ts'
import { parseIndex } from './index-file.ts'
import { areSame, compareNames, type IndexScan, maxBlock, nameAt, scanIndex } from './index-scan.ts'

export interface SeenFile {
  readonly path: BytePath
  readonly mode: number
  readonly blob: string
  /** Of the file as git last saw it. */
  readonly sizeBytes: number
}

export interface IndexChanges {
  readonly changed: readonly SeenFile[]
  readonly gone: readonly BytePath[]
}

const statBytes = 40

/** Without conflicts. `null` when one is of version 4, which git keeps to only if we wrote it so. */
export function compareIndexes(before: Buffer, after: Buffer, hashBytes: number): IndexChanges | null {
  const changed: SeenFile[] = []
  const gone: BytePath[] = []
  if (before.equals(after)) return { changed, gone }
  const [old, now] = [scanIndex(before, hashBytes), scanIndex(after, hashBytes)]
  if (old === null || now === null) return null
  let number = 0
  let other = 0
  let block = maxBlock
  while (number < old.count || other < now.count) {
    if (areSame(old, number, now, other, block)) {
      number += block
      other += block
      block = Math.min(maxBlock, 2 * block)
      continue
    }
    if (block > 1) {
      block >>= 1
      continue
    }
    const order = compareNames(old, number, now, other, hashBytes)
    if (order < 0) gone.push(nameAt(old, old.starts[number] ?? 0, hashBytes))
    else changed.push(read(now, now.starts[other] ?? 0, hashBytes))
    if (order <= 0) number++
    if (order >= 0) other++
  }
  return { changed, gone }
}

/** Every file of an index, folders of submodules left out. */
export function listFiles(index: Buffer, hashBytes: number): SeenFile[] {
  const { entries } = parseIndex(index, hashBytes)
  return entries.filter((entry) => entry.stage === 0 && !entry.skipWorktree && isFile(entry))
}

export function isFile({ mode }: Pick<SeenFile, 'mode'>): boolean {
  return mode >> 12 === 0o10
}

function read(scan: IndexScan, start: number, hashBytes: number): SeenFile {
  const { bytes } = scan
  const blobAt = start + statBytes
  return {
    path: nameAt(scan, start, hashBytes),
    mode: bytes.readUInt32BE(start + 24),
    blob: bytes.toString('hex', blobAt, blobAt + hashBytes),
    sizeBytes: bytes.readUInt32BE(start + 36),
  }
}
