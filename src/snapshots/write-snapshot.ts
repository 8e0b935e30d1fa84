// Puts a snapshot together and names it: the tree that holds its parts (see snapshot.ts), then the ref. Until the ref is there
// nothing has happened; afterwards gc keeps all of it.
import type { SnapshotMeta } from '../model/capture.ts'
import type { Git } from './git.ts'
import { makeTree, type NamedObject } from './write-objects.ts'

/** By name: the ids of what there is, besides `meta`. */
export interface SnapshotParts {
  readonly wt: string
  readonly tm?: string | null
  readonly base: string | null
  readonly index: string | null
  readonly st: string | null
  readonly raw: string | null
  readonly 'raw-paths': string | null
  readonly operation?: string | null
  readonly empty: string
}

const trees = ['wt', 'tm', 'base', 'st', 'raw']

export async function wrapParts(git: Git, cwd: string, parts: SnapshotParts, meta: string): Promise<string> {
  const objects: NamedObject[] = Object.entries({ ...parts, meta }).flatMap(([name, id]) =>
    id === null || id === undefined ? [] : [{ mode: trees.includes(name) ? '040000' : '100644', id, name }],
  )
  return makeTree(git, cwd, objects)
}

/** One byte per character, as git is fed. */
export function renderMeta(meta: SnapshotMeta): string {
  return Buffer.from(`${JSON.stringify(meta)}\n`).toString('latin1')
}

/** `expected` is what the ref must name now; `null`: nothing. Left out, it is overwritten. */
export async function nameSnapshot(git: Git, cwd: string, ref: string, id: string, expected?: string | null): Promise<void> {
  await git(['update-ref', ref, id, ...(expected === undefined ? [] : [expected ?? ''])], { cwd, config: patient })
}

/** Whoever folds refs meanwhile holds them for moments, on a slow disk for more than the 100 ms git waits by itself. */
const patient = { 'core.filesRefLockTimeout': '3000', 'reftable.lockTimeout': '3000' }
