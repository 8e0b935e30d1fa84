// Brings files back as a turn left them: a preview, a snapshot of the present state, then only the named or touched paths. Each
// restore is written down before it begins; what is cut off is brought back by the next one, and `undo` brings back any.
import type { RestorePlan, RestoreRequest, RestoreResult } from '../model/capture.ts'
import { AppError } from '../model/error.ts'
import type { AgentId, Turn } from '../model/session.ts'
import { listTreeChanges } from '../snapshots/diff-trees.ts'
import { findLeftOut } from '../snapshots/left-out.ts'
import { notedGit } from '../snapshots/noted-git.ts'
import { findRepositoryIfAny, type WorkTree } from '../snapshots/repository.ts'
import { type OnRestored, restoreFiles } from '../snapshots/restore-files.ts'
import { planRestore as planFiles } from '../snapshots/restore-plan.ts'
import { makeShortId } from '../snapshots/short-id.ts'
import { safetyRefs } from '../snapshots/snapshot.ts'
import type { RestoreRecord } from '../store/restores.ts'
import { placePaths } from './asked-paths.ts'
import { refuseBusy } from './busy-agent.ts'
import { type CodeSide, findSide, findWorkTree, readPresent } from './code-side.ts'
import type { CaptureContext } from './context.ts'
import { afterFailure } from './restore-failed.ts'
import { inWorkTree, keepPresent } from './safety.ts'
import { findTouched } from './touched.ts'
import { withSnapshots } from './turn-snapshots.ts'
import { refuseUnknown } from './unknown-paths.ts'

interface Seen {
  readonly version: 1
  readonly address: string
  readonly root: string
  readonly commonDir: string
  /** The present state when the plan was made. */
  readonly from: string
  readonly to: string
  readonly snapshot: string | null
  /** Of the session it was captured in. */
  readonly agent: AgentId
  readonly sessionId: string
}

/** What would be changed, and what would not be. Pure reading, but for objects that no ref names. */
export async function planRestore(context: CaptureContext, request: RestoreRequest): Promise<RestorePlan> {
  if (request.address === 'now') throw new AppError('usage', '`now` is how it is already; name a turn to restore.')
  if (request.all === true && (request.paths?.length ?? 0) > 0) {
    throw new AppError('usage', `Name paths, or use ${context.nameOption('all')}; not both.`)
  }
  const target = await findSide(context, request.address)
  if (target.session === null) throw new AppError('usage', `${request.address} names no turn.`)
  const { workTree, paths, refused, notes } = await choosePaths(context, request, target)
  const present = await readPresent(context, workTree)
  const seen: Seen = {
    version: 1,
    address: target.name,
    root: workTree.root,
    commonDir: workTree.commonDir,
    from: present.tree,
    to: target.tree,
    snapshot: target.snapshot,
    agent: target.session.agent,
    sessionId: target.session.id,
  }
  const nothing: RestorePlan = { root: workTree.root, changes: [], refused, warnings: notes, seen }
  if (paths.length === 0) return nothing
  const wanted = await planFiles(context.git, workTree, present, { tree: target.tree, snapshot: target.snapshot }, paths)
  const plan = (request.paths?.length ?? 0) === 0 ? await withoutLeftOut(context, wanted) : wanted
  const same = (request.paths?.length ?? 0) === 0 ? [] : findSame(paths, plan)
  await refuseUnknown(context.git, workTree.commonDir, target.tree, same)
  const told = same.map((name) => `${name} is the same in both states.`)
  const missing =
    plan.changes.length === 0
      ? []
      : target.notCovered
          .filter(({ path }) => !plan.refused.some((each) => each.path === path))
          .map(({ path, reason }) => `${path} was not captured then (${reason}).`)
  return { ...plan, refused: [...refused, ...plan.refused], warnings: [...notes, ...told, ...missing], seen }
}

/** A sparse checkout leaves files out by the user's wish: without being named, none of them is put on disk. */
async function withoutLeftOut({ git }: CaptureContext, plan: RestorePlan): Promise<RestorePlan> {
  if (plan.changes.length === 0) return plan
  const leftOut = await findLeftOut(
    git,
    plan.root,
    plan.changes.map(({ path }) => path),
  )
  const reason = 'the sparse checkout leaves it out; name it to restore it'
  return {
    ...plan,
    changes: plan.changes.filter(({ path }) => !leftOut.has(path)),
    refused: [...plan.refused, ...[...leftOut].map((path) => ({ path, reason }))],
  }
}

/** Of the named paths, those nothing would happen to. */
function findSame(paths: readonly string[], { changes, refused }: RestorePlan): string[] {
  const differ = [...changes, ...refused].map(({ path }) => path)
  return paths.filter((name) => name !== '.' && !differ.some((path) => path === name || path.startsWith(`${name}/`)))
}

interface Chosen {
  readonly workTree: WorkTree
  /** Empty: nothing. */
  readonly paths: readonly string[]
  readonly refused: RestorePlan['refused']
  readonly notes: readonly string[]
}

/** Named paths mean the work tree one stands in, if it is of this repository; what a session touched is where it ran. */
async function choosePaths(context: CaptureContext, { paths = [], all }: RestoreRequest, target: CodeSide): Promise<Chosen> {
  const here = await findRepositoryIfAny(context.git, context.cwd)
  const stands = here !== null && here.root !== null && here.commonDir === target.commonDir ? { ...here, root: here.root } : null
  if (all === true || paths.length > 0) {
    const workTree = stands ?? (await openRoot(context, target.root))
    const base = stands === null ? workTree.root : context.cwd
    const elsewhere =
      workTree.root === target.root
        ? []
        : [`The turn ran in ${target.root}; the files are restored in ${workTree.root}, where you stand.`]
    const placed = all === true ? ['.'] : await placePaths(workTree.root, base, paths)
    return { workTree, paths: placed, refused: [], notes: elsewhere }
  }
  const workTree = await openRoot(context, target.root)
  const { paths: touched, refused } = await findTouched(context, target)
  const there =
    stands !== null && stands.root !== workTree.root ? [`The session ran in ${workTree.root}: its files are restored there.`] : []
  return { workTree, paths: touched, refused, notes: [...there, ...(await noteUnknown(context, target))] }
}

/** What a turn changed that nobody captured is not among what is known to be touched: said, not passed over. */
async function noteUnknown({ catalog, store, nameOption }: CaptureContext, { session, turn }: CodeSide): Promise<string[]> {
  if (session === null || turn === null) return []
  const since = turn.number ?? Number.POSITIVE_INFINITY
  const later = (await catalog.listTurns(session, { refresh: false })).filter(({ number }) => (number ?? 0) > since)
  const turns = withSnapshots(store(), session, later)
  const numbersOf = (found: readonly Turn[]) => found.map(({ number }) => number)
  const missing = numbersOf(turns.filter(({ snapshot }) => snapshot == null))
  const halves = numbersOf(turns.filter(({ snapshot }) => snapshot?.changesUnknown === true))
  const say = (which: string, it: string) =>
    `${which} not captured: what ${it} changed is not known here; name the paths, or use ${nameOption('all')}.`
  return [
    ...(missing.length === 0
      ? []
      : missing.length === 1
        ? [say(`Turn ${missing[0]} was`, 'it')]
        : [say(`Turns ${missing.join(', ')} were`, 'they')]),
    ...halves.map((number) => say(`The start of turn ${number} was`, 'it')),
  ]
}

async function openRoot(context: CaptureContext, root: string): Promise<WorkTree> {
  try {
    return await findWorkTree(context, root)
  } catch (error) {
    if (!(error instanceof AppError && error.code === 'repo_not_found')) throw error
    throw new AppError('repo_not_found', `The work tree ${root} is gone.`, {
      hint: 'Go to another work tree of the repository and name the paths to restore there.',
      cause: error,
    })
  }
}

export interface RestoreOptions {
  /** Also while an agent is at work in that work tree. */
  readonly force?: boolean
  /** Told how many files are done. */
  readonly onProgress?: OnRestored
}

export async function restore(
  context: CaptureContext,
  plan: RestorePlan,
  { force = false, onProgress }: RestoreOptions = {},
): Promise<RestoreResult> {
  const seen = seenOf(plan)
  await context.recoverFirst()
  if (!force) await refuseBusy(context, seen.root)
  return inWorkTree(context, seen.root, () => restoreHeld(context, plan, seen, onProgress))
}

async function restoreHeld(
  context: CaptureContext,
  plan: RestorePlan,
  seen: Seen,
  onProgress: OnRestored | undefined,
): Promise<RestoreResult> {
  const id = makeShortId()
  const { restores } = context.store()
  const workTree = await findWorkTree(context, seen.root)
  const paths = [...new Set(plan.changes.map(({ path }) => path))]
  const record: RestoreRecord = {
    id,
    state: 'restoring',
    root: seen.root,
    commonDir: seen.commonDir,
    safetyRef: `${safetyRefs}${id}`,
    source: seen.address,
    targetTree: seen.to,
    paths,
    createdAt: context.store().timeOfNext(context.now()),
    undoneAt: null,
  }
  context.store().write(() => restores.put(record))
  context.onStep?.('restore recorded')
  try {
    const present = await keepPresent(context, workTree, record.safetyRef, seen, `before restoring ${seen.address}`)
    context.onStep?.('restore safe')
    const changed = await listTreeChanges(context.git, workTree.commonDir, seen.from, present.tree, paths)
    if (changed.length > 0) throw new AppError('plan_stale', 'Files were changed since the restore was looked at.')
    const target = { tree: seen.to, snapshot: seen.snapshot }
    const outcome =
      paths.length === 0
        ? { restored: [], refused: [] }
        : await restoreFiles(notedGit(context.git, context.folder), workTree, present, target, paths, onProgress)
    context.onStep?.('restore worked')
    context.store().restores.put({ ...record, state: 'restored', paths: outcome.restored })
    context.onStep?.('restored')
    return { id, ...outcome, refused: [...plan.refused, ...outcome.refused], safetyRef: record.safetyRef }
  } catch (error) {
    throw await afterFailure(context, record, error)
  }
}

function seenOf(plan: RestorePlan): Seen {
  const seen = plan.seen as Partial<Seen> | null
  if (typeof seen !== 'object' || seen === null || seen.version !== 1 || seen.root === undefined) {
    throw new AppError('usage', 'This plan was not made by this version of offshoot.', { hint: 'Make the plan again.' })
  }
  return seen as Seen
}
