// Which way of forking, and why. What was asked for but cannot be done is a blocker: never silently another way.
import { noAbilities } from '../agents/agent-env.ts'
import { agentOf } from '../agents/agent-of.ts'
import { AppError, type ErrorCode } from '../model/error.ts'
import type { BlockerCode, ForkRequest, Notice, Strategy, TerminalChoice } from '../model/fork.ts'
import type { ForkContext } from './context.ts'
import type { CutPlan } from './cut.ts'

export interface StrategyChoice {
  readonly strategy: Strategy
  readonly reason: string
  readonly blocker: Notice<BlockerCode> | null
}

export interface Circumstances {
  readonly busy: boolean
  readonly launched: boolean
}

/** Which blocker an agent means that cannot fork; `busy`: its turn runs. */
const blockerOf: Partial<Record<ErrorCode, BlockerCode>> = { parent_missing: 'parent_missing', busy: 'turn_running' }

/** A terminal in which offshoot starts the agent itself. */
export function isLaunched(terminal: TerminalChoice): boolean {
  return terminal !== 'print' && terminal !== 'headless' && terminal !== 'none'
}

export async function chooseStrategy(
  context: ForkContext,
  request: ForkRequest,
  { session, cut }: CutPlan,
  { busy, launched }: Circumstances,
): Promise<StrategyChoice> {
  const wanted = request.strategy ?? 'auto'
  const to = request.to ?? session.agent
  if (to !== session.agent) {
    const reason = `only a transcript gets from ${session.agent} to ${to}`
    const chosen = await chooseSeed(context, to, reason)
    return wanted === 'auto' || wanted === 'seed' ? chosen : { ...chosen, blocker: impossible(wanted, reason) }
  }
  if (wanted === 'seed') return chooseSeed(context, to, 'asked for')
  const agent = agentOf(context, session.agent)
  // A probe starts the CLI (15 to 140 ms): only where its answer can matter.
  const matters = launched || agent.forkNatively !== undefined || wanted === 'native'
  const abilities = matters && wanted !== 'prefix' ? await agent.abilities(context.env) : noAbilities
  try {
    const choice = await context.catalog.withFiles(session, (file, env) =>
      agent.chooseFork(file, env, cut, { abilities, busy, launched }),
    )
    if (wanted === 'auto' || wanted === choice.strategy) return { ...choice, blocker: null }
    if (wanted === 'prefix') return { strategy: 'prefix', reason: 'asked for', blocker: null }
    return { strategy: wanted, reason: 'asked for', blocker: impossible(wanted, choice.reason) }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    const code = blockerOf[error.code] ?? 'strategy_impossible'
    const strategy = wanted === 'auto' ? 'prefix' : wanted
    return { strategy, reason: error.message, blocker: { code, message: error.message } }
  }
}

async function chooseSeed(context: ForkContext, to: ForkRequest['to'] & string, reason: string): Promise<StrategyChoice> {
  const agent = agentOf(context, to)
  const { installed, problem } = await agent.abilities(context.env)
  const message = `A seed is read by ${agent.label} itself, which cannot be run: ${problem ?? 'it is not installed'}.`
  return { strategy: 'seed', reason, blocker: installed ? null : { code: 'no_agent', message } }
}

function impossible(strategy: Strategy, reason: string): Notice<BlockerCode> {
  return { code: 'strategy_impossible', message: `A ${strategy} fork is not possible here: ${reason}.` }
}
