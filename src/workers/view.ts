// An entry of the book as every face sees it. Values of the environment are never shown.
import type { PermissionRequest } from '../model/run.ts'
import type { Worker, WorkerState } from '../model/worker.ts'
import type { WorkerRecord } from '../store/workers.ts'
import type { PaneRef } from '../terminals/terminal.ts'
import type { WorkerContext } from './context.ts'
import { readLast } from './files.ts'

export interface Now {
  readonly state: WorkerState
  readonly permission?: PermissionRequest | null
  readonly pid?: number | null
}

const hidden = '***'

export function toWorker({ folder }: Pick<WorkerContext, 'folder'>, record: WorkerRecord, now: Now = record): Worker {
  const { owner: _, begin: __, pane: ___, settings, ...rest } = record
  const { input, error } = readLast(folder, record.id)
  return {
    ...rest,
    state: now.state,
    permission: now.permission ?? null,
    pid: now.pid === undefined ? record.pid : now.pid,
    terminalId: paneOf(record)?.id ?? null,
    settings: { ...settings, env: Object.fromEntries(settings.env.map((name) => [name, hidden])) },
    lastInput: input,
    error,
  }
}

export function paneOf({ pane }: Pick<WorkerRecord, 'pane'>): PaneRef | null {
  return pane as PaneRef | null
}

/** Where an event about it happens: decides who may hear of it. */
export function placeOf({ agent, sessionId, cwd, id }: Pick<WorkerRecord, 'agent' | 'sessionId' | 'cwd' | 'id'>) {
  return { agent, sessionId, cwd, workerId: id }
}
