// The code of turns: captured, compared, brought back, cleared away; and the hooks that tell of turns.
import type { AfterOptions, AfterReport } from '../capture/after.ts'
import type { CaptureWatching, WatchCaptureOptions } from '../capture/watcher.ts'
import type {
  CaptureStatus,
  DiffRequest,
  DiffResult,
  GcReport,
  HookOutcome,
  HookRequest,
  HookStatus,
  PushState,
  RebuildReport,
  RestoreEntry,
  RestorePlan,
  RestoreRequest,
  RestoreResult,
} from '../model/capture.ts'

export interface CodeVerbs {
  /** The code between two turns, sessions or the present work tree; of one address: what that turn changed. */
  diff(request: DiffRequest): Promise<DiffResult>
  /** What restoring would change. Pure reading. */
  planRestore(request: RestoreRequest): Promise<RestorePlan>
  /** Brings the files of the plan back, after keeping the present state. Refuses while an agent is at work there. */
  restore(
    plan: RestorePlan,
    options?: { readonly force?: boolean; readonly onProgress?: (done: number, total: number) => void },
  ): Promise<RestoreResult>
  /**
   * Clears away workspaces, snapshots and leftovers nobody needs; never work that is nowhere else, unless forced. Looks at the
   * repository of the working directory; `all`, or a working directory outside any repository: at every one.
   */
  gc(options?: { readonly dryRun?: boolean; readonly force?: boolean; readonly all?: boolean }): Promise<GcReport>
  /** Newest first, undone ones included. */
  listRestores(): Promise<readonly RestoreEntry[]>
  /** What was captured, anew from the refs of every repository ever seen. */
  rebuildCaptures(): Promise<RebuildReport>
  /** What follows a capture: table, archive, packs, pushes. Stays up to `stayMs` for pushes that fail. */
  afterCapture(options?: AfterOptions): Promise<AfterReport>
  /** Captures turns of sessions whose agent has no hooks, as their transcripts grow. */
  watchCaptures(options?: WatchCaptureOptions): Promise<CaptureWatching>
  captureStatus(): Promise<CaptureStatus>
  /** Has agents tell us of their turns. What stands in their settings is not disturbed; doing it again changes nothing. */
  installHooks(request?: HookRequest): Promise<readonly HookOutcome[]>
  uninstallHooks(request?: HookRequest): Promise<readonly HookOutcome[]>
  hookStatus(request?: HookRequest): Promise<readonly HookStatus[]>
  /** How far the branches of workspaces have got to where they are pushed. */
  pushStates(): Promise<readonly PushState[]>
}
