// The present state of a work tree, kept under a ref of its own before anything is written over it; and the lock around that.
import { createHash } from 'node:crypto'
import type { NotCovered } from '../model/capture.ts'
import { AppError } from '../model/error.ts'
import type { AgentId } from '../model/session.ts'
import { deleteSnapshots } from '../snapshots/collect-garbage.ts'
import { readSnapshot } from '../snapshots/read-snapshot.ts'
import type { WorkTree } from '../snapshots/repository.ts'
import { safetyRefs } from '../snapshots/snapshot.ts'
import { withLock } from '../store/lock.ts'
import { withScratchIndex } from './code-side.ts'
import type { CaptureContext } from './context.ts'

export interface KeptState {
  readonly tree: string
  /** Object of the snapshot. */
  readonly snapshot: string
  readonly notCovered: readonly NotCovered[]
}

export async function keepPresent(
  context: CaptureContext,
  workTree: WorkTree,
  ref: string,
  { agent, sessionId }: { readonly agent: AgentId; readonly sessionId: string },
  why: string,
): Promise<KeptState> {
  const { takeSnapshot } = await import('../snapshots/take-snapshot.ts')
  const maxFileBytes = await context.maxFileBytes()
  const meta = {
    agent,
    sessionId,
    moment: 'end' as const,
    turnKey: ref.slice(safetyRefs.length),
    turnId: null,
    turnNumber: null,
    prompt: why,
    by: 'hook' as const,
    startedAt: null,
    endedAt: context.now(),
    startTree: null,
  }
  const { snapshot } = await withScratchIndex(context, (index) =>
    takeSnapshot(context.git, { workTree, index, meta, maxFileBytes, ref }),
  )
  return { tree: snapshot.tree, snapshot: snapshot.id, notCovered: snapshot.meta.notCovered }
}

export async function dropRef(context: CaptureContext, commonDir: string, ref: string): Promise<void> {
  const kept = await readSnapshot(context.git, commonDir, ref)
  if (kept !== null) await deleteSnapshots(context.git, commonDir, [kept], context.now())
}

/**
 * Held while a restore or its undo is at work in a work tree: two at once would write over each other, and keep each other's half
 * as the state before. The system gives it back when its holder dies. `null`: another is at it.
 */
export function withWorkTreeLock<T>(context: CaptureContext, root: string, work: () => Promise<T>): Promise<T | null> {
  const name = createHash('sha256').update(root).digest('hex').slice(0, 16)
  return withLock(context.folder, `restore-${name}`, work, { keepFile: true })
}

export async function inWorkTree<T>(context: CaptureContext, root: string, work: () => Promise<T>): Promise<T> {
  const done = await withWorkTreeLock(context, root, async () => ({ value: await work() }))
  if (done !== null) return done.value
  throw new AppError('busy', `Another restore or undo is at work in ${root}.`, { hint: 'Try again in a moment.' })
}
