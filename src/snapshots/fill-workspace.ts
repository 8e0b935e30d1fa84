// With what a new workspace is filled, and from which commit its branch starts.
import { AppError } from '../model/error.ts'
import { type CarryReport, carryNow } from './carry.ts'
import { withoutFailedFilters } from './failed-filter.ts'
import { listPresentLinks, listTreeLinks, type SubmoduleLink } from './find-submodules.ts'
import { takeFingerprint } from './fingerprint.ts'
import type { Git } from './git.ts'
import type { Repository, WorkTree } from './repository.ts'
import { readStatus } from './status.ts'
import type { SubmoduleFilling } from './workspace-extras.ts'

/**
 * `now`: the present state of the source. `head`: the base commit, clean. A snapshot, by the object's id: exactly the state it
 * holds. A tree: its files over the base commit, as changes that are not staged.
 */
export type CodeWish = 'now' | 'head' | { readonly snapshot: string } | { readonly tree: string }

export interface Filling {
  readonly baseCommit: string | null
  /** Submodules of the state it is filled with. */
  readonly links: () => Promise<readonly SubmoduleLink[]>
  readonly fill: (child: WorkTree) => Promise<CarryReport>
}

interface Base {
  readonly baseCommit: string | null
}

const checkoutTimeoutMs = 30 * 60_000

export async function planFilling(git: Git, source: Repository, { baseCommit }: Base, code: CodeWish): Promise<Filling> {
  const { root, commonDir } = source
  const linksOf = async (treeish: string | null) => (treeish === null ? [] : listTreeLinks(git, commonDir, treeish))
  if (code === 'head') {
    const fill = (child: WorkTree) => fillTolerantly(git, (calls) => fillWithHead(calls, baseCommit, child))
    return { baseCommit, links: () => linksOf(baseCommit), fill }
  }
  if (code === 'now') {
    if (root === null) {
      throw new AppError('refused', `${source.gitDir} has no work tree whose present state could be carried.`, {
        hint: 'Fork its commit instead of its present state.',
      })
    }
    const present = { ...source, root }
    const links = () => listPresentLinks(git, present)
    return { baseCommit, links, fill: (child) => carryNow(git, present, child, baseCommit) }
  }
  const { fillFromSnapshot, fillFromTree } = await import('./fill-from-snapshot.ts')
  if ('tree' in code) {
    const fill = (child: WorkTree) => fillTolerantly(git, (calls) => fillFromTree(calls, child, baseCommit, code.tree))
    return { baseCommit, links: () => linksOf(code.tree), fill }
  }
  const { openSnapshot, findSnapshotBase, writeLostBase } = await import('./open-snapshot.ts')
  const snapshot = await openSnapshot(git, commonDir, code.snapshot)
  const base = await findSnapshotBase(git, commonDir, snapshot)
  if (base.kind === 'lost' || base.kind === 'bare') await writeLostBase(git, commonDir, snapshot)
  return {
    baseCommit: base.commit,
    links: () => linksOf(snapshot.tree),
    fill: (child) => fillTolerantly(git, (calls) => fillFromSnapshot(calls, child, snapshot, base)),
  }
}

/** Of a submodule only the present state holds more than a commit. */
export function submoduleFilling(git: Git, code: CodeWish): SubmoduleFilling {
  if (code === 'now') {
    return {
      fill: (source, child, commit) => carryNow(git, source, child, commit),
      links: (source) => listPresentLinks(git, source),
    }
  }
  return {
    fill: (_, child, commit) => fillTolerantly(git, (calls) => fillWithHead(calls, commit, child)),
    links: ({ commonDir }, commit) => listTreeLinks(git, commonDir, commit),
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
  return { differences: [], leftBehind: [], copiedFiles: 0, operation: null, notes: [], emptySubmodules: [], made }
}
