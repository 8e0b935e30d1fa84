// Clears away what nobody needs any more and says why; and says why the rest stays. Anything that may hold somebody's work (dirty,
// not merged, not pushed, still to be undone) stays unless forced, and even then its last state is kept for a while.
import { errorMessage } from '../../lib/error-message.ts'
import type { Garbage, GcReport } from '../../model/capture.ts'
import { AppError } from '../../model/error.ts'
import { findRepositoryIfAny } from '../../snapshots/repository.ts'
import { withLock } from '../../store/lock.ts'
import type { CaptureContext } from '../context.ts'
import { findBundleGarbage } from './bundles.ts'
import { findFileGarbage } from './files.ts'
import { findSafetyGarbage } from './safety-states.ts'
import { createSessionBook, type SessionBook } from './session-book.ts'
import { findSnapshotGarbage } from './session-snapshots.ts'
import { findWorkspaceGarbage } from './workspaces.ts'

export interface GcOptions {
  readonly dryRun?: boolean
  readonly force?: boolean
  /** Every repository, not only the one of the working directory. */
  readonly all?: boolean
}

/** Something that may go, with the deed; or, without one, something that stays. */
export interface Finding extends Garbage {
  readonly remove: (() => Promise<void>) | null
}

export interface GcContext extends CaptureContext {
  readonly sessions: SessionBook
  readonly force: boolean
  /** Git directory of the one repository to look at; `null`: all of them. */
  readonly repository: string | null
}

export async function collectGarbage(
  context: CaptureContext,
  { dryRun = false, force = false, all = false }: GcOptions = {},
): Promise<GcReport> {
  const report = await withGarbage(context, { force, all }, async (gc) => {
    const removed: Garbage[] = []
    const kept: Garbage[] = []
    // In this order: a workspace that goes may leave snapshots nobody needs.
    for (const find of [findWorkspaceGarbage, findSnapshotGarbage, findSafetyGarbage, findBundleGarbage, findFileGarbage]) {
      for (const { remove, ...garbage } of await find(gc)) {
        const problem = remove === null || dryRun ? null : await attempt(remove)
        if (remove !== null && problem === null) removed.push(garbage)
        else kept.push(problem === null ? garbage : { ...garbage, reason: `it could not be removed: ${problem}` })
      }
    }
    return {
      removed,
      kept,
      freedBytes: removed.reduce((total, { bytes }) => total + bytes, 0),
      dryRun,
      repository: gc.repository,
    }
  })
  if (report === null) throw new AppError('busy', 'Another offshoot is clearing up.', { hint: 'Try again in a moment.' })
  return report
}

/** One process at a time; `null` when another one is at it. */
export async function withGarbage<T>(
  context: CaptureContext,
  { force, all }: Required<Omit<GcOptions, 'dryRun'>>,
  work: (gc: GcContext) => Promise<T>,
): Promise<T | null> {
  return withLock(
    context.folder,
    'gc',
    async () => {
      await context.catalog.refresh()
      const repository = all ? null : ((await findRepositoryIfAny(context.git, context.cwd))?.commonDir ?? null)
      return work({ ...context, sessions: createSessionBook(context), force, repository })
    },
    { keepFile: true },
  )
}

/** One that cannot be removed must not stop the others. */
async function attempt(remove: () => Promise<void>): Promise<string | null> {
  try {
    await remove()
    return null
  } catch (error) {
    return errorMessage(error)
  }
}
