// How the last turn of a worker in a pane ended, read from its session's file whenever somebody looks at the worker: nobody may have
// followed the turn, whether `start`, `fork` or `send` began it or somebody typed it in the pane.
import { statSync } from 'node:fs'
import { lastLines } from '../lib/last-lines.ts'
import { AppError } from '../model/error.ts'
import type { Message } from '../model/session.ts'
import type { WorkerState } from '../model/worker.ts'
import type { WorkerRecord } from '../store/workers.ts'
import { findSessionFile, type WorkerContext } from './context.ts'
import { type LastTurn, noteLast, readLast } from './files.ts'
import { withoutSecrets } from './told.ts'

interface Seen {
  readonly record: WorkerRecord
  readonly state: WorkerState
  readonly screen: readonly string[]
}

/** Brings `error` of the worker up to date. A file that has not grown since is not read again. */
export async function noteLastOutcome(context: WorkerContext, { record, state, screen }: Seen): Promise<void> {
  const { folder } = context
  const known = readLast(folder, record.id).readFrom
  const readFrom = fileNow(context, record, known)
  if (readFrom === null || (known?.path === readFrom.path && known.bytes === readFrom.bytes)) return
  const read = await readLastTurn(context, record)
  if (read === null) return
  const { turn, messages } = read
  // Turns from before the worker are not its own.
  const outcome = turn === undefined || (turn.startedAt ?? 0) < record.createdAt ? null : turn.state
  // While a question is open, a turn without an end may still go on.
  if (outcome === 'running' || (state === 'waiting' && outcome === 'interrupted')) return
  const error = outcome === 'failed' ? await describeFailure(recordedError(messages), screen) : null
  noteLast(folder, record.id, { error, readFrom })
}

/** What the agent recorded, else what its screen shows. */
export async function describeFailure(recorded: string | null, screen: readonly string[]): Promise<string> {
  const words = recorded ?? lastLines(screen.join('\n'))
  return words === '' ? 'The agent did not say why.' : withoutSecrets(words)
}

/** The last error among the messages of a turn: what the API said. */
export function recordedError(messages: readonly Message[]): string | null {
  const errors = messages.filter(({ role, text }) => role === 'error' && text.trim() !== '')
  return errors.at(-1)?.text.trim() ?? null
}

/** Looks for the file only where it is not known or was moved: that takes a walk through all of the agent's sessions. */
function fileNow(context: WorkerContext, { agent, sessionId }: WorkerRecord, known: LastTurn['readFrom']): LastTurn['readFrom'] {
  if (sessionId === null) return null
  const stat = known === null ? undefined : statSync(known.path, { throwIfNoEntry: false })
  if (known !== null && stat !== undefined) return { path: known.path, bytes: stat.size }
  const file = findSessionFile(context, agent, sessionId)
  return file === null ? null : { path: file.path, bytes: file.bytes }
}

/** By the catalogue, which reads of a long file only what is new. */
async function readLastTurn(context: WorkerContext, { agent, sessionId }: WorkerRecord) {
  try {
    const { session } = await context.catalog.resolve(`${agent}:${sessionId}`)
    const { turns, messages } = await context.catalog.readTurns(session, { last: 1 })
    return { turn: turns.at(-1), messages }
  } catch (error) {
    if (error instanceof AppError) return null // its file cannot be read now
    throw error
  }
}
