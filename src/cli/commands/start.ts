// `offshoot start`: an agent in a workspace of its own. What is made is said, and then the agent has the terminal.

import { cleanLine } from '../../lib/text/clean.ts'
import { listCode } from '../../lib/text/code-lines.ts'
import type { TerminalChoice } from '../../model/fork.ts'
import { renderStart, renderStartPlan } from '../../model/render-code.ts'
import type { AgentId } from '../../model/session.ts'
import type { StartPlan, StartRequest } from '../../model/start.ts'
import type { Context } from '../context.ts'
import { promptOf, refuseOptions } from '../forking/request.ts'
import { type WorkerOptions, wantsWorker } from '../workers/wants-worker.ts'

export interface StartOptions extends WorkerOptions {
  readonly push?: string | true | undefined
  readonly branch?: string | undefined
  readonly code?: 'head' | 'now' | undefined
  readonly title?: string | undefined
  readonly terminal?: TerminalChoice | undefined
  readonly dryRun?: true | undefined
  readonly json?: true | undefined
}

/** Gives the exit status. */
export async function startSession(
  context: Context,
  agent: AgentId,
  prompt: string | undefined,
  options: StartOptions,
): Promise<number> {
  const terminal = options.json === true || prompt === '-' ? null : context.terminal()
  refuseOptions(options, terminal !== null)
  const given = await promptOf(context, prompt)
  if (wantsWorker(options)) return (await import('../workers/start-worker.ts')).startWorker(context, agent, given, options)
  const opens = options.terminal ?? (terminal === null ? 'print' : 'here')
  const request = requestOf(agent, given, { ...options, terminal: opens })
  const app = await context.app()
  if (options.dryRun === true) {
    await showPlan(context, await app.planStart(request), options)
    return 0
  }
  const { makeWithMeter } = await import('../making-meter.ts')
  const result = await makeWithMeter(context, (onProgress) => app.start(request, { onProgress }))
  if (options.json === true) {
    await context.out.json(renderStart(result))
    return 0
  }
  await (await import('../forking/report-start.ts')).printStart(context, result)
  if (opens !== 'here') return 0
  return (await import('../forking/open-here.ts')).openStarted(context, result.start)
}

function requestOf(
  agent: AgentId,
  prompt: string | undefined,
  { push, branch, code, title, terminal }: StartOptions,
): StartRequest {
  const wanted = { prompt, branch, code, title, terminal, push: push === true ? 'origin' : push }
  const set = Object.entries(wanted).filter(([, value]) => value !== undefined)
  return { agent, ...Object.fromEntries(set) }
}

export async function showPlan(
  { out }: Context,
  plan: StartPlan,
  { json, name }: Pick<StartOptions, 'json' | 'name'>,
): Promise<void> {
  if (json === true) {
    await out.json({ plan: renderStartPlan(plan) })
    return
  }
  const { bold, yellow } = out.colors
  await out.line(bold(cleanLine(plan.title)))
  const steps = name === undefined ? plan.steps : [...plan.steps, `Call the worker "${name}".`]
  for (const [at, step] of steps.entries()) await out.line(`  ${at + 1}. ${cleanLine(step)}`)
  for (const line of listCode(plan.code)) await out.line(`  ${line}`)
  for (const { code, message } of plan.warnings) await out.line(`  ${yellow(`${code}:`)} ${cleanLine(message)}`)
}
