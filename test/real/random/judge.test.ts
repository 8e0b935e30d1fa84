// The judge finds faults that are planted in the readers: without this a driver that never disagrees would prove nothing.
import { appendFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { Agent } from '../../../src/agents/agent.ts'
import { builtinAgents } from '../../../src/agents/index.ts'
import type { Entry } from '../../../src/agents/reading.ts'
import { type AgentName, drive } from './drive.ts'
import { parseScript } from './script.ts'

const name: AgentName = 'codex-0.166.0'

async function faultOf(script: string, plant: (agent: Agent) => Partial<Agent> = () => ({})) {
  const agents = builtinAgents.map((agent) => ({ ...agent, ...plant(agent) }))
  const { fault, ran } = await drive(name, parseScript(script), { agents })
  return { kind: fault?.kind ?? null, after: ran.at(-1)?.action }
}

describe('the judge', { timeout: 120_000 }, () => {
  it('accepts the readers as they are', async () => {
    expect(await faultOf('plain tool refresh')).toMatchObject({ kind: null })
  })

  it('sees a reading that leaves out the last message', async () => {
    const plant = (agent: Agent) => ({
      async *read(...args: Parameters<Agent['read']>): AsyncIterable<Entry> {
        let held: Entry | undefined
        for await (const entry of agent.read(...args)) {
          if (held !== undefined) yield held
          held = entry
        }
      },
    })
    expect(await faultOf('plain', plant)).toEqual({ kind: 'context', after: 'plain' })
  })

  it('sees a turn in the wrong state', async () => {
    const plant = (agent: Agent) => ({
      async summarise(...args: Parameters<Agent['summarise']>) {
        const summary = await agent.summarise(...args)
        return { ...summary, turns: summary.turns.map((turn) => ({ ...turn, state: 'interrupted' as const })) }
      },
    })
    expect(await faultOf('plain', plant)).toEqual({ kind: 'turns', after: 'plain' })
  })

  it('sees a source that reading wrote to', async () => {
    const plant = (agent: Agent) => ({
      async summarise(...args: Parameters<Agent['summarise']>) {
        appendFileSync(args[0].path, '\n')
        return agent.summarise(...args)
      },
    })
    expect(await faultOf('plain', plant)).toEqual({ kind: 'source', after: 'plain' })
  })

  it('sees a catalogue that does not take up what is new', async () => {
    const plant = (agent: Agent) => ({
      summarise: async (...[file, env, previous]: Parameters<Agent['summarise']>) => previous ?? agent.summarise(file, env),
    })
    expect(await faultOf('plain refresh plain refresh', plant)).toEqual({ kind: 'catalogue', after: 'refresh' })
  })
})
