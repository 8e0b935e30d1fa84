// The step that makes the child's workspace, where there is to be one, and opens the folder it starts in.
import type { CodeAtTurn } from '../model/capture.ts'
import type { Plan } from '../model/fork.ts'
import type { CodeWish } from '../snapshots/fill-workspace.ts'
import type { Repository, WorkTree } from '../snapshots/repository.ts'
import type { WorkspaceUse } from '../snapshots/workspace-marker.ts'
import type { WorkspacePlan } from '../snapshots/workspace-plan.ts'
import type { CodeOfTurn } from './code.ts'
import type { ForkContext } from './context.ts'
import { choosePush } from './push.ts'
import type { Saga } from './saga.ts'
import { type Seen, seenOf } from './seen.ts'

export interface Place {
  readonly cwd: string
  readonly details: readonly string[]
  /** How the workspace differs from what was planned. */
  readonly notes: readonly string[]
}

/** `sessionId` null: the agent names the session itself, later. */
export async function makeWorkspace(context: ForkContext, saga: Saga, plan: Plan, sessionId: string | null): Promise<Place> {
  const seen = seenOf(plan)
  const { repository, workspace } = seen
  if (workspace === null || repository === null) return { cwd: plan.cwd, details: [], notes: [] }
  const use = { agent: plan.agent, sessionId, keptTurns: turnsOfChild(plan), push: await choosePush(context, repository) }
  const { code, details } = await chooseFilling(context, plan, seen)
  const wish = { repository, workspace, extrasFrom: seen.extrasFrom, code, use, cwd: plan.cwd }
  const { notes, emptySubmodules, start } = await openWorkspace(context, saga, wish)
  const told = new Set(plan.warnings.map(({ message }) => message))
  const unplanned = notes.filter((note) => !told.has(note))
  return { cwd: start.path, details: [...details, ...notes, ...emptySubmodules], notes: unplanned }
}

interface WorkspaceWish {
  readonly repository: Repository
  readonly workspace: WorkspacePlan
  /** The work tree submodules and ignored files come from; absent: the repository's own. */
  readonly extrasFrom?: WorkTree | null
  readonly code: CodeWish
  readonly use: WorkspaceUse
  /** Where the session is to start: opened in the workspace, as far as it is there. */
  readonly cwd: string
}

/** The step itself, of a fork and of a session started afresh. */
export async function openWorkspace(context: ForkContext, saga: Saga, wish: WorkspaceWish) {
  const { repository, workspace, extrasFrom, code, use, cwd } = wish
  const extras = extrasFrom === undefined ? {} : { extrasFrom }
  const [{ createWorkspace, workspaceOf }, { notedGit }, { openStartFolder }] = await Promise.all([
    import('../snapshots/workspace.ts'),
    import('../snapshots/noted-git.ts'),
    import('../snapshots/start-folder.ts'),
  ])
  const { id, path, branch, baseCommit } = workspace
  const row = { id, path, branch, baseCommit, commonDir: repository.commonDir, createdAt: context.now(), removedAt: null }
  const undo = { kind: 'workspace' as const, workspace: workspaceOf(repository, workspace), claimed: false }
  return saga.step('workspace', undo, async (amend) => {
    context.store().workspaces.put({ ...row, made: null })
    const onClaimed = () => {
      amend({ ...undo, claimed: true })
      context.onStep?.('workspace claimed')
    }
    const git = notedGit(context.git, context.folder)
    const { report } = await createWorkspace(git, repository, workspace, code, { ...extras, onClaimed, use })
    const start = await openStartFolder(path, cwd)
    context.store().workspaces.put({ ...row, made: report.made })
    const differing =
      report.differences.length === 0 ? [] : [`Not the same state in the workspace: ${report.differences.join(', ')}.`]
    const notes = [...differing, ...report.notes, ...(start.note === null ? [] : [start.note])]
    return { notes, emptySubmodules: report.emptySubmodules, start }
  })
}

/** Once the agent has named the session: its turns are captured under that name. */
export async function nameWorkspaceSession(context: ForkContext, path: string, sessionId: string): Promise<void> {
  const [{ findRepository }, { amendMarker }] = await Promise.all([
    import('../snapshots/repository.ts'),
    import('../snapshots/workspace-marker.ts'),
  ])
  const { gitDir } = await findRepository(context.git, path)
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

const origins: Readonly<Record<CodeAtTurn['kind'], string>> = {
  snapshot: 'of its snapshot',
  late: 'of its snapshot',
  reconstructed: 'put together anew',
  nearest_snapshot: 'of the nearest snapshot',
  nearest_commit: 'of the nearest commit',
}

async function chooseFilling(context: ForkContext, plan: Plan, { atTurn, source }: Seen): Promise<Filling> {
  const { mode } = plan.code
  if (mode === 'now' || mode === 'head') return { code: mode, details: [] }
  if (atTurn === null) throw new Error(`code "${mode}" makes no workspace`)
  const { code } = atTurn
  if (code.snapshot !== null) {
    const details = [`the code is the snapshot ${code.snapshot} of ${code.root}, tree ${code.tree}`]
    return { code: { snapshot: code.snapshot }, details }
  }
  const tree = code.tree ?? (await writeTree(context, `${source.agent}:${source.id}`, atTurn))
  return {
    code: { tree },
    details: [`the code is the tree ${tree}, ${origins[code.kind]}, on ${code.baseCommit ?? 'no commit'}`],
  }
}

async function writeTree(context: ForkContext, address: string, { code, at }: CodeOfTurn): Promise<string> {
  const { session } = await context.catalog.resolve(address)
  return context.snapshots.writeReconstruction(session, at, code.digest ?? '')
}
