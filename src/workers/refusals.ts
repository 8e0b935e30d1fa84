// Why a worker takes no prompt now, in words that say what to do.
import { AppError } from '../model/error.ts'
import type { WorkerRecord } from '../store/workers.ts'

export function waiting({ name, kind }: WorkerRecord, question: string | null): AppError {
  const what = question === null ? '' : `: ${question}`
  const how = kind === 'terminal' ? `Answer it in its pane: offshoot attach ${name}` : `Answer it first: offshoot answer ${name}`
  return new AppError('worker_waiting', `"${name}" waits for an answer${what}`, { hint: how })
}

export function ended({ name, exitStatus, exitSignal }: WorkerRecord): AppError {
  const how = exitSignal !== null ? ` (${exitSignal})` : exitStatus !== null ? ` with status ${exitStatus}` : ''
  return new AppError('worker_ended', `"${name}" has ended${how}.`)
}
