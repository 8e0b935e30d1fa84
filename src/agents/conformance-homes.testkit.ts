// What must hold of an agent in any home: where there is nothing, and where what is there is not what its name says.
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import type { Agent } from './agent.ts'
import type { AgentEnv } from './agent-env.ts'
import type { ConformanceFixture } from './conformance-fixture.testkit.ts'

export function checkHomes(agent: Agent, fixture: ConformanceFixture): void {
  const inHome = async (prepare: (env: AgentEnv) => void, check: (env: AgentEnv) => void | Promise<void>) => {
    const odd = mkdtempSync(join(tmpdir(), `offshoot-${agent.id}-home-`))
    try {
      prepare(fixture.env(odd))
      await check(fixture.env(odd))
    } finally {
      rmSync(odd, { recursive: true, force: true })
    }
  }
  const nothingThere = (odd: AgentEnv) => {
    expect([...agent.discover(odd)]).toEqual([])
    expect(agent.live(odd)).toEqual([])
  }
  it('finds nothing where there is no folder', () => inHome(() => undefined, nothingThere))
  it('finds nothing in an empty folder', () =>
    inHome((odd) => mkdirSync(agent.sessionsFolder(odd), { recursive: true }), nothingThere))
  it('finds nothing where the folder is a file', () =>
    inHome((odd) => {
      mkdirSync(dirname(agent.sessionsFolder(odd)), { recursive: true })
      writeFileSync(agent.sessionsFolder(odd), 'no folder')
    }, nothingThere))
  it('passes over a folder named like a session, and lists the rest', () =>
    inHome(
      (odd) => {
        const path = fixture.small.place(odd.home, fixture.small.content)
        rmSync(path)
        mkdirSync(path)
      },
      (odd) => expect([...agent.discover(odd)].filter((file) => statSync(file.path).isDirectory())).toEqual([]),
    ))
  it('says that the agent is not installed where it is not on the PATH', () =>
    inHome(
      () => undefined,
      async (odd) => {
        const abilities = await agent.abilities({ home: odd.home, vars: { PATH: join(odd.home, 'nothing') } })
        expect(abilities).toMatchObject({ installed: false, version: null, fork: false, forkAtTurn: false })
        expect(abilities.problem).not.toBeNull()
      },
    ))
}
