// Running agents as one object: what `createApp` hands on. Headless ones live in this process, terminal ones in their panes; both
// answer to the same verbs.
import { join } from 'node:path'
import { withLockFile } from '../lib/lock-file.ts'
import type { CatalogSession } from '../model/catalog.ts'
import { AppError } from '../model/error.ts'
import type { ForkResult } from '../model/fork.ts'
import { modelNameProblem } from '../model/model-name.ts'
import { renderTime } from '../model/render-time.ts'
import type { Decision, RunEvent } from '../model/run.ts'
import type { StartResult } from '../model/start.ts'
import type {
  ForkWorkerRequest,
  SendOptions,
  SendResult,
  SendToSessionOptions,
  SpawnedWorker,
  Worker,
  WorkerHolder,
  WorkerRequest,
} from '../model/worker.ts'
import type { WorkerRecord } from '../store/workers.ts'
import type { Begin, WorkerContext } from './context.ts'
import { noteHistory, workerFolder } from './files.ts'
import { findRecord } from './find.ts'
import { followTurn } from './follow-pane.ts'
import { createHeadless, type Headless, type TurnEnd, waiting } from './headless.ts'
import { heldBy } from './ownership.ts'
import { openPaneOf, seePane } from './pane.ts'
import { see, seeDead } from './see.ts'
import { escapeTurn, sendToPane } from './send-pane.ts'
import { stopWorker } from './stop.ts'
import { openTranscript, type Transcript } from './transcript.ts'
import { placeOf, toWorker } from './view.ts'

/** What the parts of this folder share. */
export interface WorkerBench {
  readonly context: WorkerContext
  readonly headless: Headless
  /** Says once, of each worker, that it was seen to be ready. */
  tellReady(record: WorkerRecord): void
  see(id: string): Promise<Worker>
  send(id: string, prompt: string, options?: SendOptions): Promise<SendResult>
  transcriptOf(record: WorkerRecord): Promise<Transcript | null>
  /** Watches the turn that a pane was opened with. */
  followPane(id: string, prompt: string, transcript: Transcript | null): void
}

const onlyOneSends = 400

export function createWorkers(context: WorkerContext) {
  const headless = createHeadless(context)
  /** Turns in panes that are being followed, by worker. */
  const following = new Map<string, Promise<TurnEnd>>()
  const over = new AbortController()

  const ready = new Set<string>()
  const bench: WorkerBench = { context, headless, tellReady, see: seeById, send, transcriptOf, followPane }

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
      if (error instanceof AppError) return toWorker(record)
      throw error
    }
  }

  async function send(id: string, prompt: string, options: SendOptions = {}): Promise<SendResult> {
    const record = findRecord(context, id)
    if (record.endedAt !== null) throw ended(record)
    if (prompt.trim() === '') throw new AppError('usage', 'The prompt is empty.')
    const result = await (record.kind === 'headless' ? sendHeadless(record, prompt, options) : sendPane(record, prompt, options))
    return { worker: await seeById(record.id), ...result }
  }

  async function sendHeadless(record: WorkerRecord, prompt: string, options: SendOptions) {
    const holder = await holderOf(record)
    if (holder !== null) return holder.send(record.id, prompt, options)
    const { wait = true, signal, onEvent } = options
    const turn = await headless.send(record.id, prompt)
    note(record, { type: 'sent', at: time(), text: prompt })
    if (onEvent !== undefined) turn.onEvent(onEvent)
    turn.ended.then(({ answer, outcome }) => note(record, { type: 'answered', at: time(), text: answer, outcome }))
    if (!wait) {
      await bounded(record, turn.taken, record.settings.readyTimeoutMs, signal)
      return { delivery: 'confirmed', answer: null, outcome: 'running' } as const
    }
    const { answer, outcome } = await bounded(record, turn.ended, record.settings.responseTimeoutMs, signal)
    return { delivery: 'confirmed', answer, outcome } as const
  }

  async function sendPane(record: WorkerRecord, prompt: string, { wait = true, signal, onEvent }: SendOptions) {
    const transcript = await transcriptOf(record)
    const lock = join(workerFolder(context.folder, record.id), 'send.lock')
    const onBusy = (pid: string) => new AppError('worker_busy', `Process ${pid} is sending to "${record.name}" right now.`)
    const deliver = () => sendToPane(context, record, prompt, transcript)
    const delivery = await withLockFile(lock, deliver, { maxTries: onlyOneSends, onBusy })
    note(record, { type: 'sent', at: time(), text: prompt })
    if (delivery === 'unconfirmed') return { delivery, answer: null, outcome: 'running' } as const
    const turn = follow(record, prompt, transcript, onEvent)
    if (!wait) return { delivery, answer: null, outcome: 'running' } as const
    const { answer, outcome } = await bounded(record, turn, record.settings.responseTimeoutMs, signal)
    return { delivery, answer, outcome }
  }

  async function transcriptOf({ agent, sessionId, begin }: WorkerRecord): Promise<Transcript | null> {
    const sourceId = (begin as Begin | null)?.kind === 'fork' ? (begin as Begin & { kind: 'fork' }).sourceId : undefined
    return sessionId === null ? null : openTranscript(context, agent, sessionId, sourceId)
  }

  /** Once for each turn, whoever waits for it; nobody waiting is no fault. */
  function follow(
    record: WorkerRecord,
    prompt: string,
    transcript: Transcript | null,
    onEvent: (event: RunEvent) => void = () => undefined,
  ): Promise<TurnEnd> {
    const of = placeOf(record)
    context.events.emit({ type: 'turn.started', data: { ...of, turnId: null, prompt } })
    if (transcript === null) return Promise.resolve({ answer: null, outcome: 'complete', error: null })
    const turn = followTurn(context, record, { transcript, onEvent, signal: over.signal }).then((end) => {
      const { turnId, outcome, error, answer } = end
      onEvent({ kind: 'end', outcome, error })
      note(record, { type: 'answered', at: time(), text: answer, outcome })
      context.events.emit({ type: 'turn.completed', data: { ...of, turnId, outcome, error } })
      return end
    })
    following.set(record.id, turn)
    turn.catch(() => undefined).finally(() => following.get(record.id) === turn && following.delete(record.id))
    return turn
  }

  function followPane(id: string, prompt: string, transcript: Transcript | null): void {
    const record = findRecord(context, id)
    note(record, { type: 'sent', at: time(), text: prompt })
    void follow(record, prompt, transcript).catch(() => undefined) // nobody waits for it
  }

  function note(record: WorkerRecord, line: Parameters<typeof noteHistory>[2]): void {
    if (!record.settings.history) return
    try {
      noteHistory(context.folder, record.id, line)
    } catch (error) {
      // A full disk costs the log, not the turn.
      const text = `The history of "${record.name}" cannot be written: ${error instanceof Error ? error.message : error}`
      context.events.emit({ type: 'message.delta', data: { ...placeOf(record), event: { kind: 'notice', text } } })
    }
  }

  const time = () => renderTime(context.now())

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

    async workOn(
      made: ForkResult | StartResult,
      request: Pick<WorkerRequest, 'name' | 'prompt' | 'terminal' | 'kind' | 'settings'> = {},
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
      else await (await holderOf(record))?.interrupt(record.id)
      return seeById(record.id)
    },

    async answerPermission(name: string, requestId: string, decision: Decision): Promise<Worker> {
      const record = findRecord(context, name)
      if (record.endedAt !== null) throw ended(record)
      // What a key means in a dialog changes from version to version: a person answers there.
      if (record.kind === 'terminal') throw waiting(record, (await seePane(context, record)).look?.question ?? null)
      const holder = await holderOf(record)
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

    async stopWorker(name: string): Promise<Worker> {
      const record = findRecord(context, name)
      if (record.endedAt !== null) return toWorker(record)
      const holder = await holderOf(record)
      if (holder === null) return toWorker(await stopWorker(bench, record))
      await holder.stop(record.id)
      return seeById(record.id)
    },

    async attachWorker(name: string): Promise<{ readonly shown: boolean; readonly command: readonly string[] | null }> {
      const record = findRecord(context, name)
      if (record.kind === 'headless') {
        throw new AppError('usage', `"${record.name}" is headless: there is no pane to attach to.`, {
          hint: `Send to it: offshoot send ${record.name} ...`,
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
      return (await import('./watch-panes.ts')).watchPanes(bench, (id) => following.has(id))
    },

    async shutDown(): Promise<void> {
      over.abort()
      await Promise.all(headless.ids().map((id) => headless.close(id)))
      await Promise.allSettled(following.values())
    },
  }

  async function interruptPane(record: WorkerRecord): Promise<void> {
    const sight = await seePane(context, record)
    if (sight.state === 'waiting') throw waiting(record, sight.look?.question ?? null)
    if (sight.state !== 'running') return
    await escapeTurn(context, record)
  }

  /** `null`: it is ours to run. Another process that cannot be spoken to keeps it. */
  async function holderOf(record: WorkerRecord): Promise<WorkerHolder | null> {
    const owner = record.kind === 'headless' ? headless.heldElsewhere(record) : null
    if (owner === null) return null
    const holder = await context.reachHolder(owner)
    if (holder === null) throw heldBy(record, owner)
    return holder
  }
}

function checkModel(model: string | null): void {
  const problem = model === null ? null : modelNameProblem(model)
  if (problem !== null) throw new AppError('usage', problem)
}

/** Waits no longer than this; what was waited for goes on. */
async function bounded<T>(record: WorkerRecord, work: Promise<T>, forMs: number, signal: AbortSignal | undefined): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  let stop: (() => void) | undefined
  const end = new Promise<never>((_, reject) => {
    const seconds = Math.round(forMs / 1000)
    const late = () => reject(new AppError('timed_out', `"${record.name}" has not answered within ${seconds} s; it goes on.`))
    timer = setTimeout(late, forMs)
    stop = () => reject(new AppError('interrupted', `No longer waiting for "${record.name}"; it goes on.`))
    if (signal?.aborted === true) stop()
    signal?.addEventListener('abort', stop)
  })
  try {
    return await Promise.race([work, end])
  } finally {
    clearTimeout(timer)
    if (stop !== undefined) signal?.removeEventListener('abort', stop)
  }
}

function ended({ name, exitStatus, exitSignal }: WorkerRecord): AppError {
  const how = exitSignal !== null ? ` (${exitSignal})` : exitStatus !== null ? ` with status ${exitStatus}` : ''
  return new AppError('worker_ended', `"${name}" has ended${how}.`)
}
