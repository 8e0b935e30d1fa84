// A headless conversation with Claude Code: one process per session, prompts and answers to its questions as JSON lines on stdin.
import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { isObject } from '../../lib/jsonl.ts'
import { lastLines } from '../../lib/last-lines.ts'
import { AppError } from '../../model/error.ts'
import type { Decision } from '../../model/run.ts'
import type { AgentEnv } from '../agent-env.ts'
import { innerVars } from '../outer-agent.ts'
import type { Conversation, ConversationRequest } from '../runs.ts'
import type { OutputLine } from './headless-events.ts'
import { headlessFlags } from './headless-flags.ts'
import { answerTo, type PendingPermission, readPermission } from './headless-permissions.ts'
import { type ProcessEnd, startProcess } from './headless-process.ts'
import { StoredLines } from './headless-stored.ts'
import { HeadlessTurn, type TurnEnd } from './headless-turn.ts'

/** How long a process may take to answer for the first time: 0.3 s (2.1.325) to 0.8 s (2.1.197), on a machine that is busy longer. */
const readyMs = 60_000
/** How long an interrupt may take before it is repeated; it takes 5 to 22 ms, on a machine that is busy seconds. */
const interruptMs = 1500
/** Then the process is ended; sooner where it is to end anyhow, and somebody waits for that. */
const interruptTries = { toGoOn: 4, toEnd: 2 }

export async function converse(env: AgentEnv, request: ConversationRequest): Promise<Conversation> {
  const { sessionId } = request.begin
  const stored = new StoredLines(env, sessionId, request.cwd)
  const pending = new Map<string, PendingPermission>()
  let turn: HeadlessTurn | null = null
  /** A turn runs in the process, ours or one it began by itself. */
  let working = false
  /** It began that one by itself. 2.1.197 and 2.1.325 say what for right before, between turns. */
  let uninvited = false
  let announced = false
  /** 2.1.325 says what becomes of each prompt. */
  let hasReceipts = false
  let whenFree: (() => void) | null = null
  let over: ProcessEnd | null = null
  let closing: Promise<void> | null = null
  let finishing: HeadlessTurn | null = null
  let tellReady: () => void = () => undefined
  const isReady = new Promise<void>((resolve) => {
    tellReady = resolve
  })

  const claude = await startProcess({
    argv: headlessFlags(request),
    cwd: request.cwd,
    env: innerVars(env.vars, request.env),
    onLine: take,
  })

  function take(line: OutputLine): void {
    noteTurn(line)
    if (line.type === 'control_response') tellReady()
    if (line.type === 'control_request') ask(line)
    else if (line.type === 'control_cancel_request') withdraw(String(line.request_id))
    else turn?.take(line, uninvited)
    if (line.type !== 'result') return
    working = false
    whenFree?.()
  }

  function noteTurn({ type, subtype }: OutputLine): void {
    if (type === 'command_lifecycle') hasReceipts = true
    if (type !== 'system') return
    if (subtype === 'task_notification' && !working) announced = true
    if (subtype !== 'init') return
    working = true
    uninvited = announced
    announced = false
  }

  function ask(line: OutputLine): void {
    const id = String(line.request_id)
    const asked = isObject(line.request) ? line.request : {}
    const permission = readPermission(id, asked)
    if (asked.subtype !== 'can_use_tool') reply(id, { subtype: 'error', error: 'not supported here' })
    // A turn that nobody follows has nobody to ask, and would wait for ever.
    else if (turn === null) reply(id, { subtype: 'success', response: answerTo(permission, { verdict: 'deny' }).response })
    else {
      turn.take(line, uninvited)
      pending.set(id, permission)
      turn.push({ kind: 'permission', request: permission.request })
    }
  }

  function withdraw(requestId: string): void {
    if (pending.delete(requestId)) turn?.push({ kind: 'permission_resolved', requestId, verdict: null })
  }

  function reply(requestId: string, response: object): void {
    claude.write({ type: 'control_response', response: { ...response, request_id: requestId } })
  }

  /** Not over before what was said is in the session's file, so that whoever hears of the end can read the turn there. */
  function finish(ended: HeadlessTurn, end: TurnEnd): void {
    if (finishing === ended) return
    finishing = ended
    const said = [ended.id, ...(ended.lastUuid === null ? [] : [ended.lastUuid])]
    const isStored = over === null ? stored.waitFor(said) : Promise.resolve(true)
    const done = () => {
      if (turn !== ended) return
      for (const requestId of [...pending.keys()]) withdraw(requestId)
      turn = null
      ended.tellEnd(end)
    }
    isStored.then(done, done)
  }

  function send(prompt: string, { signal }: { readonly signal?: AbortSignal } = {}): HeadlessTurn['queue'] {
    if (prompt.trim() === '') throw new AppError('usage', 'The prompt is empty.')
    if (closing !== null) throw new AppError('worker_ended', 'This conversation was ended.')
    if (over !== null) throw new AppError('worker_ended', wordsFor(over))
    if (turn !== null) throw new AppError('busy', 'A turn is running.')
    const stop = () => {
      if (turn === mine) void interrupt()
    }
    const mine = new HeadlessTurn(randomUUID(), sessionId, hasReceipts, (end) => finish(mine, end), stop)
    turn = mine
    stored.skipPast()
    const content = literalPrompt(prompt)
    // What is sent while a turn runs becomes a part of that turn.
    const write = () => claude.write({ type: 'user', message: { role: 'user', content }, uuid: mine.id })
    whenFree = () => {
      whenFree = null
      write()
    }
    if (!working) whenFree()
    if (signal?.aborted === true) stop()
    else signal?.addEventListener('abort', stop, { once: true })
    return mine.queue
  }

  async function interrupt(): Promise<void> {
    if (turn === null) return
    turn.interruption ??= endTurn(turn)
    await turn.interruption
  }

  /** By the protocol, some times; then the process goes (and the turn with it). */
  async function endTurn(mine: HeadlessTurn): Promise<void> {
    for (const id of mine.waitsFor) control({ subtype: 'stop_task', task_id: id })
    if (mine.waitsFor.length > 0) finish(mine, { outcome: 'interrupted', error: null })
    let isAsked = false
    mine.whenTaken(() => {
      isAsked = true
      control({ subtype: 'interrupt' })
    })
    const limit = () => (closing === null ? interruptTries.toGoOn : interruptTries.toEnd)
    for (let tries = 0; tries < limit() && turn === mine; tries += 1) {
      const isBehind = working && uninvited // ours comes behind that one
      if (isBehind || (isAsked && tries > 0)) control({ subtype: 'interrupt' })
      await Promise.race([mine.ended, pause(interruptMs, undefined, { ref: false })])
    }
    if (turn === mine) await claude.end()
    await mine.ended
  }

  function control(request: object): void {
    claude.write({ type: 'control_request', request_id: randomUUID(), request })
  }

  async function answer(requestId: string, decision: Decision): Promise<void> {
    const asked = pending.get(requestId)
    if (asked === undefined) throw new AppError('permission_not_found', `Nothing is asked under ${requestId}.`)
    pending.delete(requestId)
    const { verdict, response } = answerTo(asked, decision)
    reply(requestId, { subtype: 'success', response })
    turn?.push({ kind: 'permission_resolved', requestId, verdict })
  }

  const ended = claude.ended.then((end) => {
    over = end
    const words = closing === null ? wordsFor(end) : null
    const isWanted = closing !== null || turn?.interruption != null
    if (turn !== null) finish(turn, isWanted ? { outcome: 'interrupted', error: null } : { outcome: 'failed', error: words })
    return { status: end.status, signal: end.signal, error: words }
  })

  // An interrupt with nothing to interrupt changes nothing and is answered (2.1.197 and 2.1.325): that proves it is ready. A process
  // that cannot start (a bad flag, no such session) ends before it answers, and has said why.
  control({ subtype: 'interrupt' })
  const early = await Promise.race([claude.ended, isReady, pause(readyMs, undefined, { ref: false })])
  if (early !== undefined) throw new AppError('failed', wordsFor(early))

  return {
    sessionId,
    pid: claude.pid,
    send,
    interrupt,
    answer,
    async close() {
      closing ??= interrupt().then(() => claude.end())
      await closing
      await ended
    },
    ended,
  }
}

/**
 * `-p` takes a text that begins with `/` for a command (2.1.197 even one it does not know). A blank before it makes it a prompt
 * like any other on both versions; the model is sent that blank too. `!` and `-` mean nothing here.
 */
function literalPrompt(prompt: string): string {
  return prompt.startsWith('/') ? ` ${prompt}` : prompt
}

function wordsFor({ status, signal, said }: ProcessEnd): string {
  const how = signal === null ? `with status ${status}` : `by ${signal}`
  const words = lastLines(said)
  return `Claude Code ended ${how}${words === '' ? '.' : `: ${words}`}`
}
