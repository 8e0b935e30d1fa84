// Capturing as one object: what `createApp` hands on. Each part is loaded when it is first asked for.
import { existsSync } from 'node:fs'
import type {
  Approximation,
  CaptureStatus,
  CodeAtTurn,
  CodeMoment,
  DiffRequest,
  DiffResult,
  GcReport,
  IsOpen,
  PushState,
  RebuildReport,
  RestoreEntry,
  RestorePlan,
  RestoreRequest,
  RestoreResult,
  RestoreUndone,
} from '../model/capture.ts'
import type { CatalogSession, Check } from '../model/catalog.ts'
import { nothingRecovered, type RecoverReport } from '../model/fork.ts'
import type { Turn } from '../model/session.ts'
import { removingPath } from '../snapshots/removing-path.ts'
import type { AfterOptions, AfterReport } from './after.ts'
import type { CaptureContext } from './context.ts'
import type { GcOptions } from './gc/gc.ts'
import type { RestoreOptions } from './restore.ts'
import type { CaptureWatching, WatchCaptureOptions } from './watcher.ts'

export function createCapture(context: CaptureContext) {
  const ingest = async () => void (await (await import('./ingest.ts')).ingest(context))
  return {
    /** What was captured, also of a turn inherited from another session. */
    async codeAt(session: CatalogSession, at: CodeMoment, isOpen?: IsOpen): Promise<CodeAtTurn | null> {
      return (await import('./code-at.ts')).codeAt(context, session, at, isOpen)
    },

    async approximate(session: CatalogSession, at: CodeMoment, isOpen?: IsOpen): Promise<Approximation> {
      return (await import('./approximate.ts')).approximate(context, session, at, isOpen)
    },

    async writeReconstruction(session: CatalogSession, at: CodeMoment, digest: string): Promise<string> {
      return (await import('./approximate.ts')).writeReconstruction(context, session, at, digest)
    },

    async diff(request: DiffRequest): Promise<DiffResult> {
      await ingest()
      return (await import('./diff.ts')).diffCode(context, request)
    },

    async planRestore(request: RestoreRequest): Promise<RestorePlan> {
      await ingest()
      return (await import('./restore.ts')).planRestore(context, request)
    },

    async restore(plan: RestorePlan, options?: RestoreOptions): Promise<RestoreResult> {
      return (await import('./restore.ts')).restore(context, plan, options)
    },

    /** The restore that `undo` means: the one named, or without a name the newest, if it is newer than this. */
    findRestore(name: string | undefined, newerThan: number): string | null {
      const all = context.store().restores.all()
      if (name === undefined) return all.find(({ state, createdAt }) => state === 'restored' && createdAt > newerThan)?.id ?? null
      const found = all.filter(({ id }) => id === name || (name.length >= 4 && id.startsWith(name)))
      return found.length === 1 ? (found[0]?.id ?? null) : null
    },

    async undoRestore(id: string, options?: RestoreOptions): Promise<RestoreUndone> {
      return (await import('./undo-restore.ts')).undoRestore(context, id, options)
    },

    async listRestores(): Promise<RestoreEntry[]> {
      const { toEntry } = await import('./undo-restore.ts')
      return context.store().restores.all().map(toEntry)
    },

    async gc(options?: GcOptions): Promise<GcReport> {
      await ingest()
      return (await import('./gc/gc.ts')).collectGarbage(context, options)
    },

    async recoverRemovals(): Promise<RecoverReport> {
      const there = context
        .store()
        .workspaces.all()
        .filter(({ removedAt }) => removedAt === null)
      if (there.every((workspace) => !existsSync(removingPath(workspace)))) return nothingRecovered
      return (await import('./gc/recover-removals.ts')).recoverRemovals(context, there)
    },

    async recoverRestores(): Promise<RecoverReport> {
      if (context.store().restores.cutOff().length === 0) return nothingRecovered
      return (await import('./recover-restores.ts')).recoverRestores(context)
    },

    async checkRestores(): Promise<Check[]> {
      const cut = context
        .store()
        .restores.cutOff()
        .map(({ id }) => id)
      if (cut.length === 0) return []
      const message = `${cut.length === 1 ? 'one restore was' : `${cut.length} restores were`} cut off: ${cut.join(', ')}`
      return [{ id: 'restores', state: 'warn', message, fix: 'offshoot doctor --fix' }]
    },

    async rebuildCaptures(): Promise<RebuildReport> {
      await context.catalog.refresh()
      await (await import('./ingest.ts')).ingest(context)
      return (await import('./rebuild.ts')).rebuildCaptures(context)
    },

    async afterCapture(options?: AfterOptions): Promise<AfterReport> {
      return (await import('./after.ts')).afterCapture(context, options)
    },

    async watchCaptures(options?: WatchCaptureOptions): Promise<CaptureWatching> {
      return (await import('./watcher.ts')).watchCaptures(context, options)
    },

    async pushStates(): Promise<PushState[]> {
      // A listing of sessions asks this each time, and hardly anyone pushes: it loads nothing for them.
      if (context.store().pushes.all().length === 0) return []
      return (await import('./push.ts')).pushStates(context)
    },

    async captureStatus(): Promise<CaptureStatus> {
      const { countPending } = await import('./pending.ts')
      const { sessions, captures } = context.store()
      return { sessions: sessions.count(), captures: captures.count(), waiting: countPending(context.folder) }
    },

    async checkCaptures(): Promise<readonly Check[]> {
      return (await import('./checks.ts')).checkCaptures(context)
    },

    /** The turns as the catalogue has them now, each with what was captured of it. */
    async withSnapshots(session: CatalogSession, turns: readonly Turn[]): Promise<Turn[]> {
      await (await import('./ingest.ts')).ingest(context)
      return (await import('./turn-snapshots.ts')).withSnapshots(context.store(), session, turns)
    },
  }
}
