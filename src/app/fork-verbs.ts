// Forks and sessions started in workspaces of their own: planned, made, undone.
import type {
  ForkEntry,
  ForkRequest,
  ForkResult,
  MakingProgress,
  Plan,
  RecoverReport,
  UndoResult,
  WarningCode,
} from '../model/fork.ts'
import type { StartEntry, StartPlan, StartRequest, StartResult } from '../model/start.ts'

interface MakingOptions {
  /** Told again and again while the set-up command of a workspace runs. */
  readonly onProgress?: (progress: MakingProgress) => void
}

interface ForkOptions extends MakingOptions {
  readonly accept?: readonly WarningCode[]
}

export interface ForkVerbs {
  /** Everything a fork is going to do. Pure reading. */
  planFork(request: ForkRequest): Promise<Plan>
  /**
   * Makes the fork as planned, proves it, and takes everything back when something fails. Refuses a plan with blockers, with
   * warnings in `plan.confirm` that are not in `accept` (`confirm_needed`), and one that no longer holds (`plan_stale`).
   */
  executeFork(plan: Plan, options?: ForkOptions): Promise<ForkResult>
  /** A plan that was made here within the last hour; `plan_stale` otherwise. */
  plannedFork(id: string): Plan
  /** Executes such a plan. Where it no longer holds, `plan_stale` has a new one in `details.plan`. */
  executePlanned(id: string, options?: ForkOptions): Promise<ForkResult>
  fork(request: ForkRequest, options?: ForkOptions): Promise<ForkResult>
  /** Everything a start is going to do. Pure reading. */
  planStart(request: StartRequest): Promise<StartPlan>
  /** An agent's session in a workspace of its own, its id known from birth; opened by whoever asked, with `command`. */
  start(request: StartRequest, options?: MakingOptions): Promise<StartResult>
  /** Newest first, undone ones included. */
  listStarts(): Promise<readonly StartEntry[]>
  /** Newest first, undone ones included. */
  listForks(): Promise<readonly ForkEntry[]>
  /**
   * Removes a fork or a started session, by its id or its session's, or takes a restore back; the newest of all when none is
   * named. Refuses where work was done since.
   */
  /** Of a restore with many files, how many are done is told. */
  undo(
    id?: string,
    options?: { readonly force?: boolean; readonly onProgress?: (done: number, total: number) => void },
  ): Promise<UndoResult>
  /** Finishes or takes back forks, restores and undos that were cut off: done first by every verb that writes, and by `doctor --fix`. */
  recover(): Promise<RecoverReport>
}
