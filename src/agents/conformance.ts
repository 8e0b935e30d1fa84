// The suite every agent must pass: run it from `<agent>/conformance.test.ts` with a fixture of recorded session files. It knows
// the interface of agent.ts and nothing of any file format.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe } from 'vitest'
import type { Agent } from './agent.ts'
import type { AgentEnv } from './agent-env.ts'
import { checkDamaged } from './conformance-damaged.testkit.ts'
import type { ConformanceFixture, ConformanceSessions } from './conformance-fixture.testkit.ts'
import { checkHomes } from './conformance-homes.testkit.ts'
import { checkSample } from './conformance-sample.testkit.ts'
import { collect, findFile } from './reading.testkit.ts'

export function runAgentConformance(agent: Agent, fixture: ConformanceFixture): void {
  let home: string
  let env: AgentEnv
  beforeAll(() => {
    home = mkdtempSync(join(tmpdir(), `offshoot-${agent.id}-`))
    env = fixture.env(home)
  })
  afterAll(() => rmSync(home, { recursive: true, force: true }))

  const sessions: ConformanceSessions = {
    place: (sample) => sample.place(home, sample.content),
    summarise: (path, previous) => agent.summarise(findFile(agent, env, path), env, previous),
    read: (path, options) => collect(agent.read(findFile(agent, env, path), env, options)),
  }

  describe('homes', () => checkHomes(agent, fixture))
  describe.each(fixture.samples.map((sample) => [sample.name, sample] as const))('%s', (_name, sample) =>
    checkSample(sessions, sample),
  )
  describe(`${fixture.small.name}, damaged`, () => checkDamaged(sessions, fixture.small))
}
