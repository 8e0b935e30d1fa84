// Running agents as one object: what `createApp` hands on. Headless ones live in this process, terminal ones in their panes; both
// answer to the same verbs.
import type { CatalogSession } from '../model/catalog.ts'
import { AppError } from '../model/error.ts'
import type { ForkResult, Plan } from '../model/fork.ts'
import { modelNameProblem } from '../model/model-name.ts'
import type { Decision } from '../model/run.ts'
import type { StartPlan, StartResult } from '../model/start.ts'
import type {
  ForkWorkerPlanRequest,
  ForkWorkerRequest,
  SendOptions,
  SendResult,
  SendToSessionOptions,
  SpawnedWorker,
  Worker,
  WorkerRequest,
} from '../model/worker.ts'
import type { WorkerRecord } from '../store/workers.ts'
import type { WorkerContext } from './context.ts'
import { findRecord } from './find.ts'
import { createHeadless, type Headless } from './headless.ts'
import { holderOf } from './ownership.ts'
import { openPaneOf, seePane } from './pane.ts'
import { ended, waiting } from './refusals.ts'
import { see, seeDead } from './see.ts'
import { escapeTurn } from './send-pane.ts'
import { createSending } from './sending.ts'
import { stopWorker } from './stop.ts'
import { createTurnTeller, type TurnTeller } from './tell-turns.ts'
import type { Transcript } from './transcript.ts'
import { placeOf, toWorker } from './view.ts'

/** What the parts of this folder share. */
export interface WorkerBench {
  readonly context: WorkerContext
  readonly headless: Headless
  readonly teller: TurnTeller
  /** Says once, of each worker, that it was seen to be ready. */
  tellReady(record: WorkerRecord): void
  see(id: string): Promise<Worker>
  send(id: string, prompt: string, options?: SendOptions): Promise<SendResult>
  transcriptOf(record: WorkerRecord): Promise<Transcript | null>
  /** Watches the turn that a pane was opened with. */
  followPane(id: string, prompt: string, transcript: Transcript | null): void
}

export function createWorkers(context: WorkerContext) {
  const headless = createHeadless(context)
  const teller = createTurnTeller(context)
  const sending = createSending(context, headless, teller)
  const { transcriptOf, followPane } = sending
  const ready = new Set<string>()
  const bench: WorkerBench = { context, headless, teller, tellReady, see: seeById, send, transcriptOf, followPane }

  function tellReady(record: WorkerRecord): void {
    if (ready.has(record.id)) return
    ready.add(record.id)
    context.events.emit({ type: 'worker.ready', data: placeOf(record) })
  }

  async function seeById(id: string): Promise<Worker> {
    return see(context, headless, findRecord(context, id))
  }

  /** One whose terminal cannot be asked now is shown as it was last seen, and hides none of the others. */
  async function seeIfPossible(record: WorkerRecord): Promise<Worker> {
    try {
      return await see(context, headless, record)
    } catch (error) {
      if (error instanceof AppError) return toWorker(context, record)
      throw error
    }
  }

  async function send(id: string, prompt: string, options: SendOptions = {}): Promise<SendResult> {
    const record = findRecord(context, id)
    if (record.endedAt !== null) throw ended(record)
    if (prompt.trim() === '') throw new AppError('usage', 'The prompt is empty.')
    const result = await (record.kind === 'headless'
      ? sending.sendHeadless(record, prompt, options)
      : sending.sendPane(record, prompt, options))
    return { worker: await seeById(record.id), ...result }
  }

  return {
    async listWorkers({ ended: withEnded = false } = {}): Promise<readonly Worker[]> {
      const { workers } = context.store()
      const seen = await Promise.all((withEnded ? workers.all() : workers.open()).map(seeIfPossible))
      return withEnded ? seen : seen.filter(({ endedAt }) => endedAt === null)
    },

    findWorker: async (name: string): Promise<Worker> => see(context, headless, findRecord(context, name)),

    async spawnWorker(request: WorkerRequest, { signal }: { readonly signal?: AbortSignal } = {}): Promise<SpawnedWorker> {
      return (await import('./spawn.ts')).spawnWorker(bench, request, signal)
    },

    async planWorker(request: WorkerRequest): Promise<StartPlan> {
      return (await import('./spawn.ts')).planWorker(bench, request)
    },

    async planSpawnedFork(request: WorkerRequest): Promise<Plan> {
      return (await import('./spawn.ts')).planSpawnedFork(bench, request)
    },

    async workOn(
      made: ForkResult | StartResult,
      request: Pick<WorkerRequest, 'name' | 'prompt' | 'send' | 'terminal' | 'kind' | 'settings'> = {},
      { signal }: { readonly signal?: AbortSignal } = {},
    ): Promise<SpawnedWorker> {
      return (await import('./spawn.ts')).workOn(bench, made, request, signal)
    },

    sendToWorker: async (name: string, prompt: string, options?: SendOptions): Promise<SendResult> =>
      send(findRecord(context, name).id, prompt, options),

    async sendToSession(session: CatalogSession, prompt: string, given: SendToSessionOptions = {}): Promise<SendResult> {
      const { model, ...options } = given
      if (model !== undefined) checkModel(model)
      const runsIt = ({ agent, sessionId }: WorkerRecord) => agent === session.agent && sessionId === session.id
      await seeDead(context, runsIt)
      const known = context.store().workers.open().find(runsIt)
      if (known !== undefined) {
        if (model !== undefined && model !== known.settings.model) await headless.changeModel(known, model)
        return send(known.id, prompt, options)
      }
      const { agent, id, cwd } = session
      if (cwd === null) throw new AppError('refused', `${agent}:${id} names no folder to go on in.`)
      const { spawnWorker } = await import('./spawn.ts')
      const settings = model === undefined ? {} : { settings: { model } }
      const resume = `${agent}:${id}`
      const worker = await spawnWorker(bench, { agent, kind: 'headless', projectPath: cwd, resume, ...settings })
      return send(worker.id, prompt, options)
    },

    async interruptWorker(name: string): Promise<Worker> {
      const record = findRecord(context, name)
      if (record.endedAt !== null) throw ended(record)
      if (record.kind === 'terminal') await interruptPane(record)
      else if (headless.look(record.id) !== null) await headless.interrupt(record.id)
      else await (await holderOf(context, headless, record))?.interrupt(record.id)
      return seeById(record.id)
    },

    async answerPermission(name: string, requestId: string, decision: Decision): Promise<Worker> {
      const record = findRecord(context, name)
      if (record.endedAt !== null) throw ended(record)
      // What a key means in a dialog changes from version to version: a person answers there.
      if (record.kind === 'terminal') throw waiting(record, (await seePane(context, record)).look?.question ?? null)
      const holder = await holderOf(context, headless, record)
      if (holder === null) await headless.answer(record, requestId, decision)
      else await holder.answer(record.id, requestId, decision)
      return seeById(record.id)
    },

    async forkWorker(
      name: string,
      request: ForkWorkerRequest = {},
      { signal }: { readonly signal?: AbortSignal } = {},
    ): Promise<SpawnedWorker> {
      return (await import('./fork.ts')).forkWorker(bench, findRecord(context, name), request, signal)
    },

    async planForkWorker(name: string, request: ForkWorkerPlanRequest = {}): Promise<Plan> {
      return (await import('./fork.ts')).planForkWorker(bench, findRecord(context, name), request)
    },

    async stopWorker(name: string): Promise<Worker> {
      const record = findRecord(context, name)
      if (record.endedAt !== null) return toWorker(context, record)
      const holder = await holderOf(context, headless, record)
      if (holder === null) return toWorker(context, await stopWorker(bench, record))
      await holder.stop(record.id)
      return seeById(record.id)
    },

    async attachWorker(name: string): Promise<{ readonly shown: boolean; readonly command: readonly string[] | null }> {
      const record = findRecord(context, name)
      if (record.kind === 'headless') {
        throw new AppError('usage', `"${record.name}" is headless: there is no pane to attach to.`, {
          hint: `Send to it: \`offshoot send ${record.name} ...\`.`,
        })
      }
      const sight = await seePane(context, record)
      if (sight.record.endedAt !== null) throw ended(sight.record)
      const { terminal, pane } = await openPaneOf(context, record)
      return terminal.focus(pane)
    },

    /** Answers `worker:<name>` as an address. */
    sessionOfWorker(name: string): { readonly agent: WorkerRecord['agent']; readonly sessionId: string } {
      const { agent, sessionId, name: known } = findRecord(context, name)
      if (sessionId === null) throw new AppError('worker_unforkable', `The session of the worker "${known}" is not known.`)
      return { agent, sessionId }
    },

    /** Looks at the panes now and then and tells what changed, until closed. */
    async watchPanes(): Promise<{ close(): Promise<void> }> {
      return (await import('./watch-panes.ts')).watchPanes(bench, sending.isFollowed)
    },

    async shutDown(): Promise<void> {
      sending.leave()
      await Promise.all(headless.ids().map((id) => headless.close(id)))
      await sending.settled()
    },
  }

  async function interruptPane(record: WorkerRecord): Promise<void> {
    const sight = await seePane(context, record)
    if (sight.state === 'waiting') throw waiting(record, sight.look?.question ?? null)
    if (sight.state !== 'running') return
    await escapeTurn(context, record)
  }
}

function checkModel(model: string | null): void {
  const problem = model === null ? null : modelNameProblem(model)
  if (problem !== null) throw new AppError('usage', problem)
}
