import { describe, expect, it } from 'vitest'
import { codex } from '../../../src/agents/codex/index.ts'
import { makeCodexSession } from './session.ts'

describe('makeCodexSession', () => {
  it('makes real sessions of both generations in one home', { timeout: 60_000 }, async () => {
    const old = await makeCodexSession({ version: '0.142.0', prompts: ['Old one'] })
    const { home } = old
    try {
      const young = await makeCodexSession({
        home,
        version: '0.166.0',
        prompts: ['New one', 'New two [[shell: pwd]]'],
        cwd: home.work,
      })
      const found = [...codex.discover(home.sandbox.agentEnv)].map(({ id, path }) => ({ id, path }))
      expect(found).toHaveLength(2)
      for (const { threadId, path } of [old, young]) expect(found).toContainEqual({ id: threadId, path })
      expect(home.api.requestsOf(young.threadId)).toHaveLength(3)
    } finally {
      await home.dispose()
    }
  })
})
