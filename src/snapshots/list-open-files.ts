// Lists what `git status` showed of the work tree a snapshot was taken of.
import { type BytePath, showPath } from './byte-path.ts'
import { listTreeChanges } from './diff-trees.ts'
import type { Git } from './git.ts'
import { type IndexEntry, parseIndex } from './index-file.ts'
import { findSnapshotBase, indexToKeep, openSnapshot, type SnapshotBase } from './open-snapshot.ts'
import { listTree, type TreeEntry } from './read-objects.ts'

interface OpenFiles {
  /** Tracked files that are staged, changed or in conflict. */
  readonly changed: readonly string[]
  readonly untracked: readonly string[]
}

type Files = ReadonlyMap<BytePath, TreeEntry>

export async function listOpenFiles(git: Git, commonDir: string, id: string): Promise<OpenFiles> {
  const snapshot = await openSnapshot(git, commonDir, id)
  const base = await findSnapshotBase(git, commonDir, snapshot)
  const head = headTreeOf(id, base)
  const index = indexToKeep(snapshot, base)
  if (index === null && head !== null) return compareTrees(git, commonDir, head, snapshot.tree)
  const [inHead, files] = await Promise.all([
    head === null ? new Map<BytePath, TreeEntry>() : listTree(git, commonDir, head),
    listTree(git, commonDir, snapshot.tree),
  ])
  // An object's name has two digits for each byte.
  const entries = index === null ? [] : parseIndex(index, id.length / 2).entries
  return compareAll(inHead, entries, files)
}

/** Where nothing is staged: what is not in the first tree is untracked. */
export async function compareTrees(git: Git, commonDir: string, head: string, tree: string): Promise<OpenFiles> {
  const changes = await listTreeChanges(git, commonDir, head, tree)
  const isNew = ({ before }: (typeof changes)[number]) => before.mode === 0
  return show(
    changes.filter((change) => !isNew(change)).map(({ path }) => path),
    changes.filter(isNew).map(({ path }) => path),
  )
}

/** The commit of a `lost` base is not written before the fork is made, but the snapshot holds its tree; a `bare` one has the snapshot's. */
function headTreeOf(id: string, { kind, commit }: SnapshotBase): string | null {
  if (kind === 'lost') return `${id}:base`
  if (kind === 'bare') return `${id}:wt`
  return commit === null ? null : `${commit}^{tree}`
}

/** HEAD against the index, and the index against the files. */
function compareAll(head: Files, entries: readonly IndexEntry[], files: Files): OpenFiles {
  const tracked = new Set(entries.map(({ path }) => path))
  const changed = new Set([...head.keys()].filter((path) => !tracked.has(path)))
  for (const entry of entries) {
    const { path, stage, intentToAdd, hidden } = entry
    const isOpen = stage > 0 || intentToAdd || !isSame(entry, head.get(path)) || (!hidden && !isSame(entry, files.get(path)))
    if (isOpen) changed.add(path)
  }
  return show(
    [...changed],
    [...files.keys()].filter((path) => !tracked.has(path)),
  )
}

function isSame({ mode, blob }: IndexEntry, file: TreeEntry | undefined): boolean {
  return file !== undefined && file.mode === mode && file.id === blob
}

/** In the order of `git status`: by bytes. */
function show(changed: readonly BytePath[], untracked: readonly BytePath[]): OpenFiles {
  return { changed: changed.toSorted().map(showPath), untracked: untracked.toSorted().map(showPath) }
}
