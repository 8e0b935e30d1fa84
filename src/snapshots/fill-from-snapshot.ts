// Fills a fresh worktree with a state of the past, exactly: the index as it was, the files as they lay, conflicts and flags.
// All of it comes from git objects: the work tree it was taken of may have changed since, or be gone.
import { writeFile } from 'node:fs/promises'
import { anySize, loadRegular } from '../lib/regular-file.ts'
import type { NotCovered } from '../model/capture.ts'
import { type BytePath, joinRecords } from './byte-path.ts'
import type { CarryReport } from './carry.ts'
import { listTreeChanges, type TreeChange } from './diff-trees.ts'
import { type Filling, finishFill, type Wanted } from './finish-fill.ts'
import type { Git } from './git.ts'
import { type GitSettings, readSettings } from './git-settings.ts'
import { type IndexEntry, isSubmodule, parseIndex } from './index-file.ts'
import type { LeftBehind } from './left-behind.ts'
import { indexToKeep, type OpenSnapshot, type SnapshotBase } from './open-snapshot.ts'
import { listTree, type TreeEntry } from './read-objects.ts'
import { removeFiles } from './remove-files.ts'
import type { WorkTree } from './repository.ts'
import { writeOperation } from './stored-operation.ts'
import { checkOutFiles, isAttributeFile, refuseUnwritten, writeRawFiles } from './write-files.ts'

const checkoutTimeoutMs = 30 * 60_000

export async function fillFromSnapshot(
  git: Git,
  child: WorkTree,
  snapshot: OpenSnapshot,
  base: SnapshotBase,
): Promise<CarryReport> {
  const settings = await readSettings(git, child)
  const filling: Filling = { git, child, settings, raw: snapshot.raw, ofRepository: true }
  const { commit, note, operation } = base
  const index = indexToKeep(snapshot, base)
  if (index !== null) await placeIndex(filling, index, snapshot)
  const wanted =
    index === null ? await fillOverCommit(filling, commit, snapshot.tree) : await fillOverIndex(filling, snapshot.onDisk)
  if (operation !== null) await writeOperation(child.gitDir, operation)
  const report = await finishFill(filling, wanted, operation)
  return { ...report, leftBehind: snapshot.meta.notCovered.map(describeNotCovered), notes: note === null ? [] : [note] }
}

/** The commit checked out, then the tree's files: what differs shows as changed or untracked, nothing is staged. */
export async function fillFromTree(git: Git, child: WorkTree, commit: string | null, tree: string): Promise<CarryReport> {
  const settings = await readSettings(git, child)
  const filling: Filling = { git, child, settings, raw: new Map(), ofRepository: false }
  return finishFill(filling, await fillOverCommit(filling, commit, tree), null)
}

/** Nothing staged. */
async function fillOverCommit(filling: Filling, commit: string | null, tree: string): Promise<Wanted> {
  const { git, child, ofRepository } = filling
  const call = { cwd: child.root, timeoutMs: checkoutTimeoutMs, ofRepository }
  const changes = commit === null ? [] : await listTreeChanges(git, child.commonDir, `${commit}^{tree}`, tree)
  // Files must be written by the attributes that are to lie beside them, not by those of the commit.
  const byCommit = commit !== null && !changes.some(({ path }) => isAttributeFile(path))
  await git(['read-tree', ...(byCommit ? ['--reset', '-u'] : []), commit ?? '--empty'], call)
  return byCommit ? applyChanges(filling, changes) : fillOverIndex(filling, tree)
}

/** After one whole checkout, which also told the index all times: the few files that differ. */
async function applyChanges(
  { git, child, raw, settings, ofRepository }: Filling,
  changes: readonly TreeChange[],
): Promise<Wanted> {
  const { root, indexPath } = child
  const gone = changes.filter(({ after }) => after.mode === 0).map(({ path }) => path)
  refuseUnwritten(root, (await removeFiles(root, gone)).failed)
  const come = changes.filter(({ path, after }) => after.mode !== 0 && !raw.has(path))
  const entries = new Map(come.map(({ path, after }) => [path, { mode: after.mode, id: after.blob }]))
  refuseUnwritten(root, await checkOutFiles({ git, root, scratch: `${indexPath}.scratch`, entries, ofRepository }))
  const shown = changes.filter(
    ({ before, after }) => before.blob !== after.blob || !isSameMode(settings, before.mode, after.mode),
  )
  return {
    entries: await readIndex(child),
    open: new Set(shown.map(({ path }) => path)),
    either: new Set(),
  }
}

/** The child's index is in place: files that are as it has them are checked out through it, the others beside it. */
async function fillOverIndex(filling: Filling, tree: string): Promise<Wanted> {
  const { git, child, raw, ofRepository } = filling
  const { root, indexPath } = child
  const files = await listTree(git, root, tree)
  const entries = await readIndex(child)
  const { quiet, ...expected } = divide(filling, entries, files)
  const pick = (which: (path: BytePath) => boolean) => new Map([...files].filter(([path]) => !raw.has(path) && which(path)))
  const checkOut = async (some: ReadonlyMap<BytePath, TreeEntry>) =>
    refuseUnwritten(root, await checkOutFiles({ git, root, scratch: `${indexPath}.scratch`, entries: some, ofRepository }))
  // First what says how the others are to be written: it is read from the files.
  await writeRawFiles(git, root, new Map([...raw].filter(([path]) => isAttributeFile(path))))
  await checkOut(pick(isAttributeFile))
  await git(['checkout-index', '--index', '--force', '--quiet', '--ignore-skip-worktree-bits', '-z', '--stdin'], {
    cwd: root,
    input: joinRecords(quiet),
    timeoutMs: checkoutTimeoutMs,
    ofRepository,
  })
  const known = new Set(quiet)
  await checkOut(pick((path) => !isAttributeFile(path) && !known.has(path)))
  return { entries, ...expected }
}

/** In a sparse checkout git looks at a file that is there, though the index says it is left out; the child may not be sparse any more. */
async function placeIndex({ git, child }: Filling, index: Buffer, { onDisk, tree }: OpenSnapshot): Promise<void> {
  await writeFile(child.indexPath, index)
  if (onDisk === tree) return
  const files = await listTree(git, child.root, onDisk)
  const there = (await readIndex(child)).filter(({ path, skipWorktree }) => skipWorktree && files.has(path))
  const input = joinRecords(there.map(({ path }) => path))
  await git(['update-index', '--no-skip-worktree', '-z', '--stdin'], { cwd: child.root, input })
}

interface Division extends Pick<Wanted, 'open' | 'either'> {
  /** The file is as the index has it, and written by git. */
  readonly quiet: readonly BytePath[]
}

function divide({ settings, raw }: Filling, entries: readonly IndexEntry[], files: ReadonlyMap<BytePath, TreeEntry>): Division {
  const quiet: BytePath[] = []
  const open = new Set(files.keys())
  const either = new Set<BytePath>()
  for (const entry of entries) {
    const { path, mode, blob } = entry
    const file = files.get(path)
    const same = file?.id === blob && isSameMode(settings, file.mode, mode)
    if (entry.stage > 0 || entry.intentToAdd) open.add(path)
    else if (entry.hidden) either.add(path)
    else if (isSubmodule(entry)) {
      either.add(path)
      if (file !== undefined) quiet.push(path)
    } else if (same) {
      open.delete(path)
      if (file.mode === mode && !raw.has(path)) quiet.push(path)
    } else open.add(path)
  }
  return { quiet, open, either }
}

/** As git would have it: it may be told to look away from the executable bit. */
function isSameMode({ filemode }: GitSettings, one: number, other: number): boolean {
  return one === other || (!filemode && (one ^ other) === 0o111)
}

async function readIndex({ indexPath, hashBytes }: WorkTree): Promise<readonly IndexEntry[]> {
  return parseIndex(await loadRegular(indexPath, anySize), hashBytes).entries
}

const reasons = {
  too_large: 'too-large',
  unreadable: 'unreadable',
  submodule_changes: 'submodule',
  embedded_repository: 'embedded-repository',
  special_file: 'special-file',
  filter_failed: 'filter-failed',
} as const satisfies Record<NotCovered['reason'], LeftBehind['reason']>

function describeNotCovered({ path, reason }: NotCovered): LeftBehind {
  return { path, reason: reasons[reason], files: null }
}
