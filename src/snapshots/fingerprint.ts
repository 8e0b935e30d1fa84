// Tells later whether a work tree is still what it was: HEAD, branch, operation, and what was staged, changed and untracked,
// with the size and time of each such file. A rewrite of the index that changes no state (git status does it) does not count.
import { createHash } from 'node:crypto'
import { placeOf } from './byte-path.ts'
import { look } from './look.ts'
import type { OperationKind } from './operation.ts'
import type { Status } from './status.ts'

export interface Fingerprint {
  readonly commit: string | null
  readonly branch: string | null
  readonly operation: OperationKind | null
  /** Hashes of the records of status. */
  readonly tracked: string
  readonly untracked: string
  /** Hash of kind, mode, size and time of every changed or untracked file. */
  readonly files: string
}

export async function takeFingerprint(root: string, status: Status, operation: OperationKind | null): Promise<Fingerprint> {
  const open = status.entries.filter((entry) => entry.kind !== 'ignored')
  const tracked = createHash('sha256')
  const untracked = createHash('sha256')
  const files = createHash('sha256')
  const states = await Promise.all(open.map((entry) => describeFile(placeOf(root, entry.path))))
  open.forEach((entry, number) => {
    const hash = entry.kind === 'untracked' ? untracked : tracked
    hash.update(`${entry.record}\0`, 'latin1')
    files.update(`${states[number]}\0`)
  })
  return {
    commit: status.commit,
    branch: status.branch,
    operation,
    tracked: tracked.digest('hex'),
    untracked: untracked.digest('hex'),
    files: files.digest('hex'),
  }
}

async function describeFile(place: Buffer): Promise<string> {
  const stats = await look(place)
  return stats === null ? 'absent' : `${stats.mode} ${stats.size} ${stats.mtimeNs} ${stats.ino}`
}

/** In words, one for each thing that is no longer as it was; empty when all still holds. */
export function describeChanges(before: Fingerprint, now: Fingerprint): string[] {
  const changes: string[] = []
  const name = (value: string | null, fallback: string) => value?.slice(0, 40) ?? fallback
  if (before.branch !== now.branch) {
    changes.push(`the branch was ${name(before.branch, 'detached')} and is now ${name(now.branch, 'detached')}`)
  }
  if (before.commit !== now.commit) {
    changes.push(`HEAD was ${name(before.commit, 'unborn')} and is now ${name(now.commit, 'unborn')}`)
  }
  if (before.operation !== now.operation) {
    changes.push(now.operation === null ? `the ${before.operation} has ended` : `a ${now.operation} has begun`)
  }
  if (before.tracked !== now.tracked) changes.push('other tracked files are changed or staged')
  if (before.untracked !== now.untracked) changes.push('there are other untracked files')
  const sameList = before.tracked === now.tracked && before.untracked === now.untracked
  if (sameList && before.files !== now.files) changes.push('a changed file was written again')
  return changes
}
