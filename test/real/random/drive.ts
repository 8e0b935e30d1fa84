// Runs one script in a sandbox of its own and says how it ended.
import { createApp } from '../../../src/app.ts'
import type { ClaudeVersion } from '../lib/agents.ts'
import { actions } from './actions.ts'
import { createClaudeCli } from './claude-cli.ts'
import type { Cli } from './cli.ts'
import { Disagreement, type FaultKind, judge } from './judge.ts'
import type { Script, Step } from './script.ts'
import type { World } from './world.ts'

export interface Verdict {
  /** The steps that were possible. */
  readonly ran: readonly Step[]
  /** `driver`: the script itself could not be driven on; says nothing about offshoot. */
  readonly fault: { readonly kind: FaultKind | 'driver'; readonly message: string } | null
  readonly ms: number
}

export const agentNames = ['claude-2.1.197', 'claude-2.1.325'] as const
export type AgentName = (typeof agentNames)[number]

function createCli(name: AgentName): Promise<Cli> {
  return createClaudeCli(name.slice('claude-'.length) as ClaudeVersion)
}

export async function drive(name: AgentName, script: Script): Promise<Verdict> {
  const startedAt = performance.now()
  const cli = await createCli(name)
  const { home, work: cwd } = cli.sandbox
  const app = createApp({ home, vars: cli.vars, cwd, now: Date.now })
  const world: World = { cli, app, sessions: [], current: null, client: null, work: null, serial: 0 }
  const ran: Step[] = []
  const verdict = (fault: Verdict['fault']) => ({ ran, fault, ms: Math.round(performance.now() - startedAt) })
  try {
    for (const step of script) {
      const action = actions[step.action]
      if (!action.possible(world)) continue
      ran.push(step)
      await action.run(world, step.pick)
      await judge(world, step.pick % 3 === 2 ? 'fork' : 'resume')
    }
    return verdict(null)
  } catch (error) {
    if (error instanceof Disagreement) return verdict({ kind: error.kind, message: error.message })
    return verdict({ kind: 'driver', message: error instanceof Error ? (error.stack ?? error.message) : String(error) })
  } finally {
    app.close()
    await cli.sandbox.dispose()
  }
}
