// A catalogue that is open while the real Codex works: whatever happened so far, it says what a fresh one says.
import { join } from 'node:path'
import { expect } from 'vitest'
import { builtinAgents } from '../../../src/agents/index.ts'
import { type Catalog, createCatalog } from '../../../src/catalog/catalog.ts'
import { differencesFromFresh } from '../../../src/catalog/fresh.testkit.ts'
import { exec } from '../../../src/lib/exec.ts'
import type { CatalogSession } from '../../../src/model/catalog.ts'
import type { CodexHome } from './home.ts'

export interface LongLived {
  readonly catalog: Catalog
  /** Refreshes, and checks that a fresh catalogue agrees. */
  agrees(): Promise<void>
  /** The one session with this id. */
  session(id: string): Promise<CatalogSession>
  /** Prompts of the live chain, `[state]` behind those that are not complete; then the dead ones, each with a cross before it. */
  turns(id: string): Promise<string[]>
}

export function openLongLived(home: CodexHome): LongLived {
  const { agentEnv, work, onDispose } = home.sandbox
  const env = { ...agentEnv, now: Date.now }
  const folder = join(home.sandbox.home, '.offshoot')
  const options = { agents: builtinAgents, env, folder, cwd: work, now: Date.now, exec }
  const catalog = createCatalog(options)
  onDispose(() => catalog.close())

  async function session(id: string): Promise<CatalogSession> {
    const found = (await catalog.listSessions()).filter((each) => each.id === id)
    expect(found, 'a thread is one session, whatever its files').toHaveLength(1)
    return found[0] as CatalogSession
  }
  return {
    catalog,
    agrees: async () => expect(await differencesFromFresh(catalog, options)).toEqual([]),
    session,
    async turns(id) {
      const turns = await catalog.listTurns(await session(id), { deadBranches: true })
      return turns.map(({ number, prompt, state }, index) => {
        if (number !== null) expect(number).toBe(index + 1)
        return `${number === null ? '✗ ' : ''}${prompt}${state === 'complete' ? '' : ` [${state}]`}`
      })
    },
  }
}
