// The step that makes the child's workspace, where there is to be one, and opens the folder it starts in.
import { AppError } from '../model/error.ts'
import type { Plan } from '../model/fork.ts'
import type { CodeWish } from '../snapshots/fill-workspace.ts'
import type { CodeOfTurn } from './code.ts'
import type { ForkContext } from './context.ts'
import { choosePush } from './push.ts'
import type { Saga } from './saga.ts'
import { type Seen, seenOf } from './seen.ts'

export interface Place {
  readonly cwd: string
  readonly details: readonly string[]
}

/** `sessionId` null: the agent names the session itself, later. */
export async function makeWorkspace(context: ForkContext, saga: Saga, plan: Plan, sessionId: string | null): Promise<Place> {
  const seen = seenOf(plan)
  const { repository, workspace: wanted } = seen
  if (wanted === null || repository === null) return { cwd: plan.cwd, details: [] }
  const [{ createWorkspace, workspaceOf }, { openStartFolder }] = await Promise.all([
    import('../snapshots/workspace.ts'),
    import('../snapshots/start-folder.ts'),
  ])
  const { id, path, branch, baseCommit } = wanted
  const row = { id, path, branch, baseCommit, commonDir: repository.commonDir, createdAt: context.now(), removedAt: null }
  const undo = { kind: 'workspace' as const, workspace: workspaceOf(repository, wanted), claimed: false }
  const use = { agent: plan.agent, sessionId, keptTurns: turnsOfChild(plan), push: await choosePush(context, repository) }
  const filled = await chooseFilling(context, plan, seen)
  return saga.step('workspace', undo, async (amend) => {
    context.store().workspaces.put({ ...row, made: null })
    const onClaimed = () => {
      amend({ ...undo, claimed: true })
      context.onStep?.('workspace claimed')
    }
    const { report } = await createWorkspace(context.git, repository, wanted, filled.code, onClaimed, use)
    const start = await openStartFolder(path, plan.cwd)
    context.store().workspaces.put({ ...row, made: report.made })
    const differing =
      report.differences.length === 0 ? [] : [`not the same state in the workspace: ${report.differences.join(', ')}`]
    const notes = [...report.notes, ...(start.note === null ? [] : [start.note])]
    return { cwd: start.path, details: [...filled.details, ...differing, ...notes] }
  })
}

/** Once the agent has named the session: its turns are captured under that name. */
export async function nameWorkspaceSession(context: ForkContext, plan: Plan, sessionId: string): Promise<void> {
  const { workspace } = seenOf(plan)
  if (workspace === null) return
  const [{ findRepository }, { amendMarker }] = await Promise.all([
    import('../snapshots/repository.ts'),
    import('../snapshots/workspace-marker.ts'),
  ])
  const { gitDir } = await findRepository(context.git, workspace.path)
  await amendMarker(gitDir, { sessionId })
}

/** A seed is the first turn of its session. */
function turnsOfChild({ strategy, keptTurns }: Plan): number {
  return strategy === 'seed' ? 1 : keptTurns
}

interface Filling {
  readonly code: CodeWish
  /** Said in the proof. */
  readonly details: readonly string[]
}

async function chooseFilling(context: ForkContext, plan: Plan, { atTurn, source }: Seen): Promise<Filling> {
  const { mode } = plan.code
  if (mode === 'now' || mode === 'head') return { code: mode, details: [] }
  if (atTurn === null) throw new AppError('fork_blocked', `--code ${mode} makes no workspace.`)
  const { code } = atTurn
  if (code.snapshot !== null) {
    const details = [`the code is the snapshot ${code.snapshot} of ${code.root}, tree ${code.tree}`]
    return { code: { snapshot: code.snapshot }, details }
  }
  const tree = code.tree ?? (await writeTree(context, `${source.agent}:${source.id}`, atTurn))
  const how = code.kind === 'reconstructed' ? 'put together from recorded edits' : 'of the nearest commit'
  return { code: { tree }, details: [`the code is the tree ${tree}, ${how}, on ${code.baseCommit ?? 'no commit'}`] }
}

async function writeTree(context: ForkContext, address: string, { code, at }: CodeOfTurn): Promise<string> {
  const { session } = await context.catalog.resolve(address)
  return context.snapshots.writeReconstruction(session, at, code.digest ?? '')
}
