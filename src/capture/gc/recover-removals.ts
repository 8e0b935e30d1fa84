// Carries through the removal of a workspace that a garbage collection was cut off in. One that a fork or its undo began is in the
// journal, and theirs.
import { errorMessage } from '../../lib/error-message.ts'
import type { CutOff, Recovered, RecoverReport } from '../../model/fork.ts'
import { isBeingRemoved } from '../../snapshots/workspace-remove.ts'
import type { WorkspaceRecord } from '../../store/workspaces.ts'
import type { CaptureContext } from '../context.ts'
import { withGarbage } from './gc.ts'
import { findWorkspaceGarbage } from './workspaces.ts'

export async function recoverRemovals(context: CaptureContext, workspaces: readonly WorkspaceRecord[]): Promise<RecoverReport> {
  const completed: Recovered[] = []
  const problems: (CutOff & { problem: string })[] = []
  const begun: WorkspaceRecord[] = []
  for (const workspace of workspaces) if (await isBeingRemoved(workspace)) begun.push(workspace)
  if (begun.length > 0) {
    // `null`: another process collects garbage just now, and may be the one that removes it.
    await withGarbage(context, { force: false, all: true }, async (gc) => {
      for (const workspace of begun) await carryThrough(workspace, () => findWorkspaceGarbage(gc, [workspace]))
    })
  }
  return { completed, rolledBack: [], undone: [], problems }

  async function carryThrough({ id, branch }: WorkspaceRecord, find: () => ReturnType<typeof findWorkspaceGarbage>) {
    const cutOff: CutOff = { id, kind: 'removal', title: branch }
    try {
      const [finding] = await find()
      if (finding?.remove == null) return
      await finding.remove()
      completed.push({ ...cutOff, notes: [] })
    } catch (error) {
      problems.push({ ...cutOff, problem: errorMessage(error) })
    }
  }
}
