import { describe, expect, it } from 'vitest'
import { codex } from '../../../src/agents/codex/index.ts'
import { codexVersions } from '../lib/agents.ts'
import { waitUntil } from '../lib/wait.ts'
import { startAppServer } from './app-server.ts'
import { createCodexHome } from './home.ts'

describe('live', () => {
  // 0.166 holds a lock on an open thread; 0.142 only keeps its file open.
  it.each(codexVersions)('tells a thread that %s has open, and whether a turn runs', { timeout: 60_000 }, async (version) => {
    const home = await createCodexHome(version)
    const env = { ...home.sandbox.agentEnv, now: Date.now }
    const live = () => codex.live(env).map(({ sessionId, pid, busy }) => ({ sessionId, pid, busy }))
    try {
      const server = await startAppServer(home)
      const sessionId = await server.startThread(home.work)
      const turnId = await server.startTurn(sessionId, 'Take your time [[hold]]')
      await server.notified(({ method }) => method === 'item/agentMessage/delta')
      await waitUntil('the turn to show', () => live().some(({ busy }) => busy))
      expect(live()).toEqual([{ sessionId, pid: server.pid, busy: true }])
      home.api.release()
      await server.turnEnd(turnId)
      await waitUntil('the end of the turn to show', () => live().every(({ busy }) => !busy))
      expect(live()).toEqual([{ sessionId, pid: server.pid, busy: false }])
      await server.stop()
      expect(live()).toEqual([])
    } finally {
      await home.dispose()
    }
  })

  it('finds the threads of a version without locks in a home where a newer one keeps them', { timeout: 60_000 }, async () => {
    const home = await createCodexHome('0.166.0')
    const env = { ...home.sandbox.agentEnv, now: Date.now }
    try {
      const [young, old] = [await startAppServer(home), await startAppServer(home.as('0.142.0'))]
      const ids = [await young.startThread(home.work), await old.startThread(home.work)]
      await young.turn(ids[0] ?? '', 'One')
      await old.turn(ids[1] ?? '', 'Two')
      expect(new Map(codex.live(env).map(({ sessionId, pid }) => [sessionId, pid]))).toEqual(
        new Map([
          [ids[0], young.pid],
          [ids[1], old.pid],
        ]),
      )
      await young.stop()
      await old.stop()
    } finally {
      await home.dispose()
    }
  })
})
