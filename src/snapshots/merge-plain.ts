// Makes a private index of the person's and of the private one before, the ordinary case: no conflicts, no flags. Entries are
// compared and copied as bytes, in long runs: what changed between two turns is a handful of 20,000.
import { createHash } from 'node:crypto'
import { type BytePath, folderOf } from './byte-path.ts'
import { areSame, compareNames, flagsAt, type IndexScan, maxBlock, nameAt, nameEnd, nameStart } from './index-scan.ts'

export interface MergedIndex {
  readonly bytes: Buffer
  /** Of the untracked files those that went along. */
  readonly untracked: readonly BytePath[]
}

const headerBytes = 12
/** Of an entry: the time of the file. */
const timeAt = 8
const timeBytes = 8

/** Of each file the entry that was written later: if it is out of date after all, git compares, no more. */
export function mergePlain(seed: IndexScan, own: IndexScan | null, known: readonly BytePath[], hashBytes: number): MergedIndex {
  const wanted = new Set(known)
  const untracked: BytePath[] = []
  const out = createRuns(seed.bytes.length + (own?.bytes.length ?? 0))
  let number = 0
  let other = 0
  let block = maxBlock
  while (number < seed.count || (own !== null && other < own.count)) {
    if (own !== null && areSame(seed, number, own, other, block)) {
      out.add(seed, number, block)
      number += block
      other += block
      block = Math.min(maxBlock, 2 * block)
      continue
    }
    if (block > 1) {
      block >>= 1
      continue
    }
    const start = seed.starts[number] ?? 0
    const ownStart = own?.starts[other] ?? 0
    const order = compareNames(seed, number, own, other, hashBytes)
    if (order > 0 && own !== null) {
      const path = nameAt(own, ownStart, hashBytes)
      if (wanted.has(path) && isUsable(own, ownStart, hashBytes) && !clashes(seed, path, hashBytes)) {
        untracked.push(path)
        out.add(own, other, 1)
      }
      other++
      continue
    }
    const isLater =
      order === 0 &&
      own !== null &&
      isUsable(own, ownStart, hashBytes) &&
      compareTimes(own.bytes, ownStart, seed.bytes, start) > 0
    if (isLater && own !== null) out.add(own, other, 1)
    else out.add(seed, number, 1)
    number++
    if (order === 0) other++
  }
  return { bytes: out.end(hashBytes), untracked }
}

function compareTimes(one: Buffer, start: number, other: Buffer, otherStart: number): number {
  const [from, otherFrom] = [start + timeAt, otherStart + timeAt]
  return one.compare(other, otherFrom, otherFrom + timeBytes, from, from + timeBytes)
}

/** A plain file or link. */
function isUsable({ bytes }: IndexScan, start: number, hashBytes: number): boolean {
  return (flagsAt(bytes, start, hashBytes) & 0xf000) === 0 && bytes[start + 26] !== 0xe0
}

/** A file and a folder of one name cannot both be in an index. */
function clashes(seed: IndexScan, path: BytePath, hashBytes: number): boolean {
  if (seek(seed, `${path}/`, hashBytes) === 'begins') return true
  for (let folder = folderOf(path); folder !== null; folder = folderOf(folder)) {
    if (seek(seed, folder, hashBytes) === 'is') return true
  }
  return false
}

/** Whether the first entry that does not come before this name is it, or begins with it. */
function seek({ bytes, starts, count }: IndexScan, name: string, hashBytes: number): 'is' | 'begins' | 'neither' {
  const wanted = Buffer.from(name, 'latin1')
  let low = 0
  let high = count
  while (low < high) {
    const middle = (low + high) >> 1
    const start = starts[middle] ?? 0
    const from = nameStart(bytes, start, hashBytes)
    if (bytes.compare(wanted, 0, wanted.length, from, nameEnd(bytes, start, hashBytes)) < 0) low = middle + 1
    else high = middle
  }
  if (low === count) return 'neither'
  const from = nameStart(bytes, starts[low] ?? 0, hashBytes)
  const to = nameEnd(bytes, starts[low] ?? 0, hashBytes)
  if (to - from < wanted.length || bytes.compare(wanted, 0, wanted.length, from, from + wanted.length) !== 0) return 'neither'
  return to - from === wanted.length ? 'is' : 'begins'
}

interface Runs {
  add(scan: IndexScan, number: number, count: number): void
  end(hashBytes: number): Buffer
}

/** Neighbours from one index are copied at once. */
function createRuns(maxBytes: number): Runs {
  const out = Buffer.allocUnsafe(maxBytes + 64)
  let at = headerBytes
  let count = 0
  let from: IndexScan | null = null
  let start = 0
  let end = 0
  const flush = () => {
    if (from !== null) at += from.bytes.copy(out, at, start, end)
  }
  return {
    add(scan, number, more) {
      count += more
      const begins = scan.starts[number] ?? 0
      if (scan !== from || begins !== end) {
        flush()
        from = scan
        start = begins
      }
      end = scan.starts[number + more] ?? 0
    },
    end(hashBytes) {
      flush()
      out.write('DIRC', 'latin1')
      out.writeUInt32BE(2, 4)
      out.writeUInt32BE(count, 8)
      const hash = createHash(hashBytes === 32 ? 'sha256' : 'sha1').update(out.subarray(0, at))
      at += hash.digest().copy(out, at)
      return out.subarray(0, at)
    },
  }
}
