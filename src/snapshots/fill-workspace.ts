// With what a new workspace is filled, and from which commit its branch starts.
import { AppError } from '../model/error.ts'
import { type CarryReport, carryNow } from './carry.ts'
import { withoutFailedFilters } from './failed-filter.ts'
import { takeFingerprint } from './fingerprint.ts'
import type { Git } from './git.ts'
import type { Repository, WorkTree } from './repository.ts'
import { readStatus } from './status.ts'

/**
 * `now`: the present state of the source. `head`: the base commit, clean. A snapshot, by the object's id: exactly the state it
 * holds. A tree: its files over the base commit, as changes that are not staged.
 */
export type CodeWish = 'now' | 'head' | { readonly snapshot: string } | { readonly tree: string }

export interface Filling {
  readonly baseCommit: string | null
  readonly fill: (child: WorkTree) => Promise<CarryReport>
}

interface Base {
  readonly baseCommit: string | null
}

const checkoutTimeoutMs = 30 * 60_000

export async function planFilling(git: Git, source: Repository, { baseCommit }: Base, code: CodeWish): Promise<Filling> {
  const { root, commonDir } = source
  if (code === 'head') return { baseCommit, fill: (child) => fillWithHead(git, baseCommit, child) }
  if (code === 'now') {
    if (root === null) {
      throw new AppError('refused', `${source.gitDir} has no work tree whose present state could be carried.`, {
        hint: 'Fork its commit instead of its present state.',
      })
    }
    return { baseCommit, fill: (child) => carryNow(git, { ...source, root }, child, baseCommit) }
  }
  const { fillFromSnapshot, fillFromTree } = await import('./fill-from-snapshot.ts')
  if ('tree' in code) {
    return { baseCommit, fill: (child) => fillTolerantly(git, (calls) => fillFromTree(calls, child, baseCommit, code.tree)) }
  }
  const { openSnapshot, findSnapshotBase, writeLostBase } = await import('./open-snapshot.ts')
  const snapshot = await openSnapshot(git, commonDir, code.snapshot)
  const base = await findSnapshotBase(git, commonDir, snapshot)
  if (base.kind === 'lost' || base.kind === 'bare') await writeLostBase(git, commonDir, snapshot)
  return {
    baseCommit: base.commit,
    fill: (child) => fillTolerantly(git, (calls) => fillFromSnapshot(calls, child, snapshot, base)),
  }
}

async function fillTolerantly(git: Git, fill: (calls: Git) => Promise<CarryReport>): Promise<CarryReport> {
  const { result, failed } = await withoutFailedFilters(git, fill)
  const notes = failed.map((name) => `The filter ${name} failed: its files hold what git stores for them.`)
  return { ...result, notes: [...result.notes, ...notes] }
}

async function fillWithHead(git: Git, baseCommit: string | null, child: WorkTree): Promise<CarryReport> {
  if (baseCommit !== null) {
    await git(['read-tree', '--reset', '-u', baseCommit], { cwd: child.root, timeoutMs: checkoutTimeoutMs })
  }
  const status = await readStatus(git, child.root, { refresh: true })
  const made = await takeFingerprint(child.root, status, null)
  return { differences: [], leftBehind: [], copiedFiles: 0, operation: null, notes: [], made }
}
