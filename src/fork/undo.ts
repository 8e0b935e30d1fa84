// Removes a session that offshoot made (forked or started): its file, its workspace and branch. Refuses where work was done in it, unless forced,
// and where other sessions need its file. It is carried through by the next command when it is cut off. Undoing twice does nothing.
import { existsSync, statSync } from 'node:fs'
import { agentOf } from '../agents/agent-of.ts'
import { toMachineFault } from '../lib/machine-fault.ts'
import { count } from '../lib/text/count.ts'
import { AppError } from '../model/error.ts'
import type { UndoResult } from '../model/fork.ts'
import type { AgentId } from '../model/session.ts'
import type { Fingerprint } from '../snapshots/fingerprint.ts'
import { removingPath } from '../snapshots/removing-path.ts'
import type { ForkRecord } from '../store/forks.ts'
import type { WorkspaceRecord } from '../store/workspaces.ts'
import type { ForkContext } from './context.ts'
import { busyFork, withForkLock } from './saga.ts'
import { removePaths } from './take-back.ts'
import { isForked, toFork, toStarted } from './view.ts'

export interface UndoOptions {
  readonly force?: boolean
}

export async function undoFork(context: ForkContext, id?: string, { force = false }: UndoOptions = {}): Promise<UndoResult> {
  await context.recoverFirst()
  const record = findFork(context, id)
  if (record.state === 'undone') return { ...describe(context, record), undone: false, removed: [], kept: [] }
  const done = await withForkLock(context, record.id, () => undoHeld(context, record.id, force))
  if (done === null) throw busyFork(record.id)
  return done
}

async function undoHeld(context: ForkContext, forkId: string, force: boolean): Promise<UndoResult> {
  const store = context.store()
  const record = store.forks.get(forkId)
  // Another process was quicker.
  if (record === null || record.state === 'undone') return undoFork(context, forkId)
  await refuseNeeded(context, record)
  if (!force) await refuseUsed(context, record)
  const undoing: ForkRecord = { ...record, state: 'undoing' }
  store.write(() => {
    store.forks.put(undoing)
    store.journal.begin(forkId, 0, force ? 'forced undo' : 'undo', null, context.now())
  })
  context.onStep?.('undo begun')
  return carryUndoThrough(context, undoing)
}

export async function carryUndoThrough(context: ForkContext, record: ForkRecord): Promise<UndoResult> {
  const kept: string[] = []
  let isFolderKept = false
  const removed = removePaths(findFiles(context, record))
  const { archive } = context.store()
  const isArchived = archive.all().some(({ agent, sessionId }) => agent === record.agent && sessionId === record.sessionId)
  if (isArchived) kept.push('a copy of the session in the archive: it stays listed, as restorable')
  context.onStep?.('undo session removed')
  const workspace = record.workspaceId === null ? null : context.store().workspaces.get(record.workspaceId)
  if (workspace !== null && workspace.removedAt === null) {
    const forced = context.store().journal.stepsOf(record.id)[0]?.step === 'forced undo'
    const outcome = await removeUnused(context, record.id, workspace, forced)
    removed.push(...outcome.removed)
    kept.push(...outcome.kept)
    isFolderKept = outcome.isFolderKept
  }
  context.onStep?.('undo workspace removed')
  const undone: ForkRecord = { ...record, state: 'undone', undoneAt: context.now() }
  const store = context.store()
  store.write(() => {
    store.forks.put(undone)
    // What was kept stays recorded, so that `doctor` and `gc` name it.
    if (workspace !== null && !isFolderKept) store.workspaces.put({ ...workspace, removedAt: context.now() })
    store.journal.clear(record.id)
  })
  forgetUndone(context, record.agent)
  return { ...describe(context, undone), undone: true, removed, kept }
}

/** All that were undone, in whatever order: what one left behind may be in the way of another. */
function forgetUndone(context: ForkContext, agent: AgentId): void {
  const forks = context.store().forks.all()
  const gone = forks.filter((each) => each.agent === agent && each.state === 'undone' && each.strategy === 'prefix')
  const ids = gone.flatMap(({ sessionId }) => (sessionId === null ? [] : [sessionId]))
  agentOf(context, agent).forgetForks?.(context.env, new Set(ids))
}

function describe(context: ForkContext, record: ForkRecord) {
  const store = context.store()
  if (isForked(record)) return { kind: 'fork' as const, fork: toFork(store, record) }
  return { kind: 'start' as const, start: toStarted(store, record) }
}

/** That nothing was done in it was seen before it began; a branch may have moved all the same, where its folder was gone. */
async function removeUnused(context: ForkContext, forkId: string, workspace: WorkspaceRecord, forced: boolean) {
  const { removeWorkspace } = await import('../snapshots/workspace-remove.ts')
  try {
    const { branchKept } = await removeWorkspace(context.git, workspace, { force: true, keepMovedBranch: !forced })
    const branch = branchKept === null ? { removed: [workspace.branch], kept: [] } : { removed: [], kept: [branchKept] }
    return { removed: [workspace.path, ...branch.removed], kept: branch.kept, isFolderKept: false }
  } catch (error) {
    // Something else lies at its path by now.
    if (error instanceof AppError && error.code === 'refused') {
      const branch = (await hasBranch(context, workspace)) ? [`the branch ${workspace.branch}`] : []
      return { removed: [], kept: [error.message, ...branch], isFolderKept: true }
    }
    throw await explainLeft(context, error, forkId, workspace)
  }
}

/** What is left is named; the journal has the undo, which the next one carries through. */
async function explainLeft(context: ForkContext, error: unknown, forkId: string, workspace: WorkspaceRecord): Promise<unknown> {
  const fault = toMachineFault(error)
  if (fault === null) return error
  const folder = [workspace.path, removingPath(workspace)].find((path) => existsSync(path))
  const left = [
    ...((await hasBranch(context, workspace)) ? [`the branch ${workspace.branch}`] : []),
    ...(folder === undefined ? [] : [`the workspace ${folder}`]),
  ].join(' and ')
  const hint = [fault.hint, `Then \`offshoot undo ${forkId}\` removes the rest.`].filter(Boolean).join(' ')
  return new AppError(fault.code, `${fault.message} The undo is not complete; still there: ${left}.`, { hint, cause: error })
}

/** Where git cannot look, the branch counts as there. */
async function hasBranch({ git }: ForkContext, { branch, commonDir }: WorkspaceRecord): Promise<boolean> {
  const { stdout } = await git(['for-each-ref', '--format=%(refname)', `refs/heads/${branch}`], { cwd: commonDir }).catch(() => ({
    stdout: branch,
  }))
  return stdout !== ''
}

function findFork(context: ForkContext, id: string | undefined): ForkRecord {
  const all = context.store().forks.all()
  if (id === undefined) {
    const newest = all.find(({ state }) => state === 'made')
    if (newest === undefined) throw new AppError('fork_not_found', 'There is no fork to undo, and no restore.')
    return newest
  }
  const name = id.replace(/^\w+:/, '')
  const exact = all.filter((record) => record.id === name || record.sessionId === name)
  const found =
    exact.length > 0
      ? exact
      : all.filter((record) => name.length >= 4 && (record.id.startsWith(name) || record.sessionId?.startsWith(name)))
  if (found.length === 1 && found[0] !== undefined) return found[0]
  if (found.length > 1) {
    throw new AppError('ambiguous', `"${id}" fits ${found.length} forks: ${found.map((record) => record.id).join(', ')}`)
  }
  const latest = all.slice(0, 3).map((record) => `${record.id} (${record.title})`)
  const known = latest.length === 0 ? 'None was made yet.' : `The latest: ${latest.join(', ')}.`
  throw new AppError('fork_not_found', `There is no fork "${id}". ${known}`)
}

/** Also where it is forced: the work of others would be lost, not the work in this fork. */
async function refuseNeeded(context: ForkContext, record: ForkRecord): Promise<void> {
  const agent = agentOf(context, record.agent)
  const files = [...agent.discover(context.env)].filter(({ id }) => id === record.sessionId)
  const found = await Promise.all(files.map((file) => agent.dependents?.(file, context.env) ?? []))
  if (found.flat().length === 0) return
  const sessions = await context.catalog.listSessions({ agent: agent.id })
  const descendants = found.flat().map((file) => {
    return { agent: agent.id, session_id: file.id, title: sessions.find(({ id }) => id === file.id)?.title ?? '' }
  })
  const names = descendants.map(({ session_id, title }) => `${agent.id}:${session_id}${title === '' ? '' : ` (${title})`}`)
  const message = `"${record.title}" (${record.id}) cannot be removed: ${agent.label} reads the history of these sessions from its file:\n  ${names.join('\n  ')}`
  throw new AppError('fork_needed', message, { details: { descendants } })
}

/** All that may be refused is looked at before anything is removed. */
async function refuseUsed(context: ForkContext, record: ForkRecord): Promise<void> {
  const agent = agentOf(context, record.agent)
  const changes: string[] = []
  if (agent.live(context.env).some(({ sessionId }) => sessionId === record.sessionId))
    changes.push('the session is open in an agent')
  const grown = findFiles(context, record).some((path) => {
    const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0
    return record.file === null ? path.endsWith('.jsonl') : path === record.file && size !== record.fileBytes
  })
  if (grown) changes.push('the session was continued')
  const children = (await context.catalog.listSessions()).filter(
    ({ parent }) => parent?.agent === record.agent && parent.sessionId === record.sessionId,
  )
  if (children.length > 0) changes.push(`${count(children.length, 'session')} forked from it`)
  if (changes.length > 0) {
    throw new AppError('fork_used', `"${record.title}" (${record.id}) was worked in: ${changes.join(', ')}.`, {
      details: { changes },
    })
  }
  const workspace = record.workspaceId === null ? null : context.store().workspaces.get(record.workspaceId)
  if (workspace === null || workspace.removedAt !== null) return
  const { refuseUsedWorkspace } = await import('../snapshots/workspace-remove.ts')
  await refuseUsedWorkspace(context.git, workspace, workspace.made as Fingerprint | undefined)
}

function findFiles(context: ForkContext, record: ForkRecord): string[] {
  const agent = agentOf(context, record.agent)
  const found = [...agent.discover(context.env)].filter(({ id }) => id === record.sessionId)
  return [...record.createdPaths, ...found.flatMap((file) => [file.path, ...file.olderPaths, ...(agent.sideFiles?.(file) ?? [])])]
}
