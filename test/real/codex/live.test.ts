import { describe, expect, it } from 'vitest'
import { codex } from '../../../src/agents/codex/index.ts'
import { startAppServer } from './app-server.ts'
import { createCodexHome } from './home.ts'

describe('live', () => {
  // 0.142 takes no locks: nothing tells there that a session is open.
  it('names the process that has a thread of 0.166 open, and whether a turn runs', { timeout: 60_000 }, async () => {
    const home = await createCodexHome('0.166.0')
    const live = () => codex.live(home.sandbox.agentEnv)
    try {
      const server = await startAppServer(home)
      const sessionId = await server.startThread(home.work)
      const turnId = await server.startTurn(sessionId, 'Take your time [[hold]]')
      await server.notified(({ method }) => method === 'item/agentMessage/delta')
      expect(live()).toEqual([{ sessionId, pid: server.pid, busy: true }])
      home.api.release()
      await server.turnEnd(turnId)
      expect(live()).toEqual([{ sessionId, pid: server.pid, busy: false }])
      await server.stop()
      expect(live()).toEqual([])
    } finally {
      await home.dispose()
    }
  })
})
