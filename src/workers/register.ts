// The book of workers: a name is taken and an entry changed under the database's write lock, so that two processes never give
// the same name twice.
import { isDiskFull } from '../lib/machine-fault.ts'
import { AppError } from '../model/error.ts'
import type { WorkerRequest, WorkerSettings } from '../model/worker.ts'
import { isStoreFault, toStoreError } from '../store/faults.ts'
import type { WorkerRecord } from '../store/workers.ts'
import type { WorkerContext } from './context.ts'
import { checkName, makeName } from './names.ts'

export interface NewWorker extends Omit<WorkerRecord, 'name'> {
  /** Absent: one is made. */
  readonly name?: string
  readonly unseenWorkers?: WorkerRequest['unseenWorkers']
}

/** Takes the name and writes the entry down, at one stroke. */
export function enter(context: WorkerContext, { name, unseenWorkers, ...rest }: NewWorker): WorkerRecord {
  const store = context.store()
  return writing(context, () => {
    const open = store.workers.open()
    const isTaken = (wanted: string) => open.some((each) => each.name === wanted || each.id === wanted)
    if (name !== undefined) checkFree(open, name, unseenWorkers)
    const double = open.find(({ agent, sessionId }) => sessionId !== null && sessionId === rest.sessionId && agent === rest.agent)
    if (double !== undefined) {
      const session = `${rest.agent}:${rest.sessionId}`
      if (unseenWorkers?.has(double.id)) throw new AppError('worker_busy', `The session ${session} is run by a worker already.`)
      throw new AppError('worker_busy', `The session ${session} is run by the worker "${double.name}" already.`, {
        hint: `Send to it: \`offshoot send ${double.name} ...\`.`,
      })
    }
    const record: WorkerRecord = { ...rest, name: name ?? makeName(isTaken) }
    store.workers.put(record)
    return record
  })
}

export function checkFree(
  open: readonly Pick<WorkerRecord, 'name' | 'id'>[],
  name: string,
  unseen: WorkerRequest['unseenWorkers'] = new Set(),
): void {
  checkName(name)
  if (!open.some((each) => (each.name === name || each.id === name) && !unseen.has(each.id))) return
  throw new AppError('name_taken', `There is a worker "${name}" already.`)
}

/** What was stored meanwhile is kept, but for what `change` says; `null` when the entry is gone. */
export function amend(
  context: WorkerContext,
  id: string,
  change: Partial<WorkerRecord> | ((record: WorkerRecord) => Partial<WorkerRecord>),
): WorkerRecord | null {
  const store = context.store()
  return writing(context, () => {
    const record = store.workers.get(id)
    if (record === null) return null
    const amended = { ...record, ...(typeof change === 'function' ? change(record) : change) }
    store.workers.put(amended)
    return amended
  })
}

/** What others are to see of a worker that we run: a full disk must not end its turn. False: it could not be written down. */
export function jot(context: WorkerContext, id: string, change: Parameters<typeof amend>[2]): boolean {
  try {
    amend(context, id, change)
    return true
  } catch (error) {
    if (!isDiskFull(error)) throw error
    return false
  }
}

/** A fault of the database is told as one that a person can do something about. */
function writing<T>(context: WorkerContext, work: () => T): T {
  try {
    return context.store().write(work)
  } catch (error) {
    throw isStoreFault(error) ? toStoreError(error) : error
  }
}

export function toStoredSettings({ env, ...settings }: WorkerSettings): WorkerRecord['settings'] {
  return { ...settings, env: Object.keys(env).sort() }
}
