// A snapshot, or a note of one, as a row of the captures table.
import type { Capture, SnapshotMeta } from '../model/capture.ts'
import { diffTrees } from '../snapshots/diff-trees.ts'
import type { Git } from '../snapshots/git.ts'

/** A turn that changed more is shown with its first ones. */
export const keptFiles = 1000

export interface Kept {
  readonly commonDir: string
  readonly ref: string
  readonly id: string
  readonly tree: string
}

/** One whose code is there. */
export type KeptCapture = Capture & Record<'commonDir' | 'root' | 'snapshot' | 'tree', string>

export function isKept(capture: Capture): capture is KeptCapture {
  const { commonDir, root, snapshot, tree } = capture
  return commonDir !== null && root !== null && snapshot !== null && tree !== null
}

export function toCapture(meta: SnapshotMeta, kept: Kept | null): Capture {
  const { agent, sessionId, turnKey, moment, turnId, prompt, by, head, branch, commit, startedAt, endedAt, startTree } = meta
  return {
    ...{ agent, sessionId, turnKey, moment, turnId, number: meta.turnNumber, prompt, by },
    commonDir: kept?.commonDir ?? null,
    root: kept === null ? null : meta.root,
    ref: kept?.ref ?? null,
    snapshot: kept?.id ?? null,
    tree: kept?.tree ?? null,
    ...{ head, branch, commit, startedAt, endedAt, startTree },
    files: [],
    added: 0,
    removed: 0,
    notCovered: meta.notCovered,
  }
}

/** Captured or read anew, a row keeps what was found out of its turn meanwhile. */
export function keepFound(capture: Capture, before: Capture | null): Capture {
  return { ...capture, turnId: capture.turnId ?? before?.turnId ?? null, number: capture.number ?? before?.number ?? null }
}

/** With what the turn changed; as it is where that cannot be told (a tree that is gone, no repository). */
export async function withChanges(git: Git, capture: Capture): Promise<Capture> {
  const { moment, commonDir, startTree, tree } = capture
  if (moment !== 'end' || commonDir === null || startTree === null || tree === null || startTree === tree) return capture
  try {
    const { files, added, removed } = await diffTrees(git, commonDir, startTree, tree)
    return { ...capture, files: files.slice(0, keptFiles).map(({ path }) => path), added, removed }
  } catch {
    return capture // the row still says that the turn was captured; nothing else hangs on the counts
  }
}
