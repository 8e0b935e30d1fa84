// One turn of a headless worker, from its prompt to its end: what others see of it is written down and told on the way, questions
// are answered by the policy or kept for a person.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Conversation } from '../agents/runs.ts'
import { errorMessage } from '../lib/error-message.ts'
import type { PermissionRequest, RunEvent, RunOutcome } from '../model/run.ts'
import type { WorkerRecord } from '../store/workers.ts'
import type { WorkerContext } from './context.ts'
import { decide } from './policy.ts'
import { jot } from './register.ts'
import { placeOf } from './view.ts'

export interface TurnEnd {
  readonly answer: string | null
  readonly outcome: RunOutcome
  readonly error: string | null
}

export interface RunningTurn {
  /** The agent has taken the prompt. */
  readonly taken: Promise<void>
  readonly ended: Promise<TurnEnd>
  onEvent(listener: (event: RunEvent) => void): void
}

/** A conversation that runs in this process. */
export interface Live {
  readonly conversation: Conversation
  readonly pending: Map<string, PermissionRequest>
  turn: RunningTurn | null
  idle: NodeJS.Timeout | undefined
}

export interface Turn {
  readonly context: WorkerContext
  readonly record: WorkerRecord
  readonly live: Live
  readonly prompt: string
  /** Whether the conversation outlives the turn; then it is left to rest. */
  readonly isKept: () => boolean
  readonly rest: () => void
}

export function runTurn(turn: Turn): RunningTurn {
  const listeners: ((event: RunEvent) => void)[] = []
  const earlier: RunEvent[] = []
  const { promise: taken, resolve: take } = makePromise()
  const tell = (event: RunEvent) => {
    earlier.push(event)
    for (const listener of listeners) listener(event)
  }
  const ended = follow(turn, tell, take)
  ended.then(take, take)
  return {
    taken,
    ended,
    onEvent(listener) {
      for (const event of earlier) listener(event)
      listeners.push(listener)
    },
  }
}

async function follow(turn: Turn, tell: (event: RunEvent) => void, take: () => void): Promise<TurnEnd> {
  const { context, record, live, prompt } = turn
  const { id } = record
  const of = placeOf(record)
  let answer = ''
  let text = ''
  let turnId: string | null = null
  let end: TurnEnd = { answer: null, outcome: 'failed', error: 'The agent ended without a word.' }
  const isWritten = jot(context, id, { state: 'running', turnCutOff: false })
  if (!isWritten) tell({ kind: 'notice', text: 'The disk is full: the turn goes on, but offshoot cannot write anything down.' })
  try {
    for await (const event of live.conversation.send(prompt)) {
      tell(event)
      switch (event.kind) {
        case 'started':
          turnId = event.turnId
          take()
          context.events.emit({ type: 'turn.started', data: { ...of, turnId, prompt } })
          continue
        case 'permission':
          await ask(turn, event.request)
          continue
        case 'permission_resolved':
          live.pending.delete(event.requestId)
          if (live.pending.size === 0) jot(context, id, { state: 'running' })
          context.events.emit({
            type: 'permission.resolved',
            data: { ...of, requestId: event.requestId, verdict: event.verdict },
          })
          continue
        case 'end':
          end = { answer: answer || text || null, outcome: event.outcome, error: event.error }
          continue
        case 'text':
          text += event.delta
          break
        case 'message':
          if (event.text.trim() !== '') answer = event.text
          text = ''
          break
        case 'tool_call':
          text = ''
          break
      }
      context.events.emit({ type: 'message.delta', data: { ...of, event } })
    }
  } catch (error) {
    end = { ...end, error: errorMessage(error) }
    tell({ kind: 'end', outcome: 'failed', error: end.error })
  } finally {
    await finish(turn, end)
    const { outcome, error } = end
    context.events.emit({ type: 'turn.completed', data: { ...of, turnId, outcome, error } })
  }
  return end
}

async function finish({ context, record, live, isKept, rest }: Turn, { outcome }: TurnEnd): Promise<void> {
  const { id } = record
  live.pending.clear()
  live.turn = null
  if (outcome === 'failed' && (await hasEnded(live.conversation))) jot(context, id, { turnCutOff: true })
  if (isKept()) {
    jot(context, id, { state: 'idle' })
    rest()
  }
  jot(context, id, { pid: isKept() ? live.conversation.pid : null })
}

async function ask({ context, record, live }: Turn, request: PermissionRequest): Promise<void> {
  const decision = decide(record.settings, record.cwd, request)
  if (decision !== null) return live.conversation.answer(request.id, decision)
  live.pending.set(request.id, request)
  jot(context, record.id, { state: 'waiting' })
  context.events.emit({ type: 'permission.requested', data: { ...placeOf(record), request } })
}

/** A process that dies in a turn ends the turn first and is then seen to be gone. */
async function hasEnded({ ended }: Conversation): Promise<boolean> {
  const gone = ended.then(() => true)
  return Promise.race([gone, sleep(100, false)])
}

function makePromise(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let settle: (() => void) | undefined
  const promise = new Promise<void>((resolve) => {
    settle = resolve
  })
  return { promise, resolve: () => settle?.() }
}
