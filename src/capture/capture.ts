// Capturing as one object: what `createApp` hands on. Each part is loaded when it is first asked for.
import type { Approximation, CodeAtTurn, CodeMoment, DiffRequest, DiffResult } from '../model/capture.ts'
import type { CatalogSession } from '../model/catalog.ts'
import type { Turn } from '../model/session.ts'
import type { CaptureContext } from './context.ts'

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

    async withSnapshots(session: CatalogSession, turns: readonly Turn[]): Promise<Turn[]> {
      return (await import('./turn-snapshots.ts')).withSnapshots(context.store(), session, turns)
    },
  }
}
