// Who is calling: which agent, session and folder. In the order of what can be trusted most: what Codex says with the call, the
// transcript in which Claude's call stands, the environment (stale after /clear), the working directory. `roots/list` is never
// asked: the 2026 protocol refuses it, stateless HTTP lets it hang, and over stdio the working directory says the same.
import type { AgentEnv } from '../../agents/agent-env.ts'
import { type CallSite, findCallSite } from '../../agents/call-site.ts'
import type { GuardedApp } from '../../guarded-app.ts'
import type { CatalogSession } from '../../model/catalog.ts'
import { AppError } from '../../model/error.ts'

export interface Caller {
  readonly site: CallSite | null
  /** The folder the caller stands in; `null` over HTTP where nothing tells. */
  readonly cwd: string | null
  readonly from: 'call' | 'environment' | 'working_directory' | 'unknown'
}

export interface CallerSources {
  readonly env: AgentEnv
  /** Of a stdio server: that of the agent's session. `null` over HTTP, where our own means nothing. */
  readonly cwd: string | null
}

const patienceMs = 2000
const impatienceMs = 200

export function createCallerFinder({ env, cwd }: CallerSources) {
  // Where transcripts are kept elsewhere than we look, every call would wait in vain.
  let waitMs = patienceMs
  return async (meta: Readonly<Record<string, unknown>> = {}, signal?: AbortSignal): Promise<Caller> => {
    const found = await findCallSite({ meta, env, waitMs, ...(signal === undefined ? {} : { signal }) })
    if (typeof meta['claudecode/toolUseId'] === 'string') waitMs = found === null ? impatienceMs : patienceMs
    if (found !== null) return { site: found, cwd: found.cwd ?? cwd, from: 'call' }
    if (cwd === null) return { site: null, cwd: null, from: 'unknown' }
    const sessionId = env.vars.CLAUDE_CODE_SESSION_ID
    if (sessionId === undefined || sessionId === '') return { site: null, cwd, from: 'working_directory' }
    return { site: { agent: 'claude', sessionId, turnId: null, cwd }, cwd, from: 'environment' }
  }
}

/** The folder a question is about: the one named by the question or the call, else the server's own where it may be seen, else the first that may. */
export async function scopeOf(guarded: GuardedApp, caller: Caller, projectPath?: string): Promise<string> {
  const folder = projectPath ?? (await folderOf(guarded, caller))
  const isNamed = projectPath !== undefined || caller.from === 'call'
  return isNamed ? guarded.scopeOf(folder ?? undefined) : nearestScope(guarded, folder)
}

/** The caller did not name this folder, so a folder that is not open must not make the call fail. */
async function nearestScope(guarded: GuardedApp, folder: string | null, otherwise?: string): Promise<string> {
  if (folder === null) return guarded.scopeOf(otherwise)
  try {
    return await guarded.scopeOf(folder)
  } catch (error) {
    if (error instanceof AppError && error.code === 'refused') return guarded.scopeOf(otherwise)
    throw error
  }
}

async function folderOf(guarded: GuardedApp, { cwd, site }: Caller): Promise<string | null> {
  if (cwd !== null || site === null) return cwd
  return (await guarded.session(`${site.agent}:${site.sessionId}`)).cwd // a Codex thread outside git
}

/** Where a fork is asked from: `now` and `head` are the code of the work tree the caller stands in, where it may be seen. */
export async function folderFor(guarded: GuardedApp, caller: Caller, session: CatalogSession): Promise<string> {
  return nearestScope(guarded, caller.cwd, session.repoRoot ?? session.cwd ?? undefined)
}

export function isCaller({ site }: Caller, session: Pick<CatalogSession, 'agent' | 'id'>): boolean {
  return site !== null && site.agent === session.agent && site.sessionId === session.id
}

/** "Fork me here": the caller's session, and its last finished turn, since the one that calls is still running. */
export async function placeOfCaller(
  guarded: GuardedApp,
  { site }: Caller,
  atTurn?: string,
): Promise<{ address: string; turnId: string | null }> {
  if (site === null) {
    throw new AppError('usage', 'It cannot be told which session is calling.', {
      hint: 'Name the session: `list_sessions` shows those of this project, newest first.',
    })
  }
  const address = `${site.agent}:${site.sessionId}`
  if (atTurn !== undefined) return { address, turnId: null }
  const turns = (await guarded.listTurns(await guarded.session(address))).filter(({ number }) => number !== null)
  // By definition the turn that calls has not ended; where the agent does not name it, it is the last one.
  const running = site.turnId ?? turns.at(-1)?.id
  const at = turns.findIndex(({ id }) => id === running)
  const turn = turns.slice(0, at === -1 ? turns.length : at).findLast(({ state }) => state !== 'running')
  if (turn === undefined) {
    throw new AppError('busy', 'The turn that calls is still running and none before it is finished: there is nothing to fork.', {
      hint: 'Try again from a later turn, or fork another session.',
    })
  }
  return { address, turnId: turn.id }
}
