// Capturing as one object: what `createApp` hands on. Each part is loaded when it is first asked for.
import type {
  Approximation,
  CodeAtTurn,
  CodeMoment,
  DiffRequest,
  DiffResult,
  IndexStatus,
  PushState,
  RebuildReport,
} from '../model/capture.ts'
import type { CatalogSession, Check } from '../model/catalog.ts'
import type { Turn } from '../model/session.ts'
import type { AfterReport } from './after.ts'
import type { CaptureContext } from './context.ts'
import type { CaptureWatching, WatchCaptureOptions } from './watcher.ts'

export function createCapture(context: CaptureContext) {
  return {
    /** What was captured, also of a turn inherited from another session. */
    async codeAt(session: CatalogSession, at: CodeMoment): Promise<CodeAtTurn | null> {
      return (await import('./code-at.ts')).codeAt(context, session, at)
    },

    async approximate(session: CatalogSession, at: CodeMoment): Promise<Approximation> {
      return (await import('./approximate.ts')).approximate(context, session, at)
    },

    async writeReconstruction(session: CatalogSession, at: CodeMoment, digest: string): Promise<string> {
      return (await import('./approximate.ts')).writeReconstruction(context, session, at, digest)
    },

    async diff(request: DiffRequest): Promise<DiffResult> {
      return (await import('./diff.ts')).diffCode(context, request)
    },

    async rebuildCaptures(): Promise<RebuildReport> {
      await context.catalog.refresh()
      await (await import('./ingest.ts')).ingest(context)
      return (await import('./rebuild.ts')).rebuildCaptures(context)
    },

    async afterCapture(options?: { readonly stayMs?: number }): Promise<AfterReport> {
      return (await import('./after.ts')).afterCapture(context, options)
    },

    async watchCaptures(options?: WatchCaptureOptions): Promise<CaptureWatching> {
      return (await import('./watcher.ts')).watchCaptures(context, options)
    },

    async pushStates(): Promise<PushState[]> {
      return (await import('./push.ts')).pushStates(context)
    },

    async indexStatus(): Promise<IndexStatus> {
      const { countPending } = await import('./pending.ts')
      const { sessions, captures } = context.store()
      return { sessions: sessions.count(), captures: captures.count(), waiting: countPending(context.folder) }
    },

    async checkCaptures(): Promise<Check[]> {
      return (await import('./checks.ts')).checkCaptures(context)
    },

    /** The turns as the catalogue has them now, each with what was captured of it. */
    async withSnapshots(session: CatalogSession, turns: readonly Turn[]): Promise<Turn[]> {
      await (await import('./ingest.ts')).ingest(context)
      return (await import('./turn-snapshots.ts')).withSnapshots(context.store(), session, turns)
    },
  }
}
