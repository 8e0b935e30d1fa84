// The history of a worker in a pane, brought up to date from its session's file: nobody may have been watching when a turn ended, and
// what a person typed in the pane belongs to it too.
import { join } from 'node:path'
import { errorMessage } from '../lib/error-message.ts'
import { isMissing } from '../lib/file-errors.ts'
import { withLockFile } from '../lib/lock-file.ts'
import { readRegularText } from '../lib/regular-file.ts'
import { AppError } from '../model/error.ts'
import { renderTime } from '../model/render-time.ts'
import type { WorkerRecord } from '../store/workers.ts'
import type { WorkerContext } from './context.ts'
import { type HistoryLine, historyPath, noteHistory, workerFolder } from './files.ts'
import { openTranscript } from './transcript.ts'
import { placeOf } from './view.ts'

/** Writes down what was said and answered in turns that have ended and are not in it yet. */
export async function catchUpHistory(context: WorkerContext, record: WorkerRecord): Promise<void> {
  const { settings, sessionId, agent, id, name } = record
  if (!settings.history || sessionId === null) return
  const isEarlier = ({ startedAt }: { readonly startedAt: number | null }) => (startedAt ?? 0) < record.createdAt
  const transcript = await openTranscript(context, agent, sessionId, { isKnown: isEarlier })
  const work = async () => {
    const lines = readHistory(context.folder, id)
    const answers = lines.filter((line) => line.type === 'answered')
    const answered = new Set(answers.map((line) => line.turn_id))
    let unanswered = lines.length - 2 * answers.length
    for (const turn of await transcript.newTurns()) {
      if (turn.state === 'running' || isEarlier(turn) || answered.has(turn.id)) continue
      if (unanswered > 0) unanswered -= 1
      else noteHistory(context.folder, id, { type: 'sent', at: renderTime(turn.startedAt), text: turn.prompt })
      const text = await transcript.answer(turn)
      const end = { at: renderTime(turn.endedAt), text, outcome: turn.state, turn_id: turn.id }
      noteHistory(context.folder, id, { type: 'answered', ...end })
    }
  }
  try {
    const onBusy = (pid: string) => new AppError('worker_busy', `Process ${pid} writes the history of "${name}".`)
    await withLockFile(join(workerFolder(context.folder, id), 'history.lock'), work, { maxTries: 100, onBusy })
  } catch (error) {
    // A full disk costs the log, not the turn.
    const text = `The history of "${name}" cannot be written: ${errorMessage(error)}`
    context.events.emit({ type: 'message.delta', data: { ...placeOf(record), event: { kind: 'notice', text } } })
  }
}

function readHistory(home: string, id: string): HistoryLine[] {
  try {
    const lines = readRegularText(historyPath(home, id)).split('\n')
    return lines.flatMap((line) => parseLine(line) ?? [])
  } catch (error) {
    if (isMissing(error)) return []
    throw error
  }
}

function parseLine(line: string): HistoryLine | null {
  try {
    return JSON.parse(line) as HistoryLine
  } catch {
    return null // the end of the file, or a line that a full disk cut short
  }
}
