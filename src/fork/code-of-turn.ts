// The code as at a turn: what was captured, and where nothing was but it is asked for, the next best, said clearly. Which work
// tree it was taken of does not matter any more: only the repository has to be there.
import { basename, dirname } from 'node:path'
import { isFolder } from '../lib/is-folder.ts'
import type { CodeAtTurn, CodeMoment } from '../model/capture.ts'
import type { CatalogSession } from '../model/catalog.ts'
import { AppError } from '../model/error.ts'
import type { CodeSource, ForkRequest, Notice, WarningCode } from '../model/fork.ts'
import { turnAddress } from '../model/render.ts'
import { showPath } from '../snapshots/byte-path.ts'
import type { WorkTree } from '../snapshots/repository.ts'
import { blocked, type CodePlan, findChildFolder } from './code.ts'
import { leftBehindNotices, lfsNotices, listPaths, submoduleNotices } from './code-warnings.ts'
import type { ForkContext } from './context.ts'
import type { CutPlan } from './cut.ts'
import { planSetup } from './plan-setup.ts'
import { describeState } from './steps.ts'

interface Wanted {
  readonly at: CodeMoment
  readonly number: number | null
  /** The conversation ends inside this very turn. */
  readonly midTurn: boolean
}

/**
 * What may take the place of code that was not captured: nothing (`captured`), the next best where there is one (`preferred`),
 * or else a blocker (`required`).
 */
type Wish = 'captured' | 'preferred' | 'required'

/** The plan, or why there is none. */
export async function planTurnCode(
  context: ForkContext,
  request: ForkRequest,
  cutPlan: CutPlan,
  wish: Wish,
): Promise<CodePlan | { readonly reasons: readonly string[] }> {
  const { session } = cutPlan
  const wanted = await resolveMoment(context, request, cutPlan)
  const captured = await findCaptured(context, session, wanted.at, request.isOpen)
  if (captured !== null) return planWorkspaceOf(context, request, session, wanted, captured)
  if (wish === 'captured') return { reasons: [] }
  const { code, reasons } = await context.snapshots.approximate(session, wanted.at, request.isOpen)
  const hint = await hintOtherTurn(context, cutPlan, wanted, request.isOpen)
  if (code !== null) return planWorkspaceOf(context, request, session, wanted, { code, notes: [] }, { reasons, hint })
  if (wish === 'preferred') return { reasons }
  const state = describeState({ ...wanted.at, turnNumber: wanted.number })
  const why = reasons.length === 0 ? '' : ` (${reasons.join('; ')})`
  const message = `The code ${state} was not captured and cannot be found otherwise${why}.${hint} Use ${context.nameOption('code', 'now')} or ${context.nameOption('code', 'head')}.`
  return blocked(context, session, 'turn', 'code_unavailable', message)
}

/** The nearest turn whose code was captured, at or before the moment if there is one; empty where there is none. */
async function hintOtherTurn(
  context: ForkContext,
  { session, turns }: CutPlan,
  { at, number }: Wanted,
  isOpen: ForkRequest['isOpen'],
): Promise<string> {
  const last = (number ?? 0) - (at.moment === 'start' ? 1 : 0)
  const live = turns.filter((turn) => turn.number !== null)
  const before = live.filter((turn) => (turn.number ?? 0) <= last).reverse()
  for (const turn of [...before, ...live.filter((each) => !before.includes(each))]) {
    const code = await context.snapshots.codeAt(session, { turnId: turn.id, moment: 'end' }, isOpen)
    if (code === null) continue
    return ` ${context.nameOption('code_at', String(turn.number))} takes the code as turn ${turn.number} left it, which was captured.`
  }
  return ''
}

async function resolveMoment(context: ForkContext, { codeAt }: ForkRequest, cutPlan: CutPlan): Promise<Wanted> {
  const { session, turns, code, midTurn } = cutPlan
  if (codeAt === undefined) {
    const number = code.turnId === null ? 0 : (turns.find(({ id }) => id === code.turnId)?.number ?? null)
    return { at: code, number, midTurn }
  }
  const { turn } = await context.catalog.resolve(turnAddress(session, { number: null, id: codeAt.replace(/^@/, '') }))
  if (turn === null || codeAt.replace(/^@/, '').startsWith('m:')) {
    throw new AppError('usage', `${context.nameOption('code_at')} takes a turn, not "${codeAt}".`)
  }
  const at = turn.number === 0 ? ({ turnId: null, moment: 'start' } as const) : ({ turnId: turn.id, moment: 'end' } as const)
  return { at, number: turn.number, midTurn: false }
}

interface Found {
  readonly code: CodeAtTurn
  readonly notes: readonly string[]
}

/** The table may know more than the repository still has, and the repository may be gone. */
async function findCaptured(
  context: ForkContext,
  session: CatalogSession,
  at: CodeMoment,
  isOpen: ForkRequest['isOpen'],
): Promise<Found | null> {
  const code = await context.snapshots.codeAt(session, at, isOpen)
  if (code === null || code.snapshot === null || !isFolder(code.commonDir)) return null
  const [{ readSnapshot }, { findSnapshotBase }] = await Promise.all([
    import('../snapshots/read-snapshot.ts'),
    import('../snapshots/open-snapshot.ts'),
  ])
  const snapshot = await readSnapshot(context.git, code.commonDir, code.snapshot)
  if (snapshot === null) return null
  const base = await findSnapshotBase(context.git, code.commonDir, snapshot)
  const { tree, meta } = snapshot
  return {
    code: { ...code, tree, baseCommit: base.commit, notCovered: meta.notCovered },
    notes: base.note === null ? [] : [base.note],
  }
}

/** Of code that was not captured: why it is no better, and what else can be had. */
interface Approximated {
  readonly reasons: readonly string[]
  readonly hint: string
}

async function planWorkspaceOf(
  context: ForkContext,
  request: ForkRequest,
  session: CatalogSession,
  wanted: Wanted,
  { code, notes }: Found,
  approximated: Approximated = { reasons: [], hint: '' },
): Promise<CodePlan> {
  const [{ findRepository }, { planWorkspace }] = await Promise.all([
    import('../snapshots/repository.ts'),
    import('../snapshots/workspace-plan.ts'),
  ])
  const repository = await findRepository(context.git, code.commonDir)
  const workspace = await planWorkspace(context.git, repository, {
    worktreesRoot: await context.worktreesRoot(),
    baseCommit: code.baseCommit,
    ...(request.branch === undefined ? {} : { branch: request.branch }),
  })
  const from: CodeSource = { ...wanted.at, kind: code.kind, turnNumber: wanted.number, tree: code.tree }
  const extras = await planExtras(context, session, code)
  const { setup, warnings: setupWarnings } = await planSetup(context, {
    repository,
    roots: [code.root, ...(extras.from === null ? [] : [extras.from.root])],
  })
  const notices = [...noticesOf(from, wanted, code, approximated), ...extras.notices, ...setupWarnings]
  const tree = await describeTree(context, code)
  return {
    code: { ...tree, ...extras.code, leftBehind: [...tree.leftBehind, ...extras.leftBehind], from },
    workspace,
    repository,
    extrasFrom: extras.from,
    setup,
    fingerprint: null,
    atTurn: { code, at: wanted.at },
    cwd: await findChildFolder(context, session, workspace.path, code.root),
    warnings: [...notices, ...[...notes, ...workspace.notes].map((message) => ({ code: 'workspace' as const, message }))],
    confirm: isNearest(code) ? ['code_approximate'] : code.needsYes ? ['code_reconstructed'] : [],
    blockers: [],
  }
}

/** Which files will show as changed or untracked in the workspace. */
async function describeTree(context: ForkContext, code: CodeAtTurn) {
  const { changed, untracked } = await listOpen(context, code)
  const leftBehind = code.notCovered.map(({ path }) => path)
  return { mode: 'turn' as const, commit: code.baseCommit, dirtyFiles: changed, untracked, leftBehind }
}

async function listOpen({ git }: ForkContext, { commonDir, baseCommit, snapshot, tree }: CodeAtTurn) {
  const [{ compareTrees, listOpenFiles }, { findMissing }] = await Promise.all([
    import('../snapshots/list-open-files.ts'),
    import('../snapshots/read-objects.ts'),
  ])
  if (snapshot !== null) return listOpenFiles(git, commonDir, snapshot)
  const nothing = { changed: [], untracked: [] }
  if (tree === null || baseCommit === null) return nothing
  // A base that is lost is written, from the same files, only when the fork is made.
  return (await findMissing(git, commonDir, [baseCommit])).length > 0 ? nothing : compareTrees(git, commonDir, baseCommit, tree)
}

/** What no snapshot holds comes from a work tree of the repository as it is now: ignored files, and submodules' repositories. */
async function planExtras(context: ForkContext, session: CatalogSession, code: CodeAtTurn) {
  const { git } = context
  const from = await findSource(context, session, code)
  const { findSubmodules, listTreeLinks } = await import('../snapshots/find-submodules.ts')
  const { readCodeState } = await import('../snapshots/code-state.ts')
  const treeish = code.tree ?? code.baseCommit
  const [state, submodules] = await Promise.all([
    from === null ? null : readCodeState(git, from.root),
    treeish === null
      ? { ready: [], empty: [] }
      : listTreeLinks(git, code.commonDir, treeish).then((links) => findSubmodules(git, from, links)),
  ])
  const ignored = state?.leftBehind.filter(({ reason }) => reason === 'ignored') ?? []
  const empty = submodules.empty.map(({ path }) => `${showPath(path)}/`)
  return {
    from,
    code: { included: state?.included ?? [], submodules: submodules.ready.map(({ path }) => showPath(path)) },
    leftBehind: [...empty, ...ignored.map(({ path }) => path)],
    notices: [
      ...submoduleNotices(submodules),
      ...lfsNotices('turn', { lfs: state?.lfs ?? false }),
      ...leftBehindNotices(ignored),
    ],
  }
}

/** The work tree the code was taken of, else another one of the repository; `null`: there is none. */
async function findSource(
  context: ForkContext,
  session: CatalogSession,
  { root, commonDir }: CodeAtTurn,
): Promise<WorkTree | null> {
  const { findRepositoryIfAny } = await import('../snapshots/repository.ts')
  const main = basename(commonDir) === '.git' ? [dirname(commonDir)] : []
  for (const folder of [root, context.cwd, session.cwd, ...main]) {
    const found = folder === null || !isFolder(folder) ? null : await findRepositoryIfAny(context.git, folder)
    if (found !== null && found.root !== null && found.commonDir === commonDir) return { ...found, root: found.root }
  }
  return null
}

function isNearest({ kind }: CodeAtTurn): boolean {
  return kind === 'nearest_snapshot' || kind === 'nearest_commit'
}

function noticesOf(
  from: CodeSource,
  { midTurn }: Wanted,
  code: CodeAtTurn,
  { reasons, hint }: Approximated,
): Notice<WarningCode>[] {
  const notices: Notice<WarningCode>[] = []
  const state = describeState(from)
  const note = code.note === null ? '' : ` ${code.note}`
  const why = reasons.length === 0 ? '' : ` Why: ${reasons.join('; ')}.`
  switch (code.kind) {
    case 'late':
      notices.push({ code: 'code_late', message: code.note ?? `The code ${state} was captured later than that.` })
      break
    case 'reconstructed':
      notices.push({
        code: 'code_reconstructed',
        message: `The code ${state} was not captured; it is put together anew.${note}${why}`,
      })
      break
    case 'nearest_snapshot':
    case 'nearest_commit': {
      const nearest = code.kind === 'nearest_snapshot' ? 'nearest snapshot' : 'nearest commit'
      const message = `The code ${state} was not captured; the ${nearest} takes its place and may differ from it.${note}${why}${hint}`
      notices.push({ code: 'code_approximate', message })
      break
    }
    case 'snapshot':
  }
  if (midTurn) notices.push({ code: 'code_late', message: `The fork ends inside the turn; its code is ${state}.` })
  if (code.notCovered.length > 0) {
    const paths = listPaths(code.notCovered.map(({ path, reason }) => `${path} (${reason.replaceAll('_', ' ')})`))
    notices.push({ code: 'left_behind', message: `Not in the captured code: ${paths}.` })
  }
  return notices
}
