// A prompt on its way to a worker: into the agent's machine interface or into its pane, and the turn it begins, followed to its end.
// With `history` on, what was sent and answered is kept.
import { join } from 'node:path'
import { errorMessage } from '../lib/error-message.ts'
import { withLockFile } from '../lib/lock-file.ts'
import { AppError } from '../model/error.ts'
import { renderTime } from '../model/render-time.ts'
import type { RunEvent } from '../model/run.ts'
import type { SendOptions } from '../model/worker.ts'
import type { WorkerRecord } from '../store/workers.ts'
import type { Begin, WorkerContext } from './context.ts'
import { noteHistory, workerFolder } from './files.ts'
import { findRecord } from './find.ts'
import { followTurn } from './follow-pane.ts'
import type { Headless } from './headless.ts'
import { holderOf } from './ownership.ts'
import type { TurnEnd } from './run-turn.ts'
import { sendToPane } from './send-pane.ts'
import { openTranscript, type Transcript } from './transcript.ts'
import { placeOf } from './view.ts'

const onlyOneSends = 400

export function createSending(context: WorkerContext, headless: Headless) {
  /** Turns in panes that are being followed, by worker. */
  const following = new Map<string, Promise<TurnEnd>>()
  const over = new AbortController()
  const time = () => renderTime(context.now())

  async function sendHeadless(record: WorkerRecord, prompt: string, options: SendOptions) {
    const holder = await holderOf(context, headless, record)
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
