// One turn of a headless worker, from its prompt to its end: what others see of it is written down and told on the way, questions
// are answered by the policy or kept for a person.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Conversation } from '../agents/runs.ts'
import { errorMessage } from '../lib/error-message.ts'
import type { PermissionRequest, RunEvent, RunOutcome } from '../model/run.ts'
import type { WorkerRecord } from '../store/workers.ts'
import type { WorkerContext } from './context.ts'
import { noteLast } from './files.ts'
import { decide } from './policy.ts'
import { jot } from './register.ts'
import { noteInput, withoutSecrets } from './told.ts'
import { placeOf } from './view.ts'

export interface TurnEnd {
  readonly answer: string | null
  readonly outcome: RunOutcome
  /** Of outcome `failed`: why, without secrets. */
  readonly error: string | null
  readonly turnId: string | null
}

export interface RunningTurn {
  /** Whether the agent has taken the prompt; false: the turn ended before. */
  readonly taken: Promise<boolean>
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
  const giveUp = () => take(false)
  ended.then(giveUp, giveUp)
  return {
    taken,
    ended,
    onEvent(listener) {
      for (const event of earlier) listener(event)
      listeners.push(listener)
    },
  }
}

async function follow(turn: Turn, tellAll: (event: RunEvent) => void, take: (isTaken: boolean) => void): Promise<TurnEnd> {
  const { context, record, live, prompt } = turn
  const { id } = record
  const of = placeOf(record)
  let answer = ''
  let text = ''
  let turnId: string | null = null
  /** Questions that the policy answered: nobody else is asked, or hears of them. */
  const decided = new Set<string>()
  const tell = (event: RunEvent) => {
    tellAll(event)
    if (isDelta(event)) context.events.emit({ type: 'message.delta', data: { ...of, event } })
  }
  let end: TurnEnd = { answer: null, outcome: 'failed', error: 'The agent ended without a word.', turnId }
  const isWritten = jot(context, id, { state: 'running', turnCutOff: false })
  if (!isWritten) tell({ kind: 'notice', text: 'The disk is full: the turn goes on, but offshoot cannot write anything down.' })
  void noteInput(context, record, prompt)
  try {
    for await (const told of live.conversation.send(prompt)) {
      const event = await withCleanError(told)
      if (event.kind === 'permission') {
        const { request } = event
        const decision = decide(record.settings, record.cwd, request)
        if (decision === null) wait(turn, request, tell)
        else {
          decided.add(request.id)
          if (decision.verdict !== 'allow')
            tell({ kind: 'notice', text: `Refused by its policy ${record.settings.policy}: ${request.summary}` })
          await live.conversation.answer(request.id, decision)
        }
        continue
      }
      if (event.kind === 'permission_resolved' && decided.has(event.requestId)) continue
      tell(event)
      switch (event.kind) {
        case 'started':
          turnId = event.turnId
          take(true)
          context.events.emit({ type: 'turn.started', data: { ...of, turnId, prompt } })
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
          end = { answer: answer || text || null, outcome: event.outcome, error: event.error, turnId }
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
    }
  } catch (error) {
    end = { ...end, error: await withoutSecrets(errorMessage(error)) }
    tell({ kind: 'end', outcome: 'failed', error: end.error })
  } finally {
    await finish(turn, end)
    const { outcome, error } = end
    context.events.emit({ type: 'turn.completed', data: { ...of, turnId, prompt, outcome, error } })
  }
  return end
}

/** What it carries may be the end of what a program wrote. */
async function withCleanError(event: RunEvent): Promise<RunEvent> {
  return event.kind === 'end' && event.error !== null ? { ...event, error: await withoutSecrets(event.error) } : event
}

/** The rest has events of its own. */
function isDelta({ kind }: RunEvent): boolean {
  return kind !== 'started' && kind !== 'permission' && kind !== 'permission_resolved' && kind !== 'end'
}

async function finish({ context, record, live, isKept, rest }: Turn, { outcome, error }: TurnEnd): Promise<void> {
  const { id } = record
  noteLast(context.folder, id, { error })
  live.pending.clear()
  live.turn = null
  if (outcome === 'failed' && (await hasEnded(live.conversation))) jot(context, id, { turnCutOff: true })
  if (isKept()) {
    jot(context, id, { state: 'idle' })
    rest()
  }
  jot(context, id, { pid: isKept() ? live.conversation.pid : null })
}

/** For a person to answer. */
function wait({ context, record, live }: Turn, request: PermissionRequest, tell: (event: RunEvent) => void): void {
  live.pending.set(request.id, request)
  tell({ kind: 'permission', request })
  jot(context, record.id, { state: 'waiting' })
  context.events.emit({ type: 'permission.requested', data: { ...placeOf(record), request } })
}

/** A process that dies in a turn ends the turn first and is then seen to be gone. */
async function hasEnded({ ended }: Conversation): Promise<boolean> {
  const gone = ended.then(() => true)
  return Promise.race([gone, sleep(100, false)])
}

function makePromise(): { readonly promise: Promise<boolean>; readonly resolve: (value: boolean) => void } {
  let settle: ((value: boolean) => void) | undefined
  const promise = new Promise<boolean>((resolve) => {
    settle = resolve
  })
  return { promise, resolve: (value) => settle?.(value) }
}
