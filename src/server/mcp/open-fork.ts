// Forks a session and opens it as a worker: what `smart_fork` and `fork_session` share. A plan that needs a yes comes back as an
// answer, because the person has to see it first.
import { AppError } from '../../model/error.ts'
import type { ForkRequest, ForkResult, WarningCode } from '../../model/fork.ts'
import { renderPlan, renderProof } from '../../model/render.ts'
import { renderCommand, renderMade } from '../../model/render-code.ts'
import type { AgentId } from '../../model/session.ts'
import type { SpawnedWorker, WorkerRequest } from '../../model/worker.ts'
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
  readonly codeAt?: string | undefined
  readonly title?: string | undefined
  readonly branch?: string | undefined
  readonly prompt?: string | undefined
  readonly send?: boolean | undefined
  readonly name?: string | undefined
  /** `none`: the fork is made, nobody opens it. */
  readonly terminal?: 'tmux' | 'wezterm' | 'iterm2' | 'print' | 'headless' | 'none' | undefined
  readonly accept: readonly string[]
  /** The plan to execute, as it was shown. */
  readonly planId?: string | undefined
  readonly dryRun: boolean
}

/** Codex gives a tool 300 s (0.166). A seed into another agent is a turn of its own and may take longer. */
const patienceSeconds = 240
const planLimits = { items: 8, characters: 300 }

export async function openFork(call: Call, wanted: WantedFork): Promise<Readonly<Record<string, unknown>>> {
  if (wanted.name !== undefined && wanted.terminal === 'none') {
    throw new AppError('usage', '`name` names a worker, and with the terminal `none` no worker is opened.', {
      hint: 'Open one with `terminal`: tmux, wezterm, iterm2, print or headless; name the fork itself with `title`.',
    })
  }
  if (wanted.dryRun) {
    const plan = await (wanted.terminal === 'none'
      ? call.guarded.planFork(forkRequest(wanted))
      : call.guarded.planSpawnedFork(workerRequest(wanted)))
    const needs = plan.confirm.filter((code) => !wanted.accept.includes(code))
    return { plan: await toPlan(call, renderPlan(plan)), ...(needs.length === 0 ? {} : { confirm: needs, next: askFirst() }) }
  }
  try {
    const made = await orGiveUp(call, make(call, wanted), patienceSeconds)
    return made === null ? { next: stillForking(wanted) } : { forked_session: made }
  } catch (thrown) {
    const open = planToShow(thrown)
    if (open === null) throw thrown
    return { plan: await toPlan(call, open.plan), confirm: open.confirm, next: open.next }
  }
}

function stillForking({ agent, sessionId }: WantedFork): string {
  return `The fork is still being made and goes on without you. Ask later: session_tree with session ${agent}:${sessionId}, or list_workers.`
}

function askFirst(tool: ExecutingTool = 'fork_session'): string {
  return `Nothing was done. Show the plan and its warnings to the user; if they agree, call ${tool} with its id as \`plan_id\` and these codes in \`accept\`.`
}

/** Those that take a `plan_id`. */
type ExecutingTool = 'fork_session' | 'fork_worker'

async function make(call: Call, wanted: WantedFork): Promise<Readonly<Record<string, unknown>>> {
  await call.progress('forking')
  if (wanted.terminal === 'none') {
    const accepted = { accept: wanted.accept as readonly WarningCode[] }
    const made = await (wanted.planId === undefined
      ? call.guarded.fork(forkRequest(wanted), accepted)
      : call.guarded.executePlanned(wanted.planId, accepted))
    return describe(call, wanted, made, null)
  }
  const worker = await call.guarded.spawnWorker(workerRequest(wanted), { signal: call.signal })
  return describe(call, wanted, worker.fork, worker)
}

async function describe(call: Call, wanted: WantedFork, made: ForkResult | null, worker: SpawnedWorker | null) {
  const pending = worker === null ? (made?.fork.pendingPrompt ?? null) : worker.pendingPrompt
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
    ...(made === null ? {} : ((await toPlan(call, renderMade(made))) as object)),
    ...(pending === null ? {} : { pending_prompt: await safeValue(call.redactor, pending) }),
    note: [
      worker === null ? 'The fork is made; open it with `command` in its folder.' : whereItLives(call, worker),
      promptNote(wanted, made, pending),
    ].join(''),
  }
}

/** Where a prompt is that was not sent. */
function promptNote({ send, prompt }: WantedFork, made: ForkResult | null, pending: string | null): string {
  if (pending !== null) return ' The prompt was not sent: give it to the fork when the person agrees.'
  const waits = send !== true && (prompt ?? made?.plan.pendingPrompt) !== undefined
  return waits ? ' The prompt waits in its composer, unsent.' : ''
}

/** A plan short enough for an answer, without secrets. */
export async function toPlan(call: Call, value: unknown): Promise<unknown> {
  return shorten(await safeValue(call.redactor, value), planLimits)
}

export interface PlanToShow {
  readonly plan: unknown
  readonly confirm: readonly string[]
  readonly next: string
}

/** Of a fork that was not made: the plan that has to be accepted first, or the new one where the old no longer holds. */
export function planToShow(thrown: unknown, tool?: ExecutingTool): PlanToShow | null {
  if (!(thrown instanceof AppError)) return null
  if (thrown.code === 'confirm_needed') {
    const { plan, confirm } = thrown.details as PlanToShow
    return { plan, confirm, next: askFirst(tool) }
  }
  const { plan } = (thrown.details ?? {}) as { readonly plan?: { readonly confirm: readonly string[] } }
  if (thrown.code !== 'plan_stale' || plan === undefined) return null
  return { plan, confirm: plan.confirm, next: `${thrown.message} This is the new plan. ${askFirst(tool)}` }
}

/** Of a fork that nobody opens. */
function forkRequest({ address, at, to, code, codeAt, title, branch, prompt, send }: WantedFork): ForkRequest {
  return {
    address,
    terminal: 'none',
    ...(at === undefined ? {} : { at }),
    ...(to === undefined ? {} : { to }),
    ...(code === undefined ? {} : { code }),
    ...(codeAt === undefined ? {} : { codeAt }),
    ...(title === undefined ? {} : { title }),
    ...(branch === undefined ? {} : { branch }),
    ...(prompt === undefined ? {} : { prompt }),
    ...(send === true ? { send } : {}),
  }
}

function workerRequest(wanted: WantedFork): WorkerRequest & { fork: true } {
  const { address, agent, to, at, code, codeAt, title, branch, prompt, send, name, terminal, accept, projectPath } = wanted
  return {
    agent: to ?? agent,
    projectPath,
    resume: address,
    fork: true,
    accept,
    ...(wanted.planId === undefined ? {} : { planId: wanted.planId }),
    ...(at === undefined ? {} : { atTurn: at }),
    ...(code === undefined ? {} : { code }),
    ...(codeAt === undefined ? {} : { codeAt }),
    ...(title === undefined ? {} : { title }),
    ...(branch === undefined ? {} : { branch }),
    ...(prompt === undefined ? {} : { prompt, send: send === true }),
    ...(name === undefined ? {} : { name }),
    ...(terminal === undefined ? {} : { terminal }),
  }
}
