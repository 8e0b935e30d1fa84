// Writes into an index what it should believe of files we put there ourselves: that they are unchanged (their size and times),
// or that it knows nothing and must compare. git can only learn the first by comparing, and that runs filters: with LFS it
// reads every large file.
import { createHash } from 'node:crypto'
import type { BigIntStats } from 'node:fs'
import { rename, writeFile } from 'node:fs/promises'
import { anySize, loadRegular } from '../lib/regular-file.ts'
import type { BytePath } from './byte-path.ts'
import { parseIndex } from './index-file.ts'

export type Belief = BigIntStats | 'unknown'

export async function writeBeliefs(indexPath: string, hashBytes: number, beliefs: ReadonlyMap<BytePath, Belief>): Promise<void> {
  if (beliefs.size === 0) return
  const index = await loadRegular(indexPath, anySize)
  applyBeliefs(index, hashBytes, beliefs)
  const beside = `${indexPath}.offshoot`
  await writeFile(beside, index)
  await rename(beside, indexPath)
}

/** Changes the bytes in place; only entries outside of conflicts have a file of their own. */
function applyBeliefs(index: Buffer, hashBytes: number, beliefs: ReadonlyMap<BytePath, Belief>): void {
  for (const { path, stage, at } of parseIndex(index, hashBytes).entries) {
    const belief = stage === 0 ? beliefs.get(path) : undefined
    if (belief !== undefined) writeStat(index, at, belief)
  }
  const hashAt = index.length - hashBytes
  // All zero: written with `index.skipHash`.
  if (index.subarray(hashAt).every((byte) => byte === 0)) return
  const hash = createHash(hashBytes === 32 ? 'sha256' : 'sha1').update(index.subarray(0, hashAt))
  hash.digest().copy(index, hashAt)
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
