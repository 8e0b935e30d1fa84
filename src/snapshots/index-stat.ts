// Writes into an index what it should believe of files we put there ourselves: that they are unchanged (their size and times),
// or that it knows nothing and must compare. git can only learn the first by comparing, and that runs filters: with LFS it
// reads every large file. Format: git's Documentation/gitformat-index, versions 2 to 4, SHA-1 and SHA-256.
import { createHash } from 'node:crypto'
import type { BigIntStats } from 'node:fs'
import { readFile, rename, writeFile } from 'node:fs/promises'
import type { BytePath } from './byte-path.ts'

export type Belief = BigIntStats | 'unknown'

const headerBytes = 12
const statBytes = 40
const nameMask = 0xfff
const extended = 0x4000
const stageMask = 0x3000

/** `hashBytes`: 20 or 32, as the repository's object names. */
export async function writeBeliefs(indexPath: string, hashBytes: number, beliefs: ReadonlyMap<BytePath, Belief>): Promise<void> {
  if (beliefs.size === 0) return
  const index = await readFile(indexPath)
  applyBeliefs(index, hashBytes, beliefs)
  const beside = `${indexPath}.offshoot`
  await writeFile(beside, index)
  await rename(beside, indexPath)
}

/** Changes the bytes in place; only entries outside of conflicts have a file of their own. */
export function applyBeliefs(index: Buffer, hashBytes: number, beliefs: ReadonlyMap<BytePath, Belief>): void {
  const version = index.readUInt32BE(4)
  let at = headerBytes
  let previous = ''
  for (let left = index.readUInt32BE(8); left > 0; left--) {
    const flagsAt = at + statBytes + hashBytes
    const flags = index.readUInt16BE(flagsAt)
    let nameAt = flagsAt + (flags & extended ? 4 : 2)
    let kept = 0
    if (version === 4) [kept, nameAt] = readOffset(index, nameAt)
    // Names of 4095 bytes and more do not fit the field: the end is always found by its zero byte.
    const nameEnd = index.indexOf(0, version === 4 || (flags & nameMask) === nameMask ? nameAt : nameAt + (flags & nameMask))
    const path = previous.slice(0, version === 4 ? previous.length - kept : 0) + index.toString('latin1', nameAt, nameEnd)
    const belief = flags & stageMask ? undefined : beliefs.get(path as BytePath)
    if (belief !== undefined) writeStat(index, at, belief)
    at = version === 4 ? nameEnd + 1 : at + ((nameEnd - at + 8) & ~7)
    previous = path
  }
  const hashAt = index.length - hashBytes
  // All zero: written with `index.skipHash`.
  if (index.subarray(hashAt).every((byte) => byte === 0)) return
  const hash = createHash(hashBytes === 32 ? 'sha256' : 'sha1').update(index.subarray(0, hashAt))
  hash.digest().copy(index, hashAt)
}

/** How much of the previous name is dropped, in the variable length of pack offsets; and where the rest of the name begins. */
function readOffset(index: Buffer, start: number): [number, number] {
  let at = start
  let byte = index.readUInt8(at++)
  let value = byte & 127
  while (byte & 128) {
    byte = index.readUInt8(at++)
    value = ((value + 1) << 7) | (byte & 127)
  }
  return [value, at]
}

/** Mode and blob stay: they are what is staged. */
function writeStat(index: Buffer, at: number, belief: Belief): void {
  const low = (value: bigint) => Number(value & 0xffffffffn)
  const billion = 1_000_000_000n
  const fields =
    belief === 'unknown'
      ? { ctime: [0, 0], mtime: [0, 0], dev: 0, ino: 0, uid: 0, gid: 0, size: 0 }
      : {
          ctime: [low(belief.ctimeNs / billion), low(belief.ctimeNs % billion)],
          mtime: [low(belief.mtimeNs / billion), low(belief.mtimeNs % billion)],
          dev: low(belief.dev),
          ino: low(belief.ino),
          uid: low(belief.uid),
          gid: low(belief.gid),
          size: low(belief.size),
        }
  const values = [...fields.ctime, ...fields.mtime, fields.dev, fields.ino]
  values.forEach((value, number) => {
    index.writeUInt32BE(value, at + 4 * number)
  })
  const afterMode = [fields.uid, fields.gid, fields.size]
  afterMode.forEach((value, number) => {
    index.writeUInt32BE(value, at + 28 + 4 * number)
  })
}
