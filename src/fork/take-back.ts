// How each step of a fork is taken back. All of it may run twice, and after a crash it knows only what was written down.
import { lstatSync, readdirSync, rmdirSync, rmSync, statSync } from 'node:fs'
import { agentOf } from '../agents/agent-of.ts'
import { fileErrorCode } from '../lib/file-errors.ts'
import { AppError } from '../model/error.ts'
import { seedMarker } from '../model/seed-source.ts'
import type { AgentId } from '../model/session.ts'
import type { Workspace } from '../snapshots/workspace.ts'
import type { ForkContext, MissingFile } from './context.ts'

export type Undo =
  | { readonly kind: 'record'; readonly workspaceId: string | null }
  | PutBackUndo
  | WorkspaceUndo
  /** Whatever it wrote goes with the workspace, and it ends with the process that runs it. */
  | { readonly kind: 'setup'; readonly command: string; readonly path: string }
  | SessionUndo

interface WorkspaceUndo {
  readonly kind: 'workspace'
  readonly workspace: Workspace
  /** Before it is claimed, what is at its path or bears its branch's name may be somebody else's. */
  readonly claimed: boolean
}

interface PutBackUndo {
  readonly kind: 'put_back'
  /** Absent in journals of versions that told the source's files from others: what those put back stays. */
  readonly files?: readonly MissingFile[]
}

export interface SessionUndo {
  readonly kind: 'session'
  readonly agent: AgentId
  /** What the agent announced before it made it, or said it had made. */
  readonly paths: readonly string[]
  /** How else to tell what was made: by the id we chose, by its likeness where the agent chooses, or not at all. */
  readonly find: 'id' | 'likeness' | null
  readonly sessionId: string | null
  /** `null`: of no parent, started afresh. */
  readonly parentId: string | null
  readonly cwd: string
  readonly since: number
  readonly promptPath: string | null
}

/** Returns what stays, and why. */
export async function takeBack(context: ForkContext, forkId: string, undo: Undo): Promise<string[]> {
  switch (undo.kind) {
    case 'record':
      forget(context, forkId, undo.workspaceId)
      return []
    case 'put_back':
      removePutBack(undo)
      return []
    case 'workspace':
      return removeWorkspaceOf(context, undo)
    case 'setup':
      return []
    case 'session':
      await removeSession(context, forkId, undo)
      return []
  }
}

function forget(context: ForkContext, forkId: string, workspaceId: string | null): void {
  const store = context.store()
  store.write(() => {
    if (workspaceId !== null) store.workspaces.remove(workspaceId)
    store.forkSeeds.remove(forkId)
    store.forks.remove(forkId)
  })
}

/** All of it or nothing: the archive has what is still as it was put back, but a session that went on has more and needs every file. */
function removePutBack({ files = [] }: PutBackUndo): void {
  const isAsBefore = ({ path, bytes }: MissingFile) => (statSync(path, { throwIfNoEntry: false })?.size ?? bytes) === bytes
  if (files.every(isAsBefore)) removePaths(files.map(({ path }) => path))
}

async function removeWorkspaceOf({ git }: ForkContext, { workspace, claimed }: WorkspaceUndo): Promise<string[]> {
  const { removeUnclaimed, removeWorkspace } = await import('../snapshots/workspace-remove.ts')
  if (!claimed) {
    await removeUnclaimed(git, workspace)
    return []
  }
  try {
    const { branchKept } = await removeWorkspace(git, workspace, { force: true, keepMovedBranch: true })
    return branchKept === null ? [] : [branchKept]
  } catch (error) {
    // Something else is at its path by now. It stays so however often this is tried again.
    if (error instanceof AppError && error.code === 'refused')
      return [`${error.message} The branch ${workspace.branch} stays too.`]
    throw error
  }
}

async function removeSession(context: ForkContext, forkId: string, undo: SessionUndo): Promise<void> {
  const found =
    undo.find === 'likeness' ? await findMade(context, forkId, undo) : undo.find === 'id' ? findById(context, undo) : []
  const agent = agentOf(context, undo.agent)
  // The agent may have given the session another id than the one asked for.
  const made =
    agent.forgetForks === undefined ? [] : [...agent.discover(context.env)].filter(({ path }) => undo.paths.includes(path))
  removePaths([...undo.paths, ...found, ...(undo.promptPath === null ? [] : [undo.promptPath])])
  agent.forgetForks?.(context.env, new Set(made.map(({ id }) => id)))
}

/** Never one that was there before. */
function findById(context: ForkContext, { agent: agentId, since, sessionId }: SessionUndo): string[] {
  const agent = agentOf(context, agentId)
  return [...agent.discover(context.env)]
    .filter(({ id, path }) => id === sessionId && isBornSince(path, since))
    .flatMap((file) => [file.path, ...(agent.sideFiles?.(file) ?? [])])
}

/**
 * The agent chose an id we never learnt. Its session is one of this parent (or of none), made since, in this folder, that holds
 * no turn of its own; or one that begins with our seed's marker. One that is open somewhere is left.
 */
async function findMade(
  context: ForkContext,
  forkId: string,
  { agent: agentId, parentId, cwd, since }: SessionUndo,
): Promise<string[]> {
  const agent = agentOf(context, agentId)
  const live = new Set(agent.live(context.env).map(({ sessionId }) => sessionId))
  const known = context.store().forks
  const found: string[] = []
  for (const file of agent.discover(context.env)) {
    if (!isBornSince(file.path, since) || live.has(file.id)) continue
    if (known.ofSession(agentId, file.id) !== null) continue
    const summary = await agent.summarise(file, context.env)
    const isFork = (summary.parent?.sessionId ?? null) === parentId && summary.turns.length <= summary.inheritedTurns
    const isSeed = summary.turns[0]?.prompt.startsWith(seedMarker(forkId)) ?? false
    if (isSeed || (isFork && summary.cwd === cwd)) found.push(file.path)
  }
  return found
}

/** File systems keep times less finely than the clock. */
const slackMs = 2000

function isBornSince(path: string, since: number): boolean {
  const stat = lstatSync(path, { throwIfNoEntry: false })
  // Some file systems record no birth.
  return stat !== undefined && (stat.birthtimeMs || stat.mtimeMs) >= since - slackMs
}

/** Files first, then folders, and of those only empty ones. */
export function removePaths(paths: readonly string[]): string[] {
  const removed: string[] = []
  const there = [...new Set(paths)].flatMap((path) => {
    const stat = lstatSync(path, { throwIfNoEntry: false })
    return stat === undefined ? [] : { path, isFolder: stat.isDirectory() }
  })
  for (const { path } of there.filter(({ isFolder }) => !isFolder)) {
    rmSync(path, { force: true })
    removed.push(path)
  }
  for (const { path } of there.filter(({ isFolder }) => isFolder).sort((a, b) => b.path.length - a.path.length)) {
    if (removeEmptyFolder(path)) removed.push(path)
  }
  return removed
}

function removeEmptyFolder(path: string): boolean {
  try {
    if (readdirSync(path).length > 0) return false
    rmdirSync(path)
    return true
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'ENOTEMPTY', 'EEXIST'].includes(fileErrorCode(error) ?? '')) return false
    throw error
  }
}
