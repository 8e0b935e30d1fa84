// Refuses settings of a worker that are wrong, and those that could not take effect.
import { agentOf } from '../agents/agent-of.ts'
import { AppError } from '../model/error.ts'
import type { WorkerRequest, WorkerSettings } from '../model/worker.ts'
import type { WorkerContext } from './context.ts'
import type { Place } from './session.ts'

/** The defaults with the settings of a request. */
export async function settingsFor(context: WorkerContext, given: Partial<WorkerSettings> = {}): Promise<WorkerSettings> {
  return { ...(await context.defaults()), ...given, ...(given.policy === undefined ? {} : { policyGiven: true }) }
}

/** `settings` are the defaults with the ones of the request. */
export async function checkSettings(
  context: WorkerContext,
  { agent, settings: given = {} }: Pick<WorkerRequest, 'agent' | 'settings'>,
  settings: WorkerSettings,
  { kind }: Place,
): Promise<void> {
  const { command, env, policy } = settings
  if (command !== null && kind === 'headless') throw new AppError('usage', 'A command of your own needs a terminal.')
  for (const name of Object.keys(env)) {
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) throw new AppError('usage', `${JSON.stringify(name)} is no name of a variable.`)
  }
  const { model, mcpConfig, policy: givenPolicy, allow } = given
  if (command !== null) {
    const flags = { model, 'MCP servers': mcpConfig, policy: givenPolicy, 'allowed tools': allow }
    const [lost] = Object.entries(flags).find(([, value]) => value != null) ?? []
    if (lost !== undefined) {
      throw new AppError('usage', `A command of your own runs as it is written: the ${lost} would not reach it.`, {
        hint: "Write the agent's own flag into the command.",
      })
    }
  }
  if (allow === undefined) return
  if (policy !== 'allow_list') {
    throw new AppError('usage', `Allowed tools belong to policy allow_list, and the policy of this worker is ${policy}.`, {
      hint: 'Choose policy allow_list as well, or leave the tools out.',
    })
  }
  const { label, runs } = agentOf(context, agent)
  if (kind === 'terminal' && !(await runs()).pane.takesAllowedTools) {
    throw new AppError(
      'usage',
      `In a terminal ${label} takes no list of allowed tools: it decides by its own sandbox and rules.`,
      {
        hint: 'Run the worker headless, or leave the tools out.',
      },
    )
  }
}
