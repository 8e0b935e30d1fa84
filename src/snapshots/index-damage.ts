// Tells a damaged index file from one that git wrote. Git itself reads such a file without a word as long as it is long enough, and then
// takes every file for deleted.
import { createHash } from 'node:crypto'
import { findGitDir } from '../lib/git-place.ts'
import { AppError } from '../model/error.ts'

export const headerBytes = 12
const statBytes = 40

/** Thrown by whatever reads an index, without its name. */
export class IndexDamage extends AppError {
  readonly reason: string

  constructor(reason: string) {
    super('failed', `An index file is damaged: ${reason}.`)
    this.reason = reason
  }
}

interface IndexHeader {
  readonly version: number
  /** At most as many as the file has room for: whoever reads it may make room for all of them. */
  readonly count: number
  /** Where the hash begins: entries and extensions end before it. */
  readonly end: number
}

export function readHeader(index: Buffer, hashBytes: number): IndexHeader {
  const end = index.length - hashBytes
  if (end < headerBytes) throw new IndexDamage(`it has only ${index.length} bytes`)
  if (index.toString('latin1', 0, 4) !== 'DIRC') throw new IndexDamage('it does not begin like an index')
  const [version, count] = [index.readUInt32BE(4), index.readUInt32BE(8)]
  if (version < 2 || version > 4) throw new IndexDamage(`its version is ${version}`)
  // Flags, and of the name at least its end.
  const smallest = statBytes + hashBytes + 3
  if (count > (end - headerBytes) / smallest) throw new IndexDamage(`it names ${count} entries and ends before them`)
  return { version, count, end }
}

/** The index of the user: what it says must also be what was written. */
export function refuseOtherHash(index: Buffer, hashBytes: number): void {
  const { end } = readHeader(index, hashBytes)
  const written = index.subarray(end)
  // All zero: written with `index.skipHash`.
  if (written.every((byte) => byte === 0)) return
  const hash = createHash(hashBytes === 32 ? 'sha256' : 'sha1').update(index.subarray(0, end))
  if (!hash.digest().equals(written)) throw new IndexDamage('its checksum does not match')
}

/** `work` reads the index at this path, which belongs to the work tree. */
export function namingIndex<T>(indexPath: string, root: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (error instanceof IndexDamage) throw damagedIndex(indexPath, root, error.reason)
    throw error
  }
}

/** The same, in git's own words; `null` where git complains of something else. */
export function explainGitIndex(stderr: string, cwd: string): AppError | null {
  const words =
    /index file smaller than expected|index file corrupt|bad signature 0x\w+|bad index version \d+|malformed name field in the index/
  const found = words.exec(stderr)?.[0]
  if (found === undefined) return null
  const gitDir = findGitDir(cwd)
  return gitDir === null ? null : damagedIndex(`${gitDir}/index`, cwd, found)
}

function damagedIndex(indexPath: string, root: string, reason: string): AppError {
  return new AppError('failed', `The index ${indexPath} is damaged: ${reason}.`, {
    hint: `Move that file away and run \`git reset\` in ${root}: files stay as they are; what was staged must be added again.`,
  })
}
