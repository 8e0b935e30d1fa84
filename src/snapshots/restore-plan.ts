// What bringing files back would do to a work tree, path by path: only those that differ, only those asked for.
import { isAbsolute, posix, relative } from 'node:path'
import type { NotCovered, RestorePlan } from '../model/capture.ts'
import { asBytePath, type BytePath, folderOf, showPath } from './byte-path.ts'
import { listTreeChanges, type Side, showChange, type TreeChange } from './diff-trees.ts'
import type { Git } from './git.ts'
import { createNameCheck } from './named-paths.ts'
import { openSnapshot } from './open-snapshot.ts'
import { listTree, type TreeEntry } from './read-objects.ts'
import type { NotRemoved } from './remove-files.ts'
import type { WorkTree } from './repository.ts'
import { refuseUnsafe } from './restore-safety.ts'

/** A state of the work tree. A snapshot knows its raw bytes and what it does not cover; a mere look brings both along. */
export interface CodeTree {
  readonly tree: string
  /** Object of the snapshot. */
  readonly snapshot?: string | null
  readonly notCovered?: readonly NotCovered[]
  readonly raw?: ReadonlyMap<BytePath, TreeEntry>
}

export interface RestoreChange extends TreeChange {
  /** Its bytes, where they are not what git would write. */
  readonly raw: TreeEntry | null
}

export interface RestoreSteps {
  readonly changes: readonly RestoreChange[]
  readonly refused: readonly NotRemoved[]
  readonly warnings: readonly string[]
}

/** `from` is the present state, read just now. No paths: everything that differs. Paths are relative to the root, or absolute. */
export async function planRestore(
  git: Git,
  workTree: WorkTree,
  from: CodeTree,
  to: CodeTree,
  paths: readonly string[] = [],
): Promise<RestorePlan> {
  const { changes, refused, warnings } = await planSteps(git, workTree, from, to, paths, { counts: true })
  return {
    root: workTree.root,
    changes: changes.map(showChange),
    refused: refused.map(({ path, reason }) => ({ path: showPath(path), reason })),
    warnings,
    seen: { from: from.tree, to: to.tree },
  }
}

export async function planSteps(
  git: Git,
  workTree: WorkTree,
  from: CodeTree,
  to: CodeTree,
  paths: readonly string[],
  options?: { readonly counts?: boolean },
): Promise<RestoreSteps> {
  const { root } = workTree
  const { named, refused } = sortPaths(root, paths)
  if (paths.length > 0 && named.length === 0) return { changes: [], refused, warnings: [] }
  const wholeTree = named.includes('')
  const [now, then] = await Promise.all([from, to].map((state) => readBesides(git, workTree.commonDir, state)))
  if (now === undefined || then === undefined) return { changes: [], refused, warnings: [] }
  const all = await listChanges(git, workTree, { from, now }, { to, then }, wholeTree ? [] : named, options)
  const touched = listNames(all.map(({ path }) => path))
  const warnings = named.filter((name) => name !== '' && !touched.has(name))
  const checked = await refuseUnsafe(root, all, from.notCovered ?? [], then.notCovered)
  return {
    changes: checked.changes,
    refused: [...refused, ...checked.refused],
    warnings: warnings.map((name) => `${name} is the same in both states, or in neither.`),
  }
}

/** The empty name is the root itself. */
function sortPaths(root: string, paths: readonly string[]): { named: string[]; refused: NotRemoved[] } {
  const named: string[] = []
  const refused: NotRemoved[] = []
  for (const path of paths) {
    const name = posix.normalize(isAbsolute(path) ? relative(root, path) || '.' : path).replace(/\/+$/, '')
    const refuse = (reason: string) => refused.push({ path: asBytePath(Buffer.from(path).toString('latin1')), reason })
    if (name === '..' || name.startsWith('../')) refuse('it lies outside of the work tree')
    else if (/(^|\/)\.git(\/|$)/i.test(name)) refuse('it belongs to git itself')
    else named.push(name === '.' ? '' : name)
  }
  return { named: paths.length === 0 ? [''] : named, refused }
}

/** Of these paths and of all folders they lie in. */
function listNames(paths: readonly BytePath[]): Set<string> {
  const names = new Set<string>()
  for (const path of paths) {
    for (let each: BytePath | null = path; each !== null && !names.has(showPath(each)); each = folderOf(each))
      names.add(showPath(each))
  }
  return names
}

async function listChanges(
  git: Git,
  { root, commonDir }: WorkTree,
  { from, now: { raw: rawNow } }: { readonly from: CodeTree; readonly now: Besides },
  { to, then: { raw: rawThen } }: { readonly to: CodeTree; readonly then: Besides },
  named: readonly string[],
  options?: { readonly counts?: boolean },
): Promise<RestoreChange[]> {
  const isNamed = createNameCheck(named)
  const changes = await listTreeChanges(git, commonDir, from.tree, to.tree, named, options)
  const known = new Set(changes.map(({ path }) => path))
  const listed = changes.map((change) => ({
    ...change,
    raw: (change.after.mode === 0 ? null : rawThen.get(change.path)) ?? null,
  }))
  // Line ends alone: to git both states have the same blob.
  const suspects = [...new Set([...rawNow.keys(), ...rawThen.keys()])].filter(
    (path) => !known.has(path) && rawNow.get(path)?.id !== rawThen.get(path)?.id && isNamed(path),
  )
  if (suspects.length === 0) return listed
  const files = await listTree(git, root, to.tree)
  const onlyBytes = suspects.flatMap((path): RestoreChange[] => {
    const file = files.get(path)
    if (file === undefined) return []
    const side: Side = { mode: file.mode, blob: file.id }
    return [{ path, status: 'M', before: side, after: side, added: null, removed: null, raw: rawThen.get(path) ?? null }]
  })
  return [...listed, ...onlyBytes]
}

/** What a state has besides its tree. */
interface Besides {
  readonly raw: ReadonlyMap<BytePath, TreeEntry>
  readonly notCovered: readonly NotCovered[]
}

async function readBesides(
  git: Git,
  commonDir: string,
  { snapshot, notCovered = [], raw = new Map() }: CodeTree,
): Promise<Besides> {
  if (snapshot === undefined || snapshot === null) return { raw, notCovered }
  const opened = await openSnapshot(git, commonDir, snapshot)
  return { raw: opened.raw, notCovered: opened.meta.notCovered }
}
