// The step that makes the child's workspace, where there is to be one, and opens the folder it starts in.
import { AppError } from '../model/error.ts'
import type { Plan } from '../model/fork.ts'
import type { ForkContext } from './context.ts'
import type { Saga } from './saga.ts'
import { seenOf } from './seen.ts'

export interface Place {
  readonly cwd: string
  readonly details: readonly string[]
}

export async function makeWorkspace(context: ForkContext, saga: Saga, plan: Plan): Promise<Place> {
  const { repository, workspace: wanted } = seenOf(plan)
  if (wanted === null || repository === null) return { cwd: plan.cwd, details: [] }
  const mode = plan.code.mode
  if (mode !== 'now' && mode !== 'head') throw new AppError('fork_blocked', `--code ${mode} makes no workspace yet.`)
  const [{ createWorkspace, workspaceOf }, { openStartFolder }] = await Promise.all([
    import('../snapshots/workspace.ts'),
    import('../snapshots/start-folder.ts'),
  ])
  const { id, path, branch, baseCommit } = wanted
  const row = { id, path, branch, baseCommit, commonDir: repository.commonDir, createdAt: context.now(), removedAt: null }
  const undo = { kind: 'workspace' as const, workspace: workspaceOf(repository, wanted), claimed: false }
  return saga.step('workspace', undo, async (amend) => {
    context.store().workspaces.put({ ...row, made: null })
    const { report } = await createWorkspace(context.git, repository, wanted, mode, () => {
      amend({ ...undo, claimed: true })
      context.onStep?.('workspace claimed')
    })
    const start = await openStartFolder(path, plan.cwd)
    context.store().workspaces.put({ ...row, made: report.made })
    const differing =
      report.differences.length === 0 ? [] : [`not the same state in the workspace: ${report.differences.join(', ')}`]
    return { cwd: start.path, details: [...differing, ...(start.note === null ? [] : [start.note])] }
  })
}
