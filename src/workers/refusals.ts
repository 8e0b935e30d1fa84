// Why a worker takes no prompt now, or cannot be started, in words that say what to do.
import { AppError } from '../model/error.ts'
import type { AgentId } from '../model/session.ts'
import type { WorkerRecord } from '../store/workers.ts'

export function waiting({ name, kind }: WorkerRecord, question: string | null): AppError {
  const what = question === null ? '' : `: ${question}`
  const how =
    kind === 'terminal' ? `Answer it in its pane: \`offshoot attach ${name}\`.` : `Answer it first: \`offshoot answer ${name}\`.`
  return new AppError('worker_waiting', `"${name}" waits for an answer${what}`, { hint: how })
}

export function ended(record: WorkerRecord): AppError {
  if (record.state === 'stopped') return new AppError('worker_ended', `"${record.name}" was stopped.`)
  return new AppError('worker_ended', `"${record.name}" has ended ${howItEnded(record)}.`)
}

/** Behind "ended": `with status 1`, `by SIGKILL`. */
export function howItEnded({ exitStatus, exitSignal }: Pick<WorkerRecord, 'exitStatus' | 'exitSignal'>): string {
  if (exitSignal !== null) return `by ${exitSignal}`
  return exitStatus !== null ? `with status ${exitStatus}` : 'without telling how'
}

export function nothingToContinue(agent: AgentId, folder: string): AppError {
  return new AppError('session_not_found', `There is no ${agent} session in ${folder} to continue.`)
}
