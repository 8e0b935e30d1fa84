// Runs one script in a sandbox of its own and says how it ended.
import { execFileSync } from 'node:child_process'
import type { Agent } from '../../../src/agents/agent.ts'
import { builtinAgents } from '../../../src/agents/index.ts'
import { createApp } from '../../../src/app.ts'
import { actions } from './actions.ts'
import { checkCatalogue } from './catalogue.ts'
import { createClaudeCli } from './claude-cli.ts'
import type { Cli } from './cli.ts'
import { createCodexCli } from './codex-cli.ts'
import { Disagreement, type FaultKind, judge } from './judge.ts'
import type { Script, Step } from './script.ts'
import { createWorld } from './world.ts'

export interface Verdict {
  /** The steps that were possible. */
  readonly ran: readonly Step[]
  /** `driver`: the script itself could not be driven on; says nothing about offshoot. */
  readonly fault: { readonly kind: FaultKind | 'driver'; readonly message: string } | null
  readonly ms: number
}

const clis = {
  'claude-2.1.197': () => createClaudeCli('2.1.197'),
  'claude-2.1.325': () => createClaudeCli('2.1.325'),
  'codex-0.142.0': () => createCodexCli('0.142.0'),
  'codex-0.166.0': () => createCodexCli('0.166.0'),
} satisfies Readonly<Record<string, () => Promise<Cli>>>

export type AgentName = keyof typeof clis
export const agentNames = Object.keys(clis) as AgentName[]

export interface DriveOptions {
  readonly onStep?: (step: Step) => void
  /** Instead of the readers of the product. */
  readonly agents?: readonly Agent[]
  /** Where a copy of the sandbox is left when the script fails. */
  readonly keepAt?: string | undefined
}

export async function drive(
  name: AgentName,
  script: Script,
  { onStep, keepAt, agents = builtinAgents }: DriveOptions = {},
): Promise<Verdict> {
  const startedAt = performance.now()
  const cli = await clis[name]()
  const { home, work: cwd } = cli.sandbox
  const app = createApp({ home, vars: cli.vars, cwd, now: Date.now, agents })
  const world = createWorld(cli, app, agents)
  const ran: Step[] = []
  const verdict = (fault: Verdict['fault']) => {
    if (fault !== null && keepAt !== undefined) execFileSync('cp', ['-a', cli.sandbox.root, keepAt])
    return { ran, fault, ms: Math.round(performance.now() - startedAt) }
  }
  try {
    for (const step of script) {
      const action = actions[step.action]
      if (!action.possible(world)) continue
      ran.push(step)
      onStep?.(step)
      await action.run(world, step.pick)
      await judge(world, step.pick % 3 === 2 ? 'fork' : 'resume')
    }
    await checkCatalogue(world)
    return verdict(null)
  } catch (error) {
    if (error instanceof Disagreement) return verdict({ kind: error.kind, message: error.message })
    return verdict({ kind: 'driver', message: error instanceof Error ? (error.stack ?? error.message) : String(error) })
  } finally {
    app.close()
    await cli.sandbox.dispose()
  }
}
