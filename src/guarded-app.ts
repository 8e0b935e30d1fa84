// The app as strangers get it: every route, tool and event stream of the server goes through here and nowhere else (SF6). Deny by
// default: a session whose working directory is not within an allowed root is not listed, not readable, not forkable.
import type { Entry, ReadOptions } from './agents/reading.ts'
import type { MessagePage, PageRange } from './catalog/read-page.ts'
import type { TurnRange, TurnsRead } from './catalog/read-turns.ts'
import type { DiffResult } from './model/capture.ts'
import type { CatalogSession, Check, LineageNode, Target } from './model/catalog.ts'
import type { AppEvent } from './model/event.ts'
import type { ForkRequest, ForkResult, Plan, WarningCode } from './model/fork.ts'
import type { Decision } from './model/run.ts'
import type { IndexState, SearchAnswer, SearchQuery } from './model/search.ts'
import type { AgentId, Turn } from './model/session.ts'
import type { ForkWorkerRequest, SendOptions, SendResult, SpawnedWorker, Worker, WorkerRequest } from './model/worker.ts'

export interface Refusal {
  readonly at: number
  /** The verb that was asked for, and who asked: `fork http`, `read_session mcp`. */
  readonly verb: string
  readonly subject: string
  readonly reason: string
}

export { guardApp } from './guarded-app/guard.ts'

export interface GuardOptions {
  /** `--project` and the setting `allow_repos`; empty: nothing is open (a service has no implicit root). */
  readonly roots: readonly string[]
  /** Narrows what the roots open: a folder or session must be inside of these as well. Absent: it is not narrowed. */
  readonly within?: readonly string[]
  /** Which surface asks: goes into the audit log. */
  readonly surface: 'http' | 'mcp'
  readonly onRefusal: (refusal: Refusal) => void
  readonly now: () => number
  /** The person's home folder: a repository there (dotfiles) does not open everything below it. */
  readonly home: string
  /** How long a search may bring the index up to date first; 0 where a background process keeps it fresh. */
  readonly searchUpdateMs?: number
  /** A search begins. */
  readonly onSearch?: () => void
  /** Whether `app.keepWatch` keeps the catalogue fresh: then reading need not walk over the agents' folders each time. */
  readonly isWatched?: () => boolean
}

export interface GuardedApp {
  /** Real paths. */
  readonly roots: readonly string[]
  /** The folder a question is about: `projectPath` when it lies within a root, else refused (403); absent: the first root. */
  scopeOf(projectPath?: string): Promise<string>
  /** Only what may be seen; `repo` narrows it to one project. `agent`, `limit` and `offset` apply after that. */
  listSessions(query?: {
    readonly agent?: AgentId
    readonly projectPath?: string
    readonly limit?: number
    readonly offset?: number
  }): Promise<readonly CatalogSession[]>
  /** By full id, optionally with the agent before it: 404 unknown, 409 ambiguous (details: candidates), 403 outside. */
  session(id: string): Promise<CatalogSession>
  resolve(address: string): Promise<Target>
  listTurns(session: CatalogSession, options?: { readonly deadBranches?: boolean }): Promise<readonly Turn[]>
  readSession(session: CatalogSession, options?: ReadOptions): AsyncIterable<Entry>
  /** Some messages by index, or the last ones; `null`: only reading from the start can tell, or is quicker. */
  readPage(session: CatalogSession, range: PageRange): Promise<MessagePage | null>
  /** The messages of some turns, by their numbers. */
  readTurns(session: CatalogSession, range: TurnRange): Promise<TurnsRead>
  /** Without what may not be seen: a parent outside is left out, its children inside become roots. */
  tree(of?: CatalogSession): Promise<readonly LineageNode[]>
  diff(request: { readonly from: string; readonly to: string | null }): Promise<DiffResult>
  search(query: SearchQuery & { readonly projectPath?: string }, signal?: AbortSignal): Promise<SearchAnswer>
  planFork(request: ForkRequest): Promise<Plan>
  /** A plan made within the last hour, of a session that may be seen. */
  plannedFork(id: string): Promise<Plan>
  /** Executes it as it was shown. */
  executePlanned(id: string, options?: { readonly accept?: readonly WarningCode[] }): Promise<ForkResult>
  fork(request: ForkRequest, options?: { readonly accept?: readonly WarningCode[] }): Promise<ForkResult>
  listWorkers(options?: { readonly ended?: boolean }): Promise<readonly Worker[]>
  findWorker(name: string): Promise<Worker>
  planSpawnedFork(request: WorkerRequest): Promise<Plan>
  spawnWorker(request: WorkerRequest, options?: { readonly signal?: AbortSignal }): Promise<SpawnedWorker>
  sendToWorker(name: string, prompt: string, options?: SendOptions): Promise<SendResult>
  sendToSession(session: CatalogSession, prompt: string, options?: SendOptions): Promise<SendResult>
  interruptWorker(name: string): Promise<Worker>
  answerPermission(name: string, requestId: string, decision: Decision): Promise<Worker>
  forkWorker(name: string, request?: ForkWorkerRequest, options?: { readonly signal?: AbortSignal }): Promise<SpawnedWorker>
  planForkWorker(name: string, request?: ForkWorkerRequest): Promise<Plan>
  stopWorker(name: string): Promise<Worker>
  /** Only events about what may be seen. */
  onEvent(listener: (event: AppEvent) => void): () => void
  indexStatus(): Promise<IndexState>
  doctor(): Promise<readonly Check[]>
}
