// Takes a snapshot of a work tree: everything in it that is not ignored, whoever wrote it, as git objects under a ref of ours.
// The person's HEAD, branches, index, stash, reflog, configuration and files stay as they are, to the byte.
import type { NotCovered, SnapshotMeta } from '../model/capture.ts'
import type { BytePath } from './byte-path.ts'
import { type CommitRequest, commitTurn, finishCommit } from './commit-turn.ts'
import type { Git } from './git.ts'
import { lookAtTree, type TreeLook, withFreshIndex } from './look-at-tree.ts'
import { describeUncovered } from './not-covered.ts'
import { readHead } from './read-head.ts'
import type { TreeEntry } from './read-objects.ts'
import type { WorkTree } from './repository.ts'
import { type Snapshot, snapshotRef } from './snapshot.ts'
import { keepOperation } from './stored-operation.ts'
import { writeMeta } from './write-meta.ts'
import { writeBlobAndEmpty } from './write-objects.ts'
import { nameSnapshot, renderMeta, wrapParts } from './write-snapshot.ts'

export interface SnapshotRequest {
  readonly workTree: WorkTree
  /** Absolute path of the private index. One snapshot at a time may be taken through it. */
  readonly index: string
  readonly meta: Omit<SnapshotMeta, 'head' | 'branch' | 'root' | 'notCovered' | 'commit' | 'version'>
  /** Untracked files that are larger stay out; 0: no limit. */
  readonly maxFileBytes: number
  /** Another name than the turn's own. */
  readonly ref?: string
  /** Where the work tree is a workspace of ours: what to commit on its branch. */
  readonly workspace?: CommitRequest
  /** Told at each step: how a test cuts one off. */
  readonly onStep?: (step: string) => void
}

export interface TakenSnapshot {
  readonly snapshot: Snapshot
  /** What the ref named before: the state at an earlier stop of the same prompt. */
  readonly previous: string | null
  /** The files are as the last look through this private index found them. */
  readonly unchanged: boolean
  readonly commit: string | null
  /** Why there is no commit where one was asked for and there was something to commit. */
  readonly problem: string | null
}

export async function takeSnapshot(git: Git, request: SnapshotRequest): Promise<TakenSnapshot> {
  const { index, workspace, onStep } = request
  const ref = request.ref ?? snapshotRef(request.meta)
  const stuck = workspace === undefined ? null : await finishCommit(git, request.workTree)
  const { snapshot, look } = await withFreshIndex(index, () => store(git, request, ref))
  onStep?.('named')
  const taken = { snapshot, previous: look.head.named, unchanged: look.before === look.tree, commit: null, problem: null }
  if (workspace === undefined) return taken
  // Only now: the snapshot is the truth, and stands whatever becomes of the commit.
  const { commit, problem } = await commitTurn(git, { ...request, look, ...workspace })
  if (commit === null) return { ...taken, problem: problem ?? stuck }
  const { commonDir } = request.workTree
  return { ...taken, commit, problem, snapshot: await writeMeta(git, commonDir, snapshot, { ...snapshot.meta, commit }) }
}

export interface PresentTree {
  readonly tree: string
  readonly head: string | null
  readonly notCovered: readonly NotCovered[]
  /** The bytes of files that git would write differently, as in a snapshot. */
  readonly raw: ReadonlyMap<BytePath, TreeEntry>
}

/** Only the tree, under no ref: for comparing. What it is made of may be pruned at any time. */
export async function readTree(git: Git, workTree: WorkTree, index: string, maxFileBytes: number): Promise<PresentTree> {
  const head = () => readHead(git, workTree, 'HEAD')
  const look = await withFreshIndex(index, () => lookAtTree({ git, workTree, index, maxFileBytes, head }))
  const raw = new Map((look.state.raw?.files ?? []).map(([path, mode, id]) => [path, { mode, id }]))
  return { tree: look.tree, head: look.head.commit, notCovered: describeUncovered(look.uncovered), raw }
}

async function store(git: Git, request: SnapshotRequest, ref: string): Promise<{ snapshot: Snapshot; look: TreeLook }> {
  const { workTree, index, maxFileBytes, onStep } = request
  const { root, commonDir } = workTree
  const describe = ({ head, uncovered }: Pick<TreeLook, 'head' | 'uncovered'>): SnapshotMeta => ({
    version: 1,
    ...request.meta,
    head: head.commit,
    branch: head.branch,
    root,
    commit: null,
    notCovered: describeUncovered(uncovered),
  })
  let blobs: ReturnType<typeof writeBlobAndEmpty> | undefined
  const head = () => readHead(git, workTree, ref)
  const look = await lookAtTree({ git, workTree, index, maxFileBytes, head }, (added) => {
    onStep?.('added')
    blobs = writeBlobAndEmpty(git, commonDir, renderMeta(describe(added)))
    // Awaited below; that the writing of trees failed is what is told.
    blobs.catch(() => undefined)
  })
  onStep?.('looked')
  const meta = describe(look)
  const [{ blob, empty }, operation] = await Promise.all([
    blobs ?? writeBlobAndEmpty(git, commonDir, renderMeta(meta)),
    keepOperation(git, workTree),
  ])
  const { staged, raw } = look.state
  const parts = {
    wt: look.tree,
    tm: look.onDisk,
    base: look.head.tree,
    index: staged?.index ?? null,
    st: staged?.blobs ?? null,
    raw: raw?.tree ?? null,
    'raw-paths': raw?.paths ?? null,
    operation,
    empty,
  }
  const id = await wrapParts(git, commonDir, parts, blob)
  onStep?.('wrapped')
  await nameSnapshot(git, commonDir, ref, id)
  return { snapshot: { ref, id, tree: look.tree, meta }, look }
}
