// One worker as it is at this moment, whichever kind it is.
import { AppError } from '../model/error.ts'
import type { Worker, WorkerRequest } from '../model/worker.ts'
import type { WorkerOwner, WorkerRecord } from '../store/workers.ts'
import type { WorkerContext } from './context.ts'
import type { Headless } from './headless.ts'
import { catchUpHistory } from './history.ts'
import { noteLastOutcome } from './last-outcome.ts'
import { seePane } from './pane.ts'
import { questionOf } from './question-of.ts'
import { amend, checkFree } from './register.ts'
import { toWorker } from './view.ts'

export async function see(context: WorkerContext, headless: Headless, record: WorkerRecord): Promise<Worker> {
  if (record.endedAt !== null) return toWorker(context, record)
  if (record.kind === 'headless') return seeHeadless(context, headless, record)
  const sight = await seePane(context, record)
  if (sight.state === 'idle') await catchUpHistory(context, sight.record)
  if (sight.state === 'idle' || sight.state === 'waiting') await noteLastOutcome(context, sight)
  return toWorker(context, sight.record, { state: sight.state, permission: await questionOf(context, sight) })
}

/** Looks at the panes of those that stand in the way: how one ended is only written down once somebody looks. */
export async function seeDead(context: WorkerContext, isMeant: (record: WorkerRecord) => boolean): Promise<void> {
  for (const record of context.store().workers.open()) {
    if (record.kind !== 'terminal' || !isMeant(record)) continue
    try {
      await seePane(context, record)
    } catch (error) {
      // A terminal that cannot be asked now says nothing of its panes.
      if (!(error instanceof AppError)) throw error
    }
  }
}

/** Before anything is made, so that a name that is taken costs nothing. */
export async function refuseTakenName(
  context: WorkerContext,
  { name, unseenWorkers }: Pick<WorkerRequest, 'name' | 'unseenWorkers'>,
): Promise<void> {
  if (name === undefined) return
  await seeDead(context, (each) => each.name === name)
  checkFree(context.store().workers.open(), name, unseenWorkers)
}

async function seeHeadless(context: WorkerContext, headless: Headless, record: WorkerRecord): Promise<Worker> {
  const own = headless.look(record.id)
  if (own !== null) return toWorker(context, record, own)
  const owner = headless.heldElsewhere(record)
  if (owner !== null)
    return toWorker(context, record, { state: record.state, permission: await questionElsewhere(context, record, owner) })
  if (record.state === 'resumable' && record.owner === null) return toWorker(context, record)
  // Whoever held it is gone: what it had begun was cut off.
  const settled = amend(context, record.id, (stored) => ({
    state: 'resumable',
    owner: null,
    pid: null,
    turnCutOff: stored.turnCutOff || stored.state === 'running' || stored.state === 'waiting',
  }))
  return toWorker(context, settled ?? record)
}

/** Only who runs it knows what it asks; where that one cannot be spoken to, it is only known that it waits. */
async function questionElsewhere(
  context: WorkerContext,
  { id, state }: WorkerRecord,
  owner: WorkerOwner,
): Promise<Worker['permission']> {
  if (state !== 'waiting') return null
  try {
    return (await (await context.reachHolder(owner))?.permission(id)) ?? null
  } catch (error) {
    if (error instanceof AppError) return null
    throw error
  }
}
