// The next best code of a turn that was never captured: rebuilt from the transcript's own edits, or the nearest commit.
import type { Approximation, CodeMoment } from '../model/capture.ts'
import type { CatalogSession } from '../model/catalog.ts'
import { AppError } from '../model/error.ts'
import type { CaptureContext } from './context.ts'

export async function approximate(_context: CaptureContext, _session: CatalogSession, _at: CodeMoment): Promise<Approximation> {
  return { code: null, reasons: ['this turn was not captured'] }
}

export async function writeReconstruction(
  _context: CaptureContext,
  _session: CatalogSession,
  _at: CodeMoment,
  _digest: string,
): Promise<string> {
  throw new AppError('plan_stale', 'The code of this turn cannot be rebuilt any more.')
}
