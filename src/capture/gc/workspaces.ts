// Workspaces that may go: whose session is gone, whose branch was merged or pushed, or that nobody ever worked in. Not one that is
// open, was used lately, holds changes, has commits no other branch has, or is still to be pushed.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { timeAgo } from '../../lib/text/time.ts'
import { listWorkingProcesses, type WorkingProcess } from '../../lib/working-processes.ts'
import { showPath } from '../../snapshots/byte-path.ts'
import { look } from '../../snapshots/look.ts'
import { findOperation } from '../../snapshots/operation.ts'
import { removingPath } from '../../snapshots/removing-path.ts'
import { findRepositoryIfAny } from '../../snapshots/repository.ts'
import { safetyRefs } from '../../snapshots/snapshot.ts'
import { readStatus } from '../../snapshots/status.ts'
import { isBeingRemoved, removeWorkspace } from '../../snapshots/workspace-remove.ts'
import type { ForkRecord } from '../../store/forks.ts'
import type { WorkspaceRecord } from '../../store/workspaces.ts'
import { findWorkTree } from '../code-side.ts'
import { keepPresent } from '../safety.ts'
import { describeBundle, describeSubmoduleBundle, keepCommits, keepSubmodule } from './bundles.ts'
import { surveyFolder } from './files.ts'
import type { Finding, GcContext } from './gc.ts'
import { whyNoteStays } from './missing-folder.ts'
import { orPassOver } from './pass-over.ts'
import { findSubmoduleWork, type SubmoduleWork } from './submodule-work.ts'

const dayMs = 86_400_000
/** A workspace is made before its session is: nothing young goes for want of one. */
const youngMs = dayMs

/** `among`: only these, whatever their repository. */
export async function findWorkspaceGarbage(gc: GcContext, among?: readonly WorkspaceRecord[]): Promise<Finding[]> {
  const store = gc.store()
  const all = store.workspaces.all().filter(({ removedAt }) => removedAt === null)
  const wanted = among ?? all.filter(({ commonDir }) => gc.repository === null || commonDir === gc.repository)
  if (wanted.length === 0) return []
  const keepMs = (await gc.keepWorkspaceDays()) * dayMs
  const processes = await listWorkingProcesses(gc.env.vars)
  const owners = new Map(store.forks.all().map((record) => [record.workspaceId, record]))
  const branches = new Set(all.map(({ branch }) => `refs/heads/${branch}`))
  const findings: Finding[] = []
  for (const workspace of wanted) {
    const circumstances = { owner: owners.get(workspace.id), ourBranches: branches, processes, keepMs }
    const about = { kind: 'workspace' as const, name: workspace.branch, path: workspace.path }
    findings.push(...(await orPassOver(about, async () => [await judge(gc, workspace, circumstances)])))
  }
  return findings
}

interface Circumstances {
  readonly owner: ForkRecord | undefined
  /** Full names. */
  readonly ourBranches: ReadonlySet<string>
  readonly processes: readonly WorkingProcess[]
  /** How long after its last use a workspace stays. */
  readonly keepMs: number
}

async function judge(gc: GcContext, workspace: WorkspaceRecord, circumstances: Circumstances): Promise<Finding> {
  const { owner, ourBranches, processes, keepMs } = circumstances
  const { path, branch } = workspace
  const isThere = existsSync(path)
  const isHalfGone = !isThere && (await isBeingRemoved(workspace))
  const { bytes, changedAt } = await surveyFolder(isHalfGone ? removingPath(workspace) : path)
  const about = { kind: 'workspace' as const, name: branch, path, bytes }
  const stays = (reason: string): Finding => ({ ...about, reason, remove: null })
  if (owner?.state === 'making' || owner?.state === 'undoing') return stays('it is being made or removed just now')
  if (!existsSync(workspace.commonDir)) return stays('its repository is gone: nobody can tell what it holds')
  // One that is open may have no transcript yet.
  if (owner?.sessionId != null && gc.sessions.isOpen(owner.agent, owner.sessionId)) return stays('its session is open')
  const open = gc.sessions.openIn(path)
  if (open !== null) return stays(`${open} is open in it`)
  const running = processes.find(({ cwd }) => cwd === path || cwd.startsWith(`${path}/`))
  if (running !== undefined) return stays(`process ${running.pid} runs in it`)
  const state = isThere ? await lookInto(gc, workspace, ourBranches) : await lookAtBranch(gc, workspace, ourBranches)
  if (state === null) return stays('it is not the work tree offshoot made')
  const note = await findNote(gc, workspace)
  if (note.elsewhere !== null) return stays(`its branch is checked out in ${note.elsewhere}`)
  const usedAt = Math.max(changedAt, state.committedAt, lastSessionWork(gc, workspace, owner))
  const gone = isHalfGone ? 'its removal was cut off' : 'its folder is gone'
  const why = isThere ? whyItMayGo(gc, workspace, circumstances, { ...state, usedAt }) : gone
  if (why === null) return stays(state.work ?? 'its session can still be opened')
  const missing = isThere ? null : await whyNoteStays(workspace, gc.now())
  const recent = isThere && gc.now() - usedAt < keepMs ? describeUse(usedAt, gc.now(), keepMs) : null
  // A removal that was cut off kept first whatever it was to keep, forced or not.
  const obstacle = isHalfGone ? null : (note.lock ?? state.work ?? missing ?? whyStillNeeded(gc, workspace, state) ?? recent)
  const remove = async () => {
    const others = [...ourBranches].map((ref) => ref.slice('refs/heads/'.length))
    if (!state.merged) await keepCommits(gc, workspace, { isThere, others })
    for (const submodule of state.inside) await keepSubmodule(gc, workspace, submodule)
    await removeOne(gc, workspace, state.tip, isThere && obstacle !== null ? owner : undefined)
  }
  if (obstacle === null) return { ...about, reason: why, remove }
  if (!gc.force) return stays(`${obstacle} (${why})`)
  const kept = [
    ...(state.merged ? [] : [`; ${describeBundle(gc, workspace)}`]),
    ...state.inside.map((submodule) => `; ${describeSubmoduleBundle(gc, workspace, submodule)}`),
  ].join('')
  return { ...about, reason: `${why}; forced, though ${obstacle}${kept}`, remove }
}

const unmergedWork = 'its commits are in no other branch and at no remote'

interface State {
  readonly tip: string | null
  /** Work that would be lost, in words. */
  readonly work: string | null
  /** Its own commits are in another branch, or at a remote. */
  readonly merged: boolean
  /** When HEAD last moved in it; 0 where that is not known. */
  readonly committedAt: number
  /** Submodules with commits that are nowhere else. */
  readonly inside: readonly SubmoduleWork[]
}

async function lookInto(gc: GcContext, workspace: WorkspaceRecord, ourBranches: ReadonlySet<string>): Promise<State | null> {
  const { path, commonDir, branch } = workspace
  const child = await findRepositoryIfAny(gc.git, path)
  if (child === null || child.commonDir !== commonDir || child.root !== path) return null
  const status = await readStatus(gc.git, path)
  const open = status.entries.filter(({ kind }) => kind !== 'ignored').length
  const operation = await findOperation(child.gitDir)
  const ref = `refs/heads/${branch}`
  const tips = [await commitOf(gc, commonDir, ref), status.commit].filter((each) => each !== null)
  const unmerged = []
  for (const tip of new Set(tips)) if (!(await isElsewhere(gc, commonDir, tip, ourBranches))) unmerged.push(tip)
  const inside = await findSubmoduleWork(gc, { ...child, root: path })
  const reasons = [
    ...(operation === null ? [] : [`a ${operation.kind} is in progress in it`]),
    ...(open === 0 ? [] : [`it holds ${open === 1 ? 'an uncommitted file' : `${open} uncommitted files`}`]),
    ...(unmerged.length === 0 ? [] : [unmergedWork]),
    ...inside.map((submodule) => `commits in its submodule ${submodule.path} are nowhere else`),
  ]
  const tip = tips[0] ?? null
  const committedAt = (await look(join(child.gitDir, 'logs', 'HEAD')))?.mtimeMs ?? 0
  const work = reasons.length === 0 ? null : reasons.join(', ')
  return { tip, work, merged: unmerged.length === 0, committedAt: Number(committedAt), inside }
}

/** Without its folder only the branch is left to lose. */
async function lookAtBranch(gc: GcContext, workspace: WorkspaceRecord, ourBranches: ReadonlySet<string>): Promise<State> {
  const tip = await commitOf(gc, workspace.commonDir, `refs/heads/${workspace.branch}`)
  const merged = tip === null || (await isElsewhere(gc, workspace.commonDir, tip, ourBranches))
  return { tip, merged, work: merged ? null : unmergedWork, committedAt: 0, inside: [] }
}

interface Note {
  /** By `git worktree lock`: how a person says that it stays, also where its disk is away. */
  readonly lock: string | null
  /** Where its branch is checked out by now. */
  readonly elsewhere: string | null
}

async function findNote(gc: GcContext, { path, branch, commonDir }: WorkspaceRecord): Promise<Note> {
  const { stdout } = await gc.git(['worktree', 'list', '--porcelain'], { cwd: commonDir })
  const all = showPath(stdout)
    .split('\n\n')
    .map((block) => block.split('\n'))
  const own = all.find(([first]) => first === `worktree ${path}`)
  const locked = own?.find((line) => line === 'locked' || line.startsWith('locked '))
  const lock = locked?.replace('locked ', 'it is locked: ').replace(/^locked$/, 'it is locked') ?? null
  const now = all.find((lines) => lines.includes(`branch refs/heads/${branch}`))?.[0]?.slice('worktree '.length)
  return { lock, elsewhere: own !== undefined || now === undefined || !existsSync(now) ? null : now }
}

async function commitOf(gc: GcContext, cwd: string, ref: string): Promise<string | null> {
  const { stdout } = await gc.git(['rev-parse', '--quiet', '--verify', `${ref}^{commit}`], { cwd, accept: [0, 1] })
  return stdout.trim() || null
}

/** In a branch that is not a workspace's: those of other workspaces may go as well. */
async function isElsewhere(gc: GcContext, cwd: string, commit: string, ours: ReadonlySet<string>): Promise<boolean> {
  const args = ['for-each-ref', '--format=%(refname)', '--contains', commit, 'refs/heads/', 'refs/remotes/', 'refs/tags/']
  const { stdout } = await gc.git(args, { cwd })
  return stdout.split('\n').some((ref) => ref !== '' && !ours.has(ref))
}

/** Its own session's, that of any other session that ran in it, or its making. */
function lastSessionWork(gc: GcContext, { path, createdAt }: WorkspaceRecord, owner: ForkRecord | undefined): number {
  const own = owner?.sessionId == null ? null : gc.sessions.updatedAt(owner.agent, owner.sessionId)
  return Math.max(createdAt, own ?? 0, gc.sessions.lastWorkIn(path) ?? 0)
}

function describeUse(usedAt: number, now: number, keepMs: number): string {
  const ago = timeAgo(usedAt, now)
  return `it was used ${ago === 'now' ? 'just now' : ago}, and stays for ${describeDays(keepMs)} after its last use`
}

function describeDays(ms: number): string {
  const days = Math.round(ms / dayMs)
  return days === 1 ? 'a day' : `${days} days`
}

function whyItMayGo(
  gc: GcContext,
  workspace: WorkspaceRecord,
  { owner, keepMs }: Circumstances,
  { tip, merged, usedAt }: State & { readonly usedAt: number },
): string | null {
  const isYoung = gc.now() - workspace.createdAt < youngMs
  if (!isYoung && (owner === undefined || owner.state === 'undone')) return 'its fork was undone'
  const session = owner?.sessionId == null ? null : { agent: owner.agent, id: owner.sessionId }
  if (!isYoung && session !== null && !gc.sessions.isAlive(session.agent, session.id)) return 'its session is gone'
  if (!merged) return null
  if (tip !== null && tip !== workspace.baseCommit) return 'its branch was merged or pushed'
  const idleMs = Math.max(keepMs, youngMs)
  if (tip !== workspace.baseCommit || gc.now() - usedAt < idleMs) return null
  return `nothing was done in it for ${describeDays(idleMs)}`
}

function whyStillNeeded(gc: GcContext, { id, path }: WorkspaceRecord, { tip }: State): string | null {
  const push = gc.store().pushes.get(id)
  if (push !== null && push.pushedCommit !== tip) return `its branch is still to be pushed to ${push.remote}`
  const restore = gc
    .store()
    .restores.all()
    .find(({ root, state }) => root === path && state === 'restored')
  return restore === undefined ? null : `the restore ${restore.id} in it can still be undone`
}

/** `keepFor`: what it holds is kept for a while, under this session's name. The branch goes only where it still is what was judged. */
async function removeOne(gc: GcContext, workspace: WorkspaceRecord, tip: string | null, keepFor?: ForkRecord): Promise<void> {
  if (keepFor?.sessionId != null) {
    const who = { agent: keepFor.agent, sessionId: keepFor.sessionId }
    const workTree = await findWorkTree(gc, workspace.path)
    await keepPresent(gc, workTree, `${safetyRefs}gc-${workspace.id}`, who, `before ${workspace.branch} was cleared away`)
  }
  await removeWorkspace(gc.git, { ...workspace, baseCommit: tip }, { force: true, keepMovedBranch: true })
  const store = gc.store()
  store.write(() => {
    store.workspaces.put({ ...workspace, removedAt: gc.now() })
    store.pushes.remove(workspace.id)
  })
}
