// `offshoot hooks`: what was done to which file, one line an agent. An agent that could not be changed is told of on stderr and
// in the exit status.

import { cleanLine } from '../../lib/text/clean.ts'
import type { HookOutcome, HookRequest, HookStatus } from '../../model/capture.ts'
import { renderHookOutcome, renderHookStatus } from '../../model/render-hooks.ts'
import type { AgentId } from '../../model/session.ts'
import type { Context } from '../context.ts'

export interface HookOptions {
  readonly agent?: AgentId | undefined
  readonly project?: true | undefined
  readonly json?: true | undefined
}

export async function installHooks(context: Context, options: HookOptions): Promise<number> {
  const outcomes = await (await context.app()).installHooks(requestOf(options))
  await printOutcomes(context, options, outcomes, 'installed in')
  return statusOf(outcomes)
}

export async function uninstallHooks(context: Context, options: HookOptions): Promise<number> {
  const outcomes = await (await context.app()).uninstallHooks(requestOf(options))
  await printOutcomes(context, options, outcomes, 'removed from')
  return statusOf(outcomes)
}

export async function showHooks({ app, out }: Context, options: HookOptions): Promise<void> {
  const hooks = await (await app()).hookStatus(requestOf(options))
  if (options.json === true) return void (await out.json({ hooks: hooks.map(renderHookStatus) }))
  for (const status of hooks) await out.line(lineOf(status))
}

async function printOutcomes(
  { out }: Context,
  { json }: HookOptions,
  outcomes: readonly HookOutcome[],
  done: string,
): Promise<void> {
  if (json === true) await out.json({ hooks: outcomes.map(renderHookOutcome) })
  for (const { status, changed, files, notes, error } of outcomes) {
    if (error !== null) {
      out.note(`error: ${status.agent}: ${cleanLine(error.message)}`)
      out.note(`hint: ${cleanLine(error.hint)}`)
    } else if (json !== true) {
      await out.line(changed ? `${status.agent}: ${done} ${files.map(cleanLine).join(' and ')}` : lineOf(status))
    }
    for (const note of notes) out.note(`note: ${status.agent}: ${cleanLine(note)}`)
  }
}

function lineOf({ agent, state, message, file }: HookStatus): string {
  return `${agent}: ${state.replace('_', ' ')}; ${cleanLine(message)} (${cleanLine(file)})`
}

function requestOf({ agent, project }: HookOptions): HookRequest {
  return { ...(agent === undefined ? {} : { agents: [agent] }), project: project === true }
}

function statusOf(outcomes: readonly HookOutcome[]): number {
  return outcomes.find(({ error }) => error !== null)?.error?.exit ?? 0
}
