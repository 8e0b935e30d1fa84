// A start that failed leaves nothing: no entry, no pane, no file of its environment, no workspace, no session that was made for it.
// One whose agent may still come stays as it is; so does what was worked in.
import { existsSync } from 'node:fs'
import { errorMessage } from '../lib/error-message.ts'
import { describeUndo } from '../lib/text/describe-undo.ts'
import { AppError } from '../model/error.ts'
import type { WorkerRecord } from '../store/workers.ts'
import type { WorkerContext } from './context.ts'
import { removeWorkerFolder } from './files.ts'
import type { SessionToRun } from './session.ts'
import { withoutSecrets } from './told.ts'
import { paneOf } from './view.ts'

/** Gives the error to throw: it says what became of the start. */
export async function takeBack(context: WorkerContext, id: string, session: SessionToRun, error: unknown): Promise<unknown> {
  const record = context.store().workers.get(id)
  if (record !== null && hasAgent(record)) return error
  if (record !== null) await closePane(context, record)
  context.store().workers.remove(id)
  removeWorkerFolder(context.folder, id)
  const fate = session.madeId === null ? null : await undo(context, session, session.madeId)
  if (!(error instanceof AppError)) return error
  const message = await withoutSecrets(error.message)
  const { code, details } = error
  const hint = (record === null ? null : byHand(record)) ?? error.hint
  return new AppError(code, fate === null ? message : `${message}\n${fate}`, { hint, details, cause: error })
}

/** Its agent has ended, perhaps with too few words, and its folder is still there. */
function byHand({ endedAt, cwd }: WorkerRecord): string | null {
  return endedAt !== null && existsSync(cwd) ? `Run its agent by hand in ${cwd} to see more.` : null
}

/** It runs, or may still come: not ready in time, or not able to take its prompt now. */
function hasAgent({ kind, pane, state, endedAt }: WorkerRecord): boolean {
  return endedAt === null && (kind === 'terminal' ? pane !== null : state !== 'resumable')
}

/** A pane that failed is kept to be read; what it says is in the error. */
async function closePane(context: WorkerContext, record: WorkerRecord): Promise<void> {
  const pane = paneOf(record)
  if (pane === null) return
  try {
    await (await context.terminal(pane.terminal)).close(pane)
    await context.forgetPane(pane)
  } catch (error) {
    if (!(error instanceof AppError)) throw error // a terminal that cannot be asked now keeps it
  }
}

async function undo(context: WorkerContext, { cwd, workspace }: SessionToRun, id: string): Promise<string> {
  try {
    return describeUndo(await context.forkingAt(cwd).undo(id), workspace !== null)
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    const what = workspace === null ? 'Its session' : `Its workspace ${workspace.path}`
    return `${what} was kept: ${errorMessage(error)}`
  }
}
