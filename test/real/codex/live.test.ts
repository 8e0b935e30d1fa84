import { describe, expect, it } from 'vitest'
import { codex } from '../../../src/agents/codex/index.ts'
import { codexVersions } from '../lib/agents.ts'
import { waitUntil } from '../lib/wait.ts'
import { startAppServer } from './app-server.ts'
import { createCodexHome } from './home.ts'

describe('live', () => {
  // 0.166 holds a lock on an open thread. 0.142 does not: there only a running turn shows, by its file.
  it.each(codexVersions)('tells a thread that %s has open, and whether a turn runs', { timeout: 60_000 }, async (version) => {
    const home = await createCodexHome(version)
    const live = () => codex.live({ ...home.sandbox.agentEnv, now: Date.now })
    const locks = version !== '0.142.0'
    try {
      const server = await startAppServer(home)
      const sessionId = await server.startThread(home.work)
      const turnId = await server.startTurn(sessionId, 'Take your time [[hold]]')
      await server.notified(({ method }) => method === 'item/agentMessage/delta')
      await waitUntil('the turn to show', () => live().some(({ busy }) => busy))
      expect(live()).toEqual([{ sessionId, pid: locks ? server.pid : null, busy: true }])
      home.api.release()
      await server.turnEnd(turnId)
      await waitUntil('the end of the turn to show', () => live().every(({ busy }) => !busy))
      expect(live()).toEqual(locks ? [{ sessionId, pid: server.pid, busy: false }] : [])
      await server.stop()
      expect(live()).toEqual([])
    } finally {
      await home.dispose()
    }
  })
})
