// What every part of the workers is handed: agents, terminals, the store, and its siblings (catalogue, forking) by interface.
import type { Agent, SessionFile } from '../agents/agent.ts'
import type { AgentEnv } from '../agents/agent-env.ts'
import { agentOf } from '../agents/agent-of.ts'
import type { AgentRuns, ConversationRequest } from '../agents/runs.ts'
import type { EventLog } from '../lib/event-log.ts'
import type { CatalogSession, SessionQuery, Target } from '../model/catalog.ts'
import type { ForkRequest, ForkResult, Plan, UndoResult, WarningCode } from '../model/fork.ts'
import type { AgentId, Message, Turn } from '../model/session.ts'
import type { StartPlan, StartRequest, StartResult } from '../model/start.ts'
import type { WorkerHolder, WorkerSettings } from '../model/worker.ts'
import type { Store } from '../store/store.ts'
import type { WorkerOwner, WorkerRecord } from '../store/workers.ts'
import type { PaneRef, Terminal, TerminalId } from '../terminals/terminal.ts'

export interface WorkerCatalog {
  /** `from`: the folder the person is taken to stand in. */
  resolve(address: string, from?: string): Promise<Target>
  listSessions(query?: SessionQuery): Promise<readonly CatalogSession[]>
  listTurns(session: CatalogSession): Promise<readonly Turn[]>
  /** Puts back what the agent needs to open the session and the archive has. */
  putBackMissing(session: Pick<CatalogSession, 'agent' | 'id' | 'path'>): Promise<readonly string[]>
  /** The messages of the last turns, and all turns of the live branch. */
  readTurns(
    session: CatalogSession,
    range: { readonly last: number },
  ): Promise<{ readonly messages: readonly Message[]; readonly turns: readonly Turn[] }>
}

export interface WorkerForking {
  planFork(request: ForkRequest): Promise<Plan>
  executeFork(plan: Plan, options?: { readonly accept?: readonly WarningCode[] }): Promise<ForkResult>
  plannedFork(id: string): Plan
  /** `worker`: the plan must be one of forking this worker; absent: one of forking a session. */
  executePlanned(
    id: string,
    options?: { readonly accept?: readonly WarningCode[]; readonly worker?: string },
  ): Promise<ForkResult>
  planStart(request: StartRequest): Promise<StartPlan>
  start(request: StartRequest): Promise<StartResult>
  /** Refuses where work was done in it. */
  undo(id: string): Promise<UndoResult>
}

export interface WorkerContext {
  readonly agents: readonly Agent[]
  readonly env: AgentEnv
  /** `$OFFSHOOT_HOME`. */
  readonly folder: string
  readonly now: () => number
  readonly store: () => Store
  readonly catalog: WorkerCatalog
  /** Forking and starting as if the person stood in `folder`. */
  readonly forkingAt: (folder: string) => WorkerForking
  readonly isInRepository: (folder: string) => Promise<boolean>
  /** Flags with which one run of the agent in a workspace is captured. */
  readonly hookFlags: (agent: Agent, root: string) => Promise<readonly string[]>
  readonly terminal: (id: TerminalId) => Promise<Terminal>
  /** Where a worker opens that nobody named a terminal for; `null`: nowhere, so it is headless. */
  readonly chooseTerminal: () => Promise<TerminalId | null>
  /** The pane with this tag, as far as its launcher wrote of itself; `opening`: it may still come. */
  readonly findPane: (id: TerminalId, tag: string) => Promise<PaneRef | 'opening' | null>
  /** Removes what the launcher wrote of a pane, once its end is known; what was not started yet never will be. */
  readonly forgetPane: (pane: Pick<PaneRef, 'tag'>) => Promise<void>
  readonly defaults: () => Promise<WorkerSettings>
  readonly events: EventLog
  /** Who holds a headless worker, where it can be spoken to; without it nothing can be done with a worker another one holds. */
  readonly reachHolder: (owner: WorkerOwner) => Promise<WorkerHolder | null>
}

export type Begin = ConversationRequest['begin']

export function runsOf(context: Pick<WorkerContext, 'agents'>, { agent }: Pick<WorkerRecord, 'agent'>): Promise<AgentRuns> {
  return agentOf(context, agent).runs()
}

/** The session's file as the agent keeps it now; `null` while it has made none. */
export function findSessionFile(context: WorkerContext, agentId: AgentId, sessionId: string): SessionFile | null {
  for (const file of agentOf(context, agentId).discover(context.env)) if (file.id === sessionId) return file
  return null
}
