// Workers that may be seen: those whose folder lies within a root and whose session, where it is known, does too.
import type { App } from '../app.ts'
import type { SessionName } from '../model/address.ts'
import type { CatalogSession } from '../model/catalog.ts'
import { AppError } from '../model/error.ts'
import type { Worker } from '../model/worker.ts'
import type { Gate } from './gate.ts'
import { placeOf, type Visible } from './visible.ts'

export interface WorkerGateContext {
  readonly gate: Gate
  readonly visible: Visible
  note(verb: string, subject: string, reason: string): void
  find(
    verb: string,
    text: string,
    name: Exclude<SessionName, { readonly kind: 'worker' }>,
    whole: boolean,
  ): Promise<CatalogSession>
}

export function createWorkerGate(app: Pick<App, 'findWorker' | 'listWorkers'>, context: WorkerGateContext) {
  const { gate, visible, note } = context

  async function isSeen({ agent, sessionId, cwd }: Worker): Promise<boolean> {
    if (!(await gate.letsFolder(cwd))) return false
    const { seen, hidden, partly } = await visible.sessions()
    const isIts = (session: CatalogSession) => session.agent === agent && session.id === sessionId
    const its = seen.find(isIts)
    // Who talks to it talks to all of its session.
    return its === undefined ? !hidden.some(isIts) : partly.get(placeOf(its))?.hidesLive !== true
  }

  async function filter(workers: readonly Worker[]): Promise<readonly Worker[]> {
    const verdicts = await Promise.all(workers.map(isSeen))
    return workers.filter((_, at) => verdicts[at] === true).map(maskWorker)
  }

  async function find(verb: string, name: string): Promise<Worker> {
    const worker = await findKnown(name)
    if (worker !== null && (await isSeen(worker))) return worker
    if (worker !== null) note(verb, `worker:${worker.name}`, 'its folder is outside the roots')
    const names = (await filter(await app.listWorkers())).map((each) => each.name)
    const there = names.length === 0 ? 'There are none.' : `There are: ${names.join(', ')}.`
    throw new AppError('worker_not_found', `There is no worker "${name}". ${there}`, { details: { candidates: names } })
  }

  /** The app's own error would name workers that may not be seen. */
  async function findKnown(name: string): Promise<Worker | null> {
    try {
      return await app.findWorker(name)
    } catch (error) {
      if (error instanceof AppError && error.code === 'worker_not_found') return null
      throw error
    }
  }

  return {
    find,
    filter,
    async sessionOf(verb: string, name: string): Promise<CatalogSession> {
      const { agent, sessionId, name: known } = await find(verb, name)
      if (sessionId === null) throw new AppError('worker_unforkable', `The session of worker:${known} is not known.`)
      return context.find(verb, `worker:${known}`, { kind: 'id', agent, prefix: sessionId }, true)
    },
  }
}

/** Of a variable only its name is told. */
export function maskWorker<W extends Worker>(worker: W): W {
  const { settings, command } = worker
  return { ...worker, settings: { ...settings, env: mask(settings.env) }, command: { ...command, env: mask(command.env) } }
}

function mask(env: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.keys(env).map((name) => [name, '***']))
}
