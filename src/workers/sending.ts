// A prompt on its way to a worker: into the agent's machine interface or into its pane, and the turn it begins, followed to its end.
// With `history` on, what was sent and answered is kept.
import { join } from 'node:path'
import { errorMessage } from '../lib/error-message.ts'
import { withLockFile } from '../lib/lock-file.ts'
import { AppError, type AppErrorOptions } from '../model/error.ts'
import { renderTime } from '../model/render-time.ts'
import type { RunEvent } from '../model/run.ts'
import type { SendOptions } from '../model/worker.ts'
import type { WorkerRecord } from '../store/workers.ts'
import type { WorkerContext } from './context.ts'
import { noteHistory, workerFolder } from './files.ts'
import { findRecord } from './find.ts'
import { followTurn } from './follow-pane.ts'
import type { Headless } from './headless.ts'
import { holderOf } from './ownership.ts'
import type { RunningTurn, TurnEnd } from './run-turn.ts'
import { sendToPane } from './send-pane.ts'
import type { TurnTeller } from './tell-turns.ts'
import { noteInput } from './told.ts'
import { openTranscript, sourceOf, type Transcript } from './transcript.ts'
import { placeOf } from './view.ts'

const onlyOneSends = 400

export function createSending(context: WorkerContext, headless: Headless, teller: TurnTeller) {
  /** Turns in panes that are being followed, by worker. */
  const following = new Map<string, Promise<TurnEnd>>()
  const over = new AbortController()
  const time = () => renderTime(context.now())

  async function sendHeadless(record: WorkerRecord, prompt: string, options: SendOptions) {
    const holder = await holderOf(context, headless, record)
    if (holder !== null) return holder.send(record.id, prompt, options)
    const { wait = true, signal, onEvent, timeoutMs = record.settings.responseTimeoutMs, atTimeout = 'leave' } = options
    const turn = await headless.send(record.id, prompt)
    note(record, { type: 'sent', at: time(), text: prompt })
    if (onEvent !== undefined) turn.onEvent(onEvent)
    turn.ended.then(({ answer: text, outcome, turnId }) =>
      note(record, { type: 'answered', at: time(), text, outcome, turn_id: turnId }),
    )
    const goesOn = (seconds: number) => late(record, seconds, 'it goes on.')
    if (!wait) {
      const isTaken = await bounded(record, turn.taken, record.settings.readyTimeoutMs, { signal, late: goesOn })
      if (isTaken) return { ...atWork, delivery: 'confirmed' } as const
    }
    const isLate = atTimeout === 'interrupt' ? (seconds: number) => interruptLate(record, turn, seconds) : goesOn
    const { answer, outcome, error } = await bounded(record, turn.ended, timeoutMs, { signal, late: isLate })
    return { delivery: 'confirmed', answer, outcome, error } as const
  }

  /** Whoever waits is about to end, and the turn with it: it is ended in order, while that can still be told. */
  async function interruptLate(record: WorkerRecord, turn: RunningTurn, seconds: number): Promise<AppError> {
    await headless.interrupt(record.id)
    await turn.ended
    return late(record, seconds, 'its turn was interrupted.', {
      hint: 'Give it more time. A turn outlives the command that sent it where `offshoot serve` runs and holds the worker.',
    })
  }

  async function sendPane(record: WorkerRecord, prompt: string, options: SendOptions) {
    const { wait = true, signal, onEvent, timeoutMs = record.settings.responseTimeoutMs } = options
    const transcript = await transcriptOf(record)
    const lock = join(workerFolder(context.folder, record.id), 'send.lock')
    const onBusy = (pid: string) => new AppError('worker_busy', `Process ${pid} is sending to "${record.name}" right now.`)
    const deliver = () => sendToPane(context, record, prompt, transcript)
    const delivery = await withLockFile(lock, deliver, { maxTries: onlyOneSends, onBusy })
    note(record, { type: 'sent', at: time(), text: prompt })
    await noteInput(context, record, prompt)
    if (delivery === 'unconfirmed') return { ...atWork, delivery } as const
    const turn = follow(record, prompt, transcript, onEvent)
    if (!wait) return { ...atWork, delivery } as const
    const goesOn = (seconds: number) => late(record, seconds, 'it goes on.')
    const { answer, outcome, error } = await bounded(record, turn, timeoutMs, { signal, late: goesOn })
    return { delivery, answer, outcome, error }
  }

  async function transcriptOf(record: WorkerRecord): Promise<Transcript | null> {
    const { agent, sessionId } = record
    return sessionId === null ? null : openTranscript(context, agent, sessionId, { sourceId: sourceOf(record) })
  }

  /** Once for each turn, whoever waits for it; nobody waiting is no fault. */
  function follow(
    record: WorkerRecord,
    prompt: string,
    transcript: Transcript | null,
    onEvent: (event: RunEvent) => void = () => undefined,
  ): Promise<TurnEnd> {
    if (transcript === null) {
      teller.tellBegun({ record, turn: null, prompt })
      return Promise.resolve({ answer: null, outcome: 'complete', error: null, turnId: null })
    }
    const turn = followTurn(context, record, { teller, prompt, transcript, onEvent, signal: over.signal }).then((end) => {
      onEvent({ kind: 'end', outcome: end.outcome, error: end.error })
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
      const text = `The history of "${record.name}" cannot be written: ${errorMessage(error)}`
      context.events.emit({ type: 'message.delta', data: { ...placeOf(record), event: { kind: 'notice', text } } })
    }
  }

  return {
    sendHeadless,
    sendPane,
    transcriptOf,
    /** Watches the turn that a pane was opened with. */
    followPane,
    isFollowed: (id: string): boolean => following.has(id),

    /** Nobody waits any more: turns in panes go on by themselves. */
    leave(): void {
      over.abort()
    },
    settled: async (): Promise<void> => {
      await Promise.allSettled(following.values())
    },
  }
}

const atWork = { answer: null, outcome: 'running', error: null } as const

function late({ name }: WorkerRecord, seconds: number, fate: string, options?: AppErrorOptions): AppError {
  return new AppError('timed_out', `"${name}" has not answered within ${seconds} s: ${fate}`, options)
}

interface Limits {
  readonly signal: AbortSignal | undefined
  /** Says what became of it when the time was over. */
  readonly late: (seconds: number) => AppError | Promise<AppError>
}

/** Waits no longer than this. */
async function bounded<T>(record: WorkerRecord, work: Promise<T>, forMs: number, limits: Limits): Promise<T> {
  const { signal } = limits
  let timer: NodeJS.Timeout | undefined
  let stop: (() => void) | undefined
  let isOver = false
  const end = new Promise<never>((_, reject) => {
    const giveUp = async () => {
      isOver = true
      throw await limits.late(forMs / 1000)
    }
    timer = setTimeout(() => void giveUp().catch(reject), forMs)
    stop = () => reject(new AppError('interrupted', `No longer waiting for "${record.name}"; it goes on.`))
    if (signal?.aborted === true) stop()
    signal?.addEventListener('abort', stop)
  })
  try {
    // Giving up may end the work: what it comes to then is not what was waited for.
    return await Promise.race([work.then((value) => (isOver ? end : value)), end])
  } finally {
    clearTimeout(timer)
    if (stop !== undefined) signal?.removeEventListener('abort', stop)
  }
}
