// Forks a session and opens it as a worker: what `smart_fork` and `fork_session` share. A plan that needs a yes comes back as an
// answer, because the person has to see it first.
import { AppError } from '../../model/error.ts'
import type { ForkRequest, ForkResult, WarningCode } from '../../model/fork.ts'
import { renderPlan, renderProof } from '../../model/render.ts'
import { renderCommand } from '../../model/render-code.ts'
import type { AgentId } from '../../model/session.ts'
import type { Worker, WorkerRequest } from '../../model/worker.ts'
import { orGiveUp } from './patience.ts'
import { safeValue } from './safe-text.ts'
import { shorten } from './size.ts'
import type { Call } from './tool.ts'
import { whereItLives } from './worker-notes.ts'

export interface WantedFork {
  readonly address: string
  /** Of the session: the fork's too unless `to` says otherwise. */
  readonly agent: AgentId
  readonly sessionId: string
  readonly projectPath: string
  readonly at?: string | undefined
  readonly to?: AgentId | undefined
  readonly code?: ForkRequest['code'] | undefined
  readonly title?: string | undefined
  readonly branch?: string | undefined
  readonly prompt?: string | undefined
  readonly name?: string | undefined
  /** `none`: the fork is made, nobody opens it. */
  readonly terminal?: 'tmux' | 'wezterm' | 'iterm2' | 'print' | 'headless' | 'none' | undefined
  readonly accept: readonly string[]
  readonly dryRun: boolean
}

/** Codex gives a tool 300 s (0.166). A seed into another agent is a turn of its own and may take longer. */
const patienceSeconds = 240
const planLimits = { items: 8, characters: 300 }

export async function openFork(call: Call, wanted: WantedFork): Promise<Readonly<Record<string, unknown>>> {
  if (wanted.dryRun) {
    const plan = await call.guarded.planFork(forkRequest(wanted))
    const needs = plan.confirm.filter((code) => !wanted.accept.includes(code))
    return { plan: await toPlan(call, renderPlan(plan)), ...(needs.length === 0 ? {} : { confirm: needs, next: askFirst }) }
  }
  try {
    const made = await orGiveUp(call, make(call, wanted), patienceSeconds)
    return made === null ? { next: stillForking(wanted) } : { forked_session: made }
  } catch (thrown) {
    const open = unconfirmed(thrown)
    if (open === null) throw thrown
    return { plan: await toPlan(call, open.plan), confirm: open.confirm, next: askFirst }
  }
}

function stillForking({ agent, sessionId }: WantedFork): string {
  return `The fork is still being made and goes on without you. Ask later: session_tree with session ${agent}:${sessionId}, or list_workers.`
}

export const askFirst =
  'Nothing was done. Show the plan and its warnings to the person; if they say yes, call again with these codes in `accept`.'

async function make(call: Call, wanted: WantedFork): Promise<Readonly<Record<string, unknown>>> {
  await call.progress('forking')
  if (wanted.terminal === 'none') {
    const made = await call.guarded.fork(forkRequest(wanted), { accept: wanted.accept as readonly WarningCode[] })
    return describe(call, wanted, made, null)
  }
  const worker = await call.guarded.spawnWorker(workerRequest(wanted), { signal: call.signal })
  return describe(call, wanted, worker.fork, worker)
}

async function describe(call: Call, wanted: WantedFork, made: ForkResult | null, worker: Worker | null) {
  const workspace = made?.fork.workspace ?? worker?.workspace ?? null
  const command = worker?.command ?? made?.fork.command
  return {
    session_name: worker?.name ?? made?.fork.title ?? wanted.address,
    session_id: worker?.sessionId ?? made?.fork.sessionId ?? '',
    resume_session_id: wanted.sessionId,
    terminal_id: worker?.terminalId ?? null,
    workspace: workspace?.path ?? null,
    branch: workspace?.branch ?? null,
    ...(made === null ? {} : { fork_id: made.fork.id, title: made.fork.title, strategy: made.fork.strategy }),
    ...(command === undefined ? {} : { command: await toPlan(call, renderCommand(command)) }),
    worker: worker === null ? null : { name: worker.name, kind: worker.kind, state: worker.state, terminal: worker.terminal },
    plan: made === null ? {} : await toPlan(call, renderPlan(made.plan)),
    proof: made === null ? null : renderProof(made.proof),
    note: worker === null ? 'The fork is made; open it with `command` in its folder.' : whereItLives(call, worker),
  }
}

/** A plan short enough for an answer, without secrets. */
export async function toPlan(call: Call, value: unknown): Promise<unknown> {
  return shorten(await safeValue(call.redactor, value), planLimits)
}

/** `null`: it was something else. */
export function unconfirmed(thrown: unknown): { readonly confirm: readonly string[]; readonly plan: unknown } | null {
  if (!(thrown instanceof AppError) || thrown.code !== 'confirm_needed') return null
  return thrown.details as { confirm: readonly string[]; plan: unknown }
}

function forkRequest({ address, at, to, code, title, branch, prompt, terminal }: WantedFork): ForkRequest {
  return {
    address,
    // Who launches the fork decides how it is made, so the plan must know.
    terminal: terminal ?? 'none',
    ...(at === undefined ? {} : { at }),
    ...(to === undefined ? {} : { to }),
    ...(code === undefined ? {} : { code }),
    ...(title === undefined ? {} : { title }),
    ...(branch === undefined ? {} : { branch }),
    ...(prompt === undefined ? {} : { prompt }),
  }
}

function workerRequest(wanted: WantedFork): WorkerRequest & { fork: true } {
  const { address, agent, to, at, code, title, branch, prompt, name, terminal, accept, projectPath } = wanted
  return {
    agent: to ?? agent,
    projectPath,
    resume: address,
    fork: true,
    accept,
    ...(at === undefined ? {} : { atTurn: at }),
    ...(code === undefined ? {} : { code }),
    ...(title === undefined ? {} : { title }),
    ...(branch === undefined ? {} : { branch }),
    ...(prompt === undefined ? {} : { prompt }),
    ...(name === undefined ? {} : { name }),
    ...(terminal === undefined ? {} : { terminal }),
  }
}
