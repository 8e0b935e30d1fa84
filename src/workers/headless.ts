// Headless workers as this process runs them: one conversation each, opened with the first prompt and closed when it has rested
// long enough, one turn at a time. Another process sees who holds a worker by the owner in its entry.
import { agentOf } from '../agents/agent-of.ts'
import { fitDecision } from '../lib/answers.ts'
import { AppError } from '../model/error.ts'
import type { Decision, PermissionRequest } from '../model/run.ts'
import type { WorkerState } from '../model/worker.ts'
import type { WorkerRecord } from '../store/workers.ts'
import { type Begin, findSessionFile, runsOf, type WorkerContext } from './context.ts'
import { readEnv } from './files.ts'
import { createOwnership, heldBy } from './ownership.ts'
import { runPolicy } from './policy.ts'
import { waiting } from './refusals.ts'
import { amend, jot } from './register.ts'
import { type Live, type RunningTurn, runTurn } from './run-turn.ts'

/** An idle agent holds up to 200 MB; it comes back by resuming. */
const idleMs = 15 * 60_000

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
    const made = findSessionFile(context, agent, sessionId)
    if (made !== null) await context.catalog.putBackMissing(made)
    const runs = await runsOf(context, record)
    const conversation = await runs.converse(context.env, {
      begin: made !== null || wanted === null ? { kind: 'resume', sessionId } : wanted,
      cwd: record.cwd,
      model: settings.model,
      env: { ...readEnv(context.folder, record.id, settings.env), OFFSHOOT_WORKER: record.id },
      mcpConfig: settings.mcpConfig,
      flags: record.workspace === null ? [] : await context.hookFlags(agentOf(context, agent), record.workspace.path),
      policy: runPolicy(settings),
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
    jot(context, id, (stored) =>
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
    const isKept = () => settled.get(id) === live
    const turn = runTurn({ context, record, live, prompt, isKept, rest: () => restLater(live) })
    live.turn = turn
    return turn
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
      // The agent has it and takes no second answer: the worker waits no longer, though the agent has not said so yet.
      live.pending.delete(requestId)
      if (live.turn !== null && live.pending.size === 0) jot(context, record.id, { state: 'running' })
    },

    /** An agent takes its model when it is opened: it is closed, and resumed with the next prompt. */
    async changeModel(record: WorkerRecord, model: string | null): Promise<void> {
      const { id, name } = record
      if (record.kind === 'terminal') {
        throw new AppError('refused', `"${name}" runs in a terminal: its model is changed there.`, {
          hint: `Open it with \`offshoot attach ${name}\`.`,
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
