// The form of a snapshot: a ref under refs/offshoot/ to a tree (a commit would show in `git log --all`) that holds
//   meta       SnapshotMeta as JSON
//   wt/        the work tree: tracked and untracked, not ignored
//   tm/        wt without what a sparse checkout leaves out; only where it differs
//   index      the index in a canonical form (no stat data, no extensions); only where it is not plainly that of HEAD
//   base/      the tree of HEAD: what the index has like HEAD must not go when the person rewrites history and prunes
//   raw/       bytes as they lay on disk, of files git would write differently (eol, ident, encoding); by running number, with
//              the mode of the file; their paths in the same order in `raw-paths`, each ended by a zero byte
//   st/        blobs only the index names, so that gc keeps them: what is staged, and the three sides of conflicts
//   operation  a merge, cherry-pick or the like that was in progress, as JSON: its kind and git's own files of it
//   empty      the empty blob, which intent-to-add entries name and gc would drop
import type { SnapshotMeta } from '../model/capture.ts'

/** `refs/offshoot/<agent>/<session>/<turn key>/<moment>`: written again when one prompt stops several times. */
export function snapshotRef(meta: Pick<SnapshotMeta, 'agent' | 'sessionId' | 'turnKey' | 'moment'>): string {
  return `${sessionRefs(meta)}${meta.turnKey}/${meta.moment}`
}

/** What all snapshots of a session begin with. */
export function sessionRefs({ agent, sessionId }: Pick<SnapshotMeta, 'agent' | 'sessionId'>): string {
  return `refs/offshoot/${agent}/${sessionId}/`
}

/** States kept before a restore, by its id. */
export const safetyRefs = 'refs/offshoot/safety/'

/** Ids become parts of refs and paths: what does not look like one is refused before it touches either. */
export function isSafeId(id: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9_-]{0,127}$/.test(id)
}

export interface Snapshot {
  readonly ref: string
  /** The object the ref names. */
  readonly id: string
  /** `wt`. */
  readonly tree: string
  readonly meta: SnapshotMeta
}
