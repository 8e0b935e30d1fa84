// Running agents: started, spoken to, forked, stopped; and what happens in this process.
import type { CatalogSession } from '../model/catalog.ts'
import type { AppEvent } from '../model/event.ts'
import type { ForkResult, Plan } from '../model/fork.ts'
import type { Decision } from '../model/run.ts'
import type { StartPlan, StartResult } from '../model/start.ts'
import type {
  ForkWorkerPlanRequest,
  ForkWorkerRequest,
  SendOptions,
  SendResult,
  SendToSessionOptions,
  SpawnedWorker,
  Worker,
  WorkerRequest,
} from '../model/worker.ts'

export interface WorkerVerbs {
  /** Newest first; those that have ended only when asked for. What is said of each is looked up now. */
  listWorkers(options?: { readonly ended?: boolean }): Promise<readonly Worker[]>
  /** By name, id, session id, or `worker:<name>`; throws `worker_not_found` with the nearest names. */
  findWorker(name: string): Promise<Worker>
  /** Starts an agent (new session, resumed, forked, continued), observed to be ready; `signal` gives up waiting. */
  spawnWorker(request: WorkerRequest, options?: { readonly signal?: AbortSignal }): Promise<SpawnedWorker>
  /** What `spawnWorker` is going to do for a new session in a workspace; nothing is made. */
  planWorker(request: WorkerRequest): Promise<StartPlan>
  /** The plan of the fork that `spawnWorker` is going to make with `fork`; nothing is made. */
  planSpawnedFork(request: WorkerRequest): Promise<Plan>
  /** A worker on what a fork or a start has just made. */
  workOn(
    made: ForkResult | StartResult,
    request?: Pick<WorkerRequest, 'name' | 'prompt' | 'send' | 'terminal' | 'kind' | 'settings'>,
    options?: { readonly signal?: AbortSignal },
  ): Promise<SpawnedWorker>
  /**
   * Gives it a prompt, never while it waits for a permission. Resolves when the turn has ended, or with `wait: false` when the
   * agent has taken it. A headless one whose process is gone is resumed first.
   */
  sendToWorker(name: string, prompt: string, options?: SendOptions): Promise<SendResult>
  interruptWorker(name: string): Promise<Worker>
  answerPermission(name: string, requestId: string, decision: Decision): Promise<Worker>
  /** A fork of its session in a worker of its own, with the same settings; the source goes on undisturbed. */
  forkWorker(name: string, request?: ForkWorkerRequest, options?: { readonly signal?: AbortSignal }): Promise<SpawnedWorker>
  /** Everything `forkWorker` is going to do; nothing is made. */
  planForkWorker(name: string, request?: ForkWorkerPlanRequest): Promise<Plan>
  /** Ends the agent: asks first, then a signal to its group. Its session stays. */
  stopWorker(name: string): Promise<Worker>
  /** Brings a terminal worker's pane before the person, or says with which command they can. */
  attachWorker(name: string): Promise<{ readonly shown: boolean; readonly command: readonly string[] | null }>
  /**
   * A turn in a session that has no worker yet: finds its worker or makes a headless one that resumes it in place. What
   * `POST /session/{id}/message` and the TUI's composer call. `model`: for this turn and those after it, `null` what the agent
   * chooses; absent: as its worker has it.
   */
  sendToSession(session: CatalogSession, prompt: string, options?: SendToSessionOptions): Promise<SendResult>
  /** Everything that happens in this process, as it happens. Gives what stops it. */
  onEvent(listener: (event: AppEvent) => void): () => void
  /** What happened after event `id` (0: all), or `null` where some of that is no longer kept or `id` is not of this process. */
  eventsSince(id: number): readonly AppEvent[] | null
  /** For who stays: watches sessions, captures and workers, and lets events tell of them, until closed. */
  keepWatch(): Promise<{ close(): Promise<void> }>
  /** Leaves terminal workers running, ends headless ones. */
  shutDown(): Promise<void>
}
