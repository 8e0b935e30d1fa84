// The code half of a plan: which work tree is meant, what of it comes along, where the workspace and the child's folder go.
import { isFolder } from '../lib/is-folder.ts'
import type { CodeAtTurn, CodeMoment } from '../model/capture.ts'
import type { CatalogSession } from '../model/catalog.ts'
import { AppError } from '../model/error.ts'
import type { BlockerCode, CodeMode, ForkRequest, Notice, Plan, SetupPlan, WarningCode } from '../model/fork.ts'
import { showPath } from '../snapshots/byte-path.ts'
import type { CodeState } from '../snapshots/code-state.ts'
import type { Submodules } from '../snapshots/find-submodules.ts'
import type { Fingerprint } from '../snapshots/fingerprint.ts'
import type { Repository, WorkTree } from '../snapshots/repository.ts'
import type { WorkspacePlan } from '../snapshots/workspace-plan.ts'
import { codeWarnings } from './code-warnings.ts'
import type { ForkContext } from './context.ts'
import type { CutPlan } from './cut.ts'
import { planSetup } from './plan-setup.ts'
import { describeState } from './steps.ts'

export interface CodePlan {
  readonly code: Plan['code']
  readonly workspace: WorkspacePlan | null
  /** The repository the workspace is made from. */
  readonly repository: Repository | null
  /** The work tree submodules and ignored files come from. */
  readonly extrasFrom: WorkTree | null
  readonly setup: SetupPlan | null
  readonly fingerprint: Fingerprint | null
  /** Of mode `turn`: the state the workspace is filled with. */
  readonly atTurn: CodeOfTurn | null
  readonly cwd: string
  readonly warnings: readonly Notice<WarningCode>[]
  readonly confirm: readonly WarningCode[]
  readonly blockers: readonly Notice<BlockerCode>[]
}

export interface CodeOfTurn {
  readonly code: CodeAtTurn
  readonly at: CodeMoment
}

export async function planCode(context: ForkContext, request: ForkRequest, cutPlan: CutPlan): Promise<CodePlan> {
  const { session } = cutPlan
  const wanted = wantedMode(context, request)
  if (wanted === 'none') return planInPlace(context, session, request)
  const earlier = isEarlier(cutPlan)
  let reasons: readonly string[] = []
  if (wanted === 'turn' || wanted === undefined) {
    const { planTurnCode } = await import('./code-of-turn.ts')
    const plan = await planTurnCode(
      context,
      request,
      cutPlan,
      wanted === 'turn' ? 'required' : earlier ? 'preferred' : 'captured',
    )
    if ('code' in plan) return plan
    reasons = plan.reasons
  }
  const mode = wanted ?? 'now'
  const place = await findWorkTree(context, session)
  if ('blocker' in place) return blocked(context, session, mode, place.blocker.code, place.blocker.message)
  const { readCodeState } = await import('../snapshots/code-state.ts')
  const state = await readCodeState(context.git, place.folder)
  const { repository } = state
  if (mode === 'now' && repository.root === null) {
    const message = `${repository.gitDir} is a bare repository without a present state to carry; use ${context.nameOption('code', 'head')}.`
    return blocked(context, session, mode, 'no_work_tree', message)
  }
  const { planWorkspace } = await import('../snapshots/workspace-plan.ts')
  const workspace = await planWorkspace(context.git, repository, {
    worktreesRoot: await context.worktreesRoot(),
    baseCommit: state.commit,
    ...(request.branch === undefined ? {} : { branch: request.branch }),
  })
  const late = mode === 'now' && earlier ? [lateNotice(cutPlan, reasons)] : []
  const [submodules, { setup, warnings: setupWarnings }] = await Promise.all([
    readSubmodules(context, mode, state),
    planSetup(context, { repository, roots: repository.root === null ? [] : [repository.root] }),
  ])
  const { warnings, confirm } = codeWarnings(mode, state, submodules, context.nameOption)
  const notes = [...workspace.notes, ...(place.note === null ? [] : [place.note])]
  return {
    code: describeCode(mode, state, submodules),
    workspace,
    repository,
    extrasFrom: workTreeOf(repository),
    setup,
    fingerprint: state.fingerprint,
    atTurn: null,
    cwd: await findChildFolder(context, session, workspace.path),
    warnings: [
      ...late,
      ...warnings,
      ...setupWarnings,
      ...notes.map((message) => ({ code: noteCode(place.note, message), message })),
    ],
    confirm: [...late.map(({ code }) => code), ...confirm],
    blockers: [],
  }
}

/** Whether the work tree as it is now may hold what came after the end of the fork. */
function isEarlier({ turns, code, midTurn }: CutPlan): boolean {
  const last = turns.findLast(({ number }) => number !== null)
  return last !== undefined && (midTurn || code.turnId !== last.id || code.moment !== 'end')
}

function lateNotice({ turns, code }: CutPlan, reasons: readonly string[]): Notice<WarningCode> {
  const turnNumber = turns.find(({ id }) => id === code.turnId)?.number ?? null
  const why = reasons.length === 0 ? '' : `, which was not captured (${reasons.join('; ')})`
  const message = `The fork takes the work tree as it is now, not the code ${describeState({ ...code, turnNumber })}${why}.`
  return { code: 'code_now', message }
}

/** `undefined`: as at the turn where that can be found, else as it is now. */
function wantedMode({ nameOption }: ForkContext, { code, codeAt }: ForkRequest): CodeMode | undefined {
  if (codeAt === undefined) return code
  if (code !== undefined && code !== 'turn')
    throw new AppError('usage', `${nameOption('code_at')} names a turn; it cannot be used with ${nameOption('code', code)}.`)
  return 'turn'
}

function noteCode(elsewhere: string | null, message: string): WarningCode {
  return message === elsewhere ? 'code_elsewhere' : 'workspace'
}

export function describeCode(mode: CodeMode, state: CodeState, { ready, empty }: Submodules): Plan['code'] {
  return {
    mode,
    commit: state.commit,
    dirtyFiles: state.dirtyFiles.map(({ path }) => path),
    untracked: state.untracked,
    leftBehind: [...empty.map(({ path }) => `${showPath(path)}/`), ...state.leftBehind.map(({ path }) => path)],
    included: state.included,
    submodules: ready.map(({ path }) => showPath(path)),
  }
}

/** Those of the state a workspace gets, `now` or `head`. */
export async function readSubmodules(
  { git }: ForkContext,
  mode: CodeMode,
  { repository, commit, submodules }: CodeState,
): Promise<Submodules> {
  const from = workTreeOf(repository)
  const { findSubmodules, listPresentLinks, listTreeLinks } = await import('../snapshots/find-submodules.ts')
  if (mode === 'now')
    return findSubmodules(git, from, from === null || submodules.length === 0 ? [] : await listPresentLinks(git, from))
  return findSubmodules(git, from, commit === null ? [] : await listTreeLinks(git, repository.commonDir, commit))
}

function workTreeOf(repository: Repository): WorkTree | null {
  const { root } = repository
  return root === null ? null : { ...repository, root }
}

type Place = { readonly folder: string; readonly note: string | null } | { readonly blocker: Notice<BlockerCode> }

/** The work tree one stands in if it belongs to the session's repository, else the session's own directory. */
async function findWorkTree(context: ForkContext, session: CatalogSession): Promise<Place> {
  const standing = await context.catalog.repositoryOf(context.cwd).catch(withoutGit)
  const here = session.repoId !== null && standing?.id === session.repoId
  const own = session.cwd !== null && isFolder(session.cwd) ? session.cwd : null
  if (here) {
    const { findRepositoryIfAny } = await import('../snapshots/repository.ts')
    const [ownTree, hereTree] = await Promise.all([
      own === null ? null : findRepositoryIfAny(context.git, own),
      findRepositoryIfAny(context.git, context.cwd),
    ])
    const other = own === null || ownTree?.gitDir !== hereTree?.gitDir
    const note = other ? `The code comes from ${hereTree?.root ?? context.cwd}, where you stand, not from ${session.cwd}.` : null
    return { folder: context.cwd, note }
  }
  if (own === null) {
    const where = session.cwd === null ? 'The session names no folder' : `The session's folder ${session.cwd} is gone`
    const code = session.repoId === null ? 'no_git' : 'no_work_tree'
    return {
      blocker: {
        code,
        message: `${where}, and you are not in its repository; go there, or use ${context.nameOption('code', 'none')}.`,
      },
    }
  }
  const repository = await context.catalog.repositoryOf(own).catch(withoutGit)
  if (repository !== null) return { folder: own, note: null }
  return {
    blocker: {
      code: 'no_git',
      message: `${own} is not in a git repository; only ${context.nameOption('code', 'none')} works there.`,
    },
  }
}

function withoutGit(error: unknown): null {
  if (error instanceof AppError && (error.code === 'tool_missing' || error.code === 'repo_not_found')) return null
  throw error
}

/** The same folder relative to the root, also where the session ran in another work tree of the repository, or in one of ours that is gone. */
export async function findChildFolder(
  context: ForkContext,
  session: CatalogSession,
  childRoot: string,
  knownRoot: string | null = null,
): Promise<string> {
  const { cwd } = session
  if (cwd === null) return childRoot
  const [{ mapFolder }, { findRepositoryIfAny }] = await Promise.all([
    import('../snapshots/start-folder.ts'),
    import('../snapshots/repository.ts'),
  ])
  const repository = isFolder(cwd) ? await findRepositoryIfAny(context.git, cwd) : null
  const remembered = context
    .store()
    .workspaces.all()
    .find(({ path }) => cwd === path || cwd.startsWith(`${path}/`))
  const known = knownRoot !== null && (cwd === knownRoot || cwd.startsWith(`${knownRoot}/`)) ? knownRoot : null
  const root = repository?.root ?? remembered?.path ?? known ?? session.repoRoot
  return root === null ? childRoot : mapFolder(root, cwd, childRoot)
}

async function planInPlace(context: ForkContext, session: CatalogSession, request: ForkRequest): Promise<CodePlan> {
  if (request.branch !== undefined)
    throw new AppError('usage', `${context.nameOption('branch')} needs a workspace, and this fork runs in place.`)
  const plan = { ...nothing('none'), cwd: session.cwd ?? context.cwd }
  if (session.cwd !== null && isFolder(session.cwd)) return plan
  const elsewhere = (why: string): CodePlan => {
    const message = `${why}; the fork starts in ${context.cwd}.`
    return { ...plan, cwd: context.cwd, warnings: [{ code: 'code_elsewhere', message }] }
  }
  // The first versions of Codex did not record it.
  if (session.cwd === null) return elsewhere('The session names no folder')
  const standing = await context.catalog.repositoryOf(context.cwd).catch(withoutGit)
  if (session.repoId !== null && standing?.id === session.repoId) return elsewhere(`The session's folder ${session.cwd} is gone`)
  const message = `The session's folder ${session.cwd} is gone; there is nowhere to start.`
  return { ...plan, blockers: [{ code: 'cwd_missing', message }] }
}

export function blocked(
  context: ForkContext,
  session: CatalogSession,
  mode: CodeMode,
  code: BlockerCode,
  message: string,
): CodePlan {
  return { ...nothing(mode), cwd: session.cwd ?? context.cwd, blockers: [{ code, message }] }
}

function nothing(mode: CodeMode): Omit<CodePlan, 'cwd'> {
  return {
    code: { mode, commit: null, dirtyFiles: [], untracked: [], leftBehind: [], included: [], submodules: [] },
    workspace: null,
    repository: null,
    extrasFrom: null,
    setup: null,
    fingerprint: null,
    atTurn: null,
    warnings: [],
    confirm: [],
    blockers: [],
  }
}
