// Workers that may be seen: those whose folder lies within a root and whose session, where it is known, does too.
import type { App } from '../app.ts'
import type { SessionName } from '../model/address.ts'
import type { CatalogSession } from '../model/catalog.ts'
import { AppError, type ErrorCode } from '../model/error.ts'
import type { Worker, WorkerRequest } from '../model/worker.ts'
import { findNamed } from '../workers/find.ts'
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

  async function parted(workers: readonly Worker[]) {
    const verdicts = await Promise.all(workers.map(isSeen))
    return { seen: workers.filter((_, at) => verdicts[at]), hidden: workers.filter((_, at) => !verdicts[at]) }
  }

  async function filter(workers: readonly Worker[]): Promise<readonly Worker[]> {
    return (await parted(workers)).seen.map(maskWorker)
  }

  async function find(verb: string, name: string): Promise<Worker> {
    // The app's own errors would name workers that may not be seen.
    const worker = await orNull(() => app.findWorker(name), ['worker_not_found', 'ambiguous'])
    if (worker !== null && (await isSeen(worker))) return worker
    // The name may be that of one that may be seen as well, or complete to just that one.
    const { seen } = await parted(await app.listWorkers({ ended: true }))
    const own = await orNull(async () => findNamed(seen, name), ['worker_not_found'])
    if (own !== null) return own
    if (worker !== null) note(verb, `worker:${worker.name}`, 'its folder is outside the roots')
    const names = seen.flatMap((each) => (each.endedAt === null ? [each.name] : []))
    const there = names.length === 0 ? 'There are none.' : `There are: ${names.join(', ')}.`
    throw new AppError('worker_not_found', `There is no worker "${name}". ${there}`, { details: { candidates: names } })
  }

  /** Nobody learns by a name that is taken, or a session that is run, of workers they may not see. */
  async function withUnseen<Request extends Pick<WorkerRequest, 'unseenWorkers'>>(request: Request): Promise<Request> {
    const { hidden } = await parted(await app.listWorkers())
    return hidden.length === 0 ? request : { ...request, unseenWorkers: new Set(hidden.map(({ id }) => id)) }
  }

  return {
    find,
    filter,
    withUnseen,
    async sessionOf(verb: string, name: string): Promise<CatalogSession> {
      const { agent, sessionId, name: known } = await find(verb, name)
      if (sessionId === null) throw new AppError('worker_unforkable', `The session of worker:${known} is not known.`)
      return context.find(verb, `worker:${known}`, { kind: 'id', agent, prefix: sessionId }, true)
    },
  }
}

async function orNull(look: () => Promise<Worker>, codes: readonly ErrorCode[]): Promise<Worker | null> {
  try {
    return await look()
  } catch (error) {
    if (error instanceof AppError && codes.includes(error.code)) return null
    throw error
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
