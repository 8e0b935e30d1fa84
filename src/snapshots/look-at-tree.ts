// The work tree as git objects, through the private index: what both a snapshot and a mere comparison need. Writes objects and
// the private index, nothing of the person's.
import { copyFile, rm } from 'node:fs/promises'
import { AppError } from '../model/error.ts'
import { addAll } from './add-all.ts'
import { joinRecords } from './byte-path.ts'
import type { Git } from './git.ts'
import { readSettings } from './git-settings.ts'
import { IndexDamage } from './index-damage.ts'
import { markIndex } from './index-mark.ts'
import type { Uncovered } from './not-covered.ts'
import { openPrivateIndex } from './private-index.ts'
import { forgetPrivateIndex, type PrivateState, seedPath, writePrivateState } from './private-state.ts'
import { keepRaw } from './raw-files.ts'
import type { Head } from './read-head.ts'
import { recordModes } from './record-modes.ts'
import type { WorkTree } from './repository.ts'
import { keepStaged, nothingStaged } from './staged.ts'

export interface LookRequest {
  readonly git: Git
  readonly workTree: WorkTree
  /** Absolute path of the private index. */
  readonly index: string
  /** Untracked files that are larger stay out; 0: no limit. */
  readonly maxFileBytes: number
  readonly head: () => Promise<Head>
}

export interface TreeLook {
  readonly head: Head
  readonly tree: string
  /** Without what a sparse checkout leaves out; `null` where that is the same. */
  readonly onDisk: string | null
  readonly uncovered: Uncovered
  /** The tree of the look before; `null` when this is the first. */
  readonly before: string | null
  readonly state: PrivateState
}

/** `onAdded` runs beside the writing of trees, when it is known what is not covered. */
export async function lookAtTree(
  request: LookRequest,
  onAdded?: (look: Pick<TreeLook, 'head' | 'uncovered'>) => void,
): Promise<TreeLook> {
  const { git, workTree, index } = request
  const { root, hashBytes } = workTree
  const [head, settings] = await Promise.all([request.head(), readSettings(git, workTree)])
  const config = settings.overrides
  const opened = await openPrivateIndex({ git, workTree, index, settings, headTree: head.tree })
  const { seed } = opened
  let { state } = opened
  const save = async (change: Partial<PrivateState>) => {
    const next = { ...state, ...change }
    const isNew = JSON.stringify(next) !== JSON.stringify(state)
    state = next
    if (isNew) await writePrivateState(index, state)
  }
  const stagedLater = seed === null ? null : keepStaged(git, workTree, seed, head.tree)
  const { uncovered, attributesChanged, removed } = await both(
    addAll({
      git,
      root,
      index,
      config,
      filters: settings.filters.split('\0').map((setting) => setting.replace(/\n[\s\S]*/, '')),
      sparse: settings.sparse,
      maxFileBytes: request.maxFileBytes,
      untracked: state.untracked,
      submodules: state.submodules,
      conflicted: seed !== null && !seed.plain && seed.entries().some(({ stage }) => stage > 0),
      onUntracked: (untracked) => save({ untracked }),
    }),
    stagedLater,
  )
  if (!settings.filemode) await recordModes(git, workTree, index)
  onAdded?.({ head, uncovered })
  const raw = keepRaw({
    git,
    workTree,
    index,
    settings,
    known: opened.intact ? state.raw : null,
    before: opened.before,
    attributesChanged,
  })
  const tree = (await both(git(['write-tree'], { cwd: root, index }), raw)).stdout.trim()
  const staged = (await stagedLater) ?? state.staged ?? nothingStaged
  const onDisk = state.leftOut.length === 0 ? null : await writeOnDisk(request, state)
  const before = state.tree
  if (seed !== null) await rm(seedPath(index), { force: true })
  const gone = [...new Set([...state.gone, ...removed])]
  await save({ staged, gone, raw: { ...(await raw), mark: await markIndex(index, hashBytes) }, tree })
  return { head, tree, onDisk, uncovered, before, state }
}

/** Waits for both even if one fails: nothing may still be writing when we begin again. */
async function both<T>(one: Promise<T>, other: Promise<unknown> | null): Promise<T> {
  const [first, second] = await Promise.allSettled([one, other])
  if (first.status === 'rejected') throw first.reason
  if (second.status === 'rejected') throw second.reason
  return first.value
}

/** In an index of its own: the private one must keep what is left out, or the next tree would lack it. */
async function writeOnDisk({ git, workTree, index }: LookRequest, { leftOut }: PrivateState): Promise<string> {
  const scratch = `${index}.on-disk`
  const call = { cwd: workTree.root, index: scratch }
  await copyFile(index, scratch)
  try {
    await git(['update-index', '-z', '--force-remove', '--stdin'], { ...call, input: joinRecords(leftOut) })
    return (await git(['write-tree'], call)).stdout.trim()
  } finally {
    await rm(scratch, { force: true })
  }
}

/** Objects that the private index or our notes name may have been pruned, the index itself may be damaged: once more, from the start. */
export async function withFreshIndex<T>(index: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!isDamage(error)) throw error
    await forgetPrivateIndex(index)
    return work()
  }
}

/** git gives up with 128; what is no matter of ours, such as a full disk, is told by its words. */
function isDamage(error: unknown): boolean {
  if (error instanceof IndexDamage) return true
  if (!(error instanceof AppError) || typeof error.details !== 'object' || error.details === null) return false
  const { exitCode, stderr } = error.details as { exitCode?: unknown; stderr?: unknown }
  return exitCode === 128 && !/No space left|[Pp]ermission|Read-only|unable to write/.test(String(stderr))
}
