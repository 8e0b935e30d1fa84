// Headless workers as this process runs them: one conversation each, one turn at a time, questions answered by the policy or
// kept for a person. Another process sees who holds a worker by the owner in its entry.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Conversation } from '../agents/agent.ts'
import { fitDecision } from '../lib/answers.ts'
import { AppError } from '../model/error.ts'
import type { Decision, PermissionRequest, RunEvent, RunOutcome } from '../model/run.ts'
import type { WorkerState } from '../model/worker.ts'
import { isDiskFull } from '../store/faults.ts'
import type { WorkerRecord } from '../store/workers.ts'
import { agentOf, type Begin, findSessionFile, runsOf, type WorkerContext } from './context.ts'
import { readEnv } from './files.ts'
import { createOwnership, heldBy } from './ownership.ts'
import { decide } from './policy.ts'
import { amend } from './register.ts'
import { placeOf } from './view.ts'

/** An idle agent holds up to 200 MB; it comes back by resuming. */
const idleMs = 15 * 60_000

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

interface Live {
  readonly conversation: Conversation
  readonly pending: Map<string, PermissionRequest>
  turn: RunningTurn | null
  idle: NodeJS.Timeout | undefined
}

export type Headless = ReturnType<typeof createHeadless>

export function createHeadless(context: WorkerContext) {
  const { us, claim, heldElsewhere } = createOwnership(context)
  const lives = new Map<string, Promise<Live>>()
  const settled = new Map<string, Live>()

  async function open(id: string): Promise<Live> {
    const known = lives.get(id)
    if (known !== undefined) return known
    const opening = begin(claim(id))
    lives.set(id, opening)
    try {
      return await opening
    } catch (error) {
      lives.delete(id)
      amend(context, id, { owner: null })
      throw error
    }
  }

  async function begin(record: WorkerRecord): Promise<Live> {
    const { agent, sessionId, settings } = record
    if (sessionId === null) throw new AppError('worker_unforkable', `The session of "${record.name}" is not known.`)
    const wanted = record.begin as Begin | null
    const isMade = findSessionFile(context, agent, sessionId) !== null
    const runs = await runsOf(context, record)
    const conversation = await runs.converse(context.env, {
      begin: isMade || wanted === null ? { kind: 'resume', sessionId } : wanted,
      cwd: record.cwd,
      model: settings.model,
      env: { ...readEnv(context.folder, record.id, settings.env), OFFSHOOT_WORKER: record.id },
      mcpConfig: settings.mcpConfig,
      flags: record.workspace === null ? [] : await context.hookFlags(agentOf(context, agent), record.workspace.path),
      acceptEdits: settings.policy === 'accept_edits',
    })
    const live: Live = { conversation, pending: new Map(), turn: null, idle: undefined }
    amend(context, record.id, { state: 'idle', pid: conversation.pid, sessionId: conversation.sessionId })
    settled.set(record.id, live)
    restLater(live)
    // Only now: an agent that ends at once would be kept, dead, and held for good.
    conversation.ended.then(({ error }) => forget(record.id, live, error !== null))
    return live
  }

  /** The process is gone; the session stays and is resumed with the next prompt. */
  function forget(id: string, live: Live, broke: boolean): void {
    if (settled.get(id) !== live) return
    clearTimeout(live.idle)
    lives.delete(id)
    settled.delete(id)
    const cutOff = broke && live.turn !== null
    jot(id, (stored) =>
      stored.endedAt !== null
        ? { owner: null }
        : { owner: null, pid: null, state: 'resumable', ...(cutOff ? { turnCutOff: true } : {}) },
    )
  }

  function restLater(live: Live): void {
    clearTimeout(live.idle)
    live.idle = setTimeout(() => {
      if (live.turn === null) void live.conversation.close()
    }, idleMs)
    live.idle.unref()
  }

  async function send(id: string, prompt: string): Promise<RunningTurn> {
    const live = await open(id)
    const record = context.store().workers.get(id)
    if (record === null) throw new AppError('worker_not_found', 'This worker is gone.')
    const question = [...live.pending.values()][0]
    if (question !== undefined) throw waiting(record, question.summary)
    if (live.turn !== null) throw new AppError('worker_busy', `"${record.name}" is answering.`)
    clearTimeout(live.idle)
    const turn = runTurn(record, live, prompt)
    live.turn = turn
    return turn
  }

  function runTurn(record: WorkerRecord, live: Live, prompt: string): RunningTurn {
    const listeners: ((event: RunEvent) => void)[] = []
    const earlier: RunEvent[] = []
    const { promise: taken, resolve: take } = makePromise()
    const tell = (event: RunEvent) => {
      earlier.push(event)
      for (const listener of listeners) listener(event)
    }
    const ended = follow(record, live, prompt, tell, take)
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

  async function follow(
    record: WorkerRecord,
    live: Live,
    prompt: string,
    tell: (event: RunEvent) => void,
    take: () => void,
  ): Promise<TurnEnd> {
    const { id } = record
    const of = placeOf(record)
    let answer = ''
    let text = ''
    let turnId: string | null = null
    let end: TurnEnd = { answer: null, outcome: 'failed', error: 'The agent ended without a word.' }
    const isKept = jot(id, { state: 'running', turnCutOff: false })
    if (!isKept) tell({ kind: 'notice', text: 'The disk is full: the turn goes on, but offshoot cannot write anything down.' })
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
            await ask(record, live, event.request)
            continue
          case 'permission_resolved':
            live.pending.delete(event.requestId)
            if (live.pending.size === 0) setState(id, 'running')
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
      end = { ...end, error: error instanceof Error ? error.message : String(error) }
      tell({ kind: 'end', outcome: 'failed', error: end.error })
    } finally {
      live.pending.clear()
      live.turn = null
      if (end.outcome === 'failed' && (await hasEnded(live.conversation))) jot(id, { turnCutOff: true })
      if (settled.get(id) === live) {
        setState(id, 'idle')
        restLater(live)
      }
      jot(id, { pid: settled.get(id) === live ? live.conversation.pid : null })
      const { outcome, error } = end
      context.events.emit({ type: 'turn.completed', data: { ...of, turnId, outcome, error } })
    }
    return end
  }

  async function ask(record: WorkerRecord, live: Live, request: PermissionRequest): Promise<void> {
    const decision = decide(record.settings, record.cwd, request)
    if (decision !== null) return live.conversation.answer(request.id, decision)
    live.pending.set(request.id, request)
    setState(record.id, 'waiting')
    context.events.emit({ type: 'permission.requested', data: { ...placeOf(record), request } })
  }

  function setState(id: string, state: WorkerState): void {
    jot(id, { state })
  }

  /** What others are to see of a worker that we run: a full disk must not end its turn. False: it could not be written down. */
  function jot(id: string, change: Parameters<typeof amend>[2]): boolean {
    try {
      amend(context, id, change)
      return true
    } catch (error) {
      if (!isDiskFull(error)) throw error
      return false
    }
  }

  async function close(id: string): Promise<void> {
    const live = await lives.get(id)?.catch(() => undefined)
    if (live === undefined) return
    const { turn } = live
    await live.conversation.close()
    await turn?.ended.catch(() => undefined)
    forget(id, live, false)
  }

  return {
    get owner() {
      return us()
    },
    open,
    send,
    heldElsewhere,

    /** What this process knows of it; `null` when it does not run it. */
    look(
      id: string,
    ): { readonly state: WorkerState; readonly permission: PermissionRequest | null; readonly pid: number | null } | null {
      const live = settled.get(id)
      if (live === undefined) return null
      const permission = [...live.pending.values()][0] ?? null
      const state = permission !== null ? 'waiting' : live.turn !== null ? 'running' : 'idle'
      return { state, permission, pid: live.conversation.pid }
    },

    async interrupt(id: string): Promise<void> {
      await settled.get(id)?.conversation.interrupt()
    },

    async answer(record: WorkerRecord, requestId: string, decision: Decision): Promise<void> {
      const live = settled.get(record.id)
      if (live === undefined) throw new AppError('permission_not_found', `"${record.name}" asks for nothing now.`)
      const asked = live.pending.get(requestId)
      await live.conversation.answer(requestId, asked === undefined ? decision : fitDecision(asked, decision))
    },

    /** An agent takes its model when it is opened: it is closed, and resumed with the next prompt. */
    async changeModel(record: WorkerRecord, model: string | null): Promise<void> {
      const { id, name } = record
      if (record.kind === 'terminal') {
        throw new AppError('refused', `"${name}" runs in a terminal: its model is changed there.`, {
          hint: `offshoot attach ${name}`,
        })
      }
      const holder = heldElsewhere(record)
      if (holder !== null) throw heldBy(record, holder)
      if (settled.get(id)?.turn != null) throw new AppError('worker_busy', `"${name}" is answering.`)
      await close(id)
      amend(context, id, ({ settings }) => ({ settings: { ...settings, model } }))
    },

    close,

    ids: (): string[] => [...lives.keys()],
  }
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

export function waiting({ name, kind }: WorkerRecord, question: string | null): AppError {
  const what = question === null ? '' : `: ${question}`
  const how = kind === 'terminal' ? `Answer it in its pane: offshoot attach ${name}` : `Answer it first: offshoot answer ${name}`
  return new AppError('worker_waiting', `"${name}" waits for an answer${what}`, { hint: how })
}
