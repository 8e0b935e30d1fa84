// One session of Codex driven through an app-server: a prompt in, the events of its turn out. The server is shared; when it ends,
// turns end with it, and the next prompt opens another and takes the thread up again.
import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { errorMessage } from '../../lib/error-message.ts'
import { isObject } from '../../lib/jsonl.ts'
import { AppError } from '../../model/error.ts'
import { isOwnReason } from '../../model/own-reasons.ts'
import type { Decision, RunEvent } from '../../model/run.ts'
import type { AgentEnv } from '../agent-env.ts'
import type { Conversation, ConversationRequest } from '../runs.ts'
import { canUnload } from './abilities.ts'
import type { RequestId, ServerEnd } from './app-server.ts'
import { readQuestion } from './headless-approvals.ts'
import { RunningTurn } from './headless-running.ts'
import type { HeldServer, Servers, ThreadListener } from './headless-servers.ts'
import { processVars, threadSettings } from './headless-settings.ts'
import { openThread, resumeThread } from './headless-thread.ts'
import { noticeOf } from './headless-turn.ts'
import { type Body, textOrNull } from './lines.ts'
import { tagRefusal } from './prompts.ts'

/** Codex ends a turn within 10 ms of being told; 0.142 does not hear of it while the turn is only beginning. */
const interruptEveryMs = 500
const interruptTries = 20
/**
 * How a command ended Codex may tell a moment after the turn (0.142, in a sandbox), or after the shells of an interrupted turn
 * were ended; of a command that had only just begun, or that goes on in the background, it says nothing.
 */
const lastResultsMs = 300
const closedMs = 2000

export async function converse(servers: Servers, env: AgentEnv, request: ConversationRequest): Promise<Conversation> {
  const vars = processVars(env.vars, request.env)
  const own = { ...env, vars }
  const settings = threadSettings(request, vars)
  const held = await servers.acquire(vars, request.flags)
  try {
    const { begin } = request
    if (begin.kind === 'resume' && held.isHeard(begin.sessionId)) throw inUse(begin.sessionId)
    const { id, model } = await openThread(held.server, own, request, settings)
    const reopen = async (): Promise<HeldServer> => {
      const next = await servers.acquire(vars, request.flags)
      try {
        await resumeThread(next.server, own, id, settings)
        return next
      } catch (error) {
        await next.release()
        throw error
      }
    }
    const conversation = new ThreadConversation(id, model, reopen)
    if (!conversation.use(held)) throw inUse(id)
    return conversation
  } catch (error) {
    await held.release()
    throw error
  }
}

function inUse(sessionId: string): AppError {
  return new AppError('busy', `codex:${sessionId} has a conversation already.`)
}

class ThreadConversation implements Conversation, ThreadListener {
  readonly sessionId: string
  readonly ended: Promise<ServerEnd>
  private readonly model: string | null
  private readonly reopen: () => Promise<HeldServer>
  private readonly settle: (end: ServerEnd) => void
  private held: HeldServer | null = null
  private turn: RunningTurn | null = null
  private closed = false
  /** Threads of subagents: they ask for themselves, and have locks of their own. */
  private readonly children = new Set<string>()
  private wakeClosed: () => void = () => undefined

  constructor(sessionId: string, model: string | null, reopen: () => Promise<HeldServer>) {
    this.sessionId = sessionId
    this.model = model
    this.reopen = reopen
    let settle: (end: ServerEnd) => void = () => undefined
    this.ended = new Promise((resolve) => {
      settle = resolve
    })
    this.settle = settle
  }

  get pid(): number | null {
    return this.held?.server.pid ?? null
  }

  use(held: HeldServer): boolean {
    if (!held.listen(this.sessionId, this)) return false
    this.held = held
    this.children.clear()
    held.server.ended.then((end) => this.died(held, end))
    return true
  }

  send(prompt: string, { signal }: { readonly signal?: AbortSignal } = {}): AsyncIterable<RunEvent> {
    if (this.closed) throw new AppError('worker_ended', `The conversation with codex:${this.sessionId} was closed.`)
    if (this.turn !== null) throw new AppError('busy', `codex:${this.sessionId} is still answering.`)
    const stop = () => {
      this.interrupt().catch((error: unknown) => turn.tell({ kind: 'notice', text: wordsOf(error) }))
    }
    const turn = new RunningTurn(stop, () => {
      signal?.removeEventListener('abort', stop)
      if (this.turn === turn) this.turn = null
    })
    this.turn = turn
    signal?.addEventListener('abort', stop, { once: true })
    if (signal?.aborted) stop()
    this.begin(turn, prompt).catch((error: unknown) => turn.end('failed', wordsOf(error)))
    return turn.events
  }

  async interrupt(): Promise<void> {
    const { turn } = this
    if (turn === null) return
    turn.isUnwanted = true
    const turnId = await turn.begun
    if (turn.isOver || turnId === null) return
    const over = turn.over.then(() => 'over' as const)
    let refusal: unknown = null
    for (let tried = 0; tried < interruptTries; tried += 1) {
      const asked = this.request('turn/interrupt', { threadId: this.sessionId, turnId })
      refusal = await asked.then(
        () => null,
        (error: unknown) => error,
      )
      if ((await Promise.race([over, pause(interruptEveryMs, 'late', { ref: false })])) === 'over') return
    }
    throw refusal ?? new AppError('timed_out', `Codex did not end the turn of ${this.sessionId}, though it was told to.`)
  }

  async answer(requestId: string, decision: Decision): Promise<void> {
    const { turn, held } = this
    const open = turn?.questions.get(requestId)
    if (turn === null || held === null || open === undefined) {
      throw new AppError('permission_not_found', `codex:${this.sessionId} asks nothing with the id ${requestId}.`)
    }
    turn.questions.delete(requestId)
    held.server.respond(open.serverId, open.question.answer(decision))
    turn.tell({ kind: 'permission_resolved', requestId, verdict: decision.verdict })
    if (decision.verdict === 'abort') await this.interrupt()
    else if (decision.verdict === 'deny' && decision.reason !== undefined) await this.giveReason(turn, decision.reason)
  }

  async close(): Promise<void> {
    if (this.closed) return
    this.closed = true
    // A turn that does not end when told ends with the process, or is left behind in one that others need.
    await this.interrupt().catch(() => undefined)
    const { held } = this
    this.held = null
    try {
      if (held !== null) await this.leave(held)
    } finally {
      this.turn?.end('interrupted', null)
      await held?.release()
      this.settle({ status: null, signal: null, error: null })
    }
  }

  notified(method: string, params: Body): void {
    const { turn } = this
    const isOurs = params.threadId === this.sessionId
    if (isOurs && method === 'thread/closed') this.wakeClosed()
    if (turn === null) return
    if (method === 'item/started') turn.noteItem(params.item)
    if (method === 'serverRequest/resolved') turn.withdraw(params.requestId)
    else if (!isOurs) return
    else if (method === 'turn/started' || method === 'turn/completed') this.turnNews(turn, method, params.turn)
    else if (turn.reader === null || params.turnId !== turn.reader.turnId) {
      if (params.turnId === undefined || params.turnId === null) for (const event of noticeOf(method, params)) turn.tell(event)
    } else {
      this.adopt(params.item)
      for (const event of turn.reader.read(method, params)) turn.tell(event)
      turn.resultCame()
    }
  }

  asked(id: RequestId, method: string, params: Body): void {
    const { turn, held } = this
    const name = `${textOrNull(params.turnId) ?? turn?.reader?.turnId ?? this.sessionId}.${id}`
    const question = turn === null ? null : readQuestion(name, method, params, turn.items)
    if (turn === null || question === null) {
      held?.server.refuse(id, turn === null ? 'no turn is running' : `${method} is not supported`)
      return
    }
    turn.questions.set(name, { serverId: id, question })
    turn.tell({ kind: 'permission', request: question.request })
  }

  private async begin(turn: RunningTurn, prompt: string): Promise<void> {
    if (this.held === null) {
      const held = await this.reopen()
      if (!this.use(held)) {
        await held.release()
        throw inUse(this.sessionId)
      }
    }
    if (turn.isUnwanted) {
      turn.end('interrupted', null)
      return
    }
    const input = [{ type: 'text', text: prompt }]
    const params = { threadId: this.sessionId, clientUserMessageId: randomUUID(), input }
    const { turn: started } = await this.request('turn/start', params)
    this.turnNews(turn, 'turn/started', started)
  }

  /** A turn is over when Codex says so, and not before: items may come until then. */
  private turnNews(turn: RunningTurn, method: string, told: unknown): void {
    const id = isObject(told) ? textOrNull(told.id) : null
    if (id === null || !isObject(told)) return
    if (turn.reader === null && method === 'turn/started') turn.begin(id, this.sessionId, this.model)
    if (method !== 'turn/completed' || turn.reader?.turnId !== id) return
    turn.dropQuestions()
    if (told.status === 'completed') this.lastResults(turn).then(() => turn.end('complete', null))
    else if (told.status === 'failed') turn.end('failed', faultOf(told.error) ?? turn.reader.fault ?? 'Codex gave no reason.')
    else {
      const after = () => turn.end('interrupted', null)
      this.endShells(turn).then(after, after)
    }
  }

  private async lastResults(turn: RunningTurn): Promise<void> {
    await Promise.race([turn.commandsDone(), pause(lastResultsMs, undefined, { ref: false })])
  }

  /** What a turn runs in a shell outlives its interruption (0.142 to 0.166), unless it is ended too. */
  private async endShells(turn: RunningTurn): Promise<void> {
    await this.request('thread/backgroundTerminals/clean', { threadId: this.sessionId })
    await this.lastResults(turn)
  }

  private async giveReason(turn: RunningTurn, reason: string): Promise<void> {
    const text = isOwnReason(reason) ? tagRefusal(reason) : reason
    const params = { threadId: this.sessionId, expectedTurnId: turn.reader?.turnId, input: [{ type: 'text', text }] }
    try {
      await this.request('turn/steer', params)
    } catch (error) {
      // A refusal has no words in this protocol; those that come too late for the turn are not worth another.
      turn.tell({ kind: 'notice', text: `The reason did not reach Codex: ${wordsOf(error)}` })
    }
  }

  private adopt(item: unknown): void {
    const threads = isObject(item) && Array.isArray(item.receiverThreadIds) ? item.receiverThreadIds : []
    for (const thread of threads) {
      if (typeof thread !== 'string' || this.children.has(thread)) continue
      if (this.held?.listen(thread, this)) this.children.add(thread)
    }
  }

  /** Lets the threads go, so that another Codex may write them at once. */
  private async leave(held: HeldServer): Promise<void> {
    const { server } = held
    const threads = [this.sessionId, ...this.children]
    const methods = ['thread/backgroundTerminals/clean', ...(held.isLast ? [] : ['thread/unsubscribe'])]
    const closed = new Promise<void>((resolve) => {
      this.wakeClosed = resolve
    })
    for (const threadId of threads) {
      for (const method of methods) {
        await server.request(method, { threadId }).catch(() => undefined) // nothing is left to be done with a thread that is gone
      }
    }
    if (held.isLast || !canUnload(server.version ?? '0')) return
    await Promise.race([closed, server.ended, pause(closedMs, undefined, { ref: false })])
  }

  private died(held: HeldServer, end: ServerEnd): void {
    if (this.held !== held) return
    this.held = null
    this.settle(end)
    held.release().catch(() => undefined) // it has ended already
    this.turn?.dropQuestions()
    this.turn?.end('failed', end.error ?? 'codex app-server has ended.')
  }

  private request(method: string, params: Body): Promise<Body> {
    const { held } = this
    if (held === null) return Promise.reject(new AppError('failed', 'codex app-server has ended.'))
    return held.server.request(method, params)
  }
}

/** Codex passes on what the API said, which may be JSON. */
function faultOf(error: unknown): string | null {
  const message = isObject(error) ? textOrNull(error.message) : null
  return /"message":\s*"((?:[^"\\]|\\.)+)"/.exec(message ?? '')?.[1] ?? message
}

function wordsOf(error: unknown): string {
  return errorMessage(error)
}
