// The list of live sessions against real processes: a busy one, an idle one, one that was killed.
import { randomUUID } from 'node:crypto'
import { expect, it } from 'vitest'
import { claude } from '../../../src/agents/claude/index.ts'
import { claudeVersions } from '../lib/agents.ts'
import { waitUntil } from '../lib/wait.ts'
import { createBench, makeClaudeSession } from './bench.ts'

it.each(claudeVersions)('claude %s: a working session is live until its process ends', { timeout: 60_000 }, async (version) => {
  const { sandbox, api, claude: real } = await createBench(version)
  try {
    const sessionId = randomUUID()
    const running = real.startPrint('never answered [[hang]]', { flags: ['--session-id', sessionId] })
    await api.waitForPrompt('never answered')
    const live = await waitUntil('the session to be live', () =>
      claude.live(sandbox.agentEnv).find((one) => one.sessionId === sessionId),
    )
    expect(live).toMatchObject({ sessionId, pid: running.pid })
    await running.killHard()
    expect(claude.live(sandbox.agentEnv)).toEqual([])
  } finally {
    await sandbox.dispose()
  }
})

it('a session that ended by itself is not live', { timeout: 60_000 }, async () => {
  const { sandbox, sessionId, path } = await makeClaudeSession({ version: '2.1.325', prompts: ['hello'] })
  try {
    expect([...claude.discover(sandbox.agentEnv)].map((file) => [file.id, file.path])).toEqual([[sessionId, path]])
    expect(claude.live(sandbox.agentEnv)).toEqual([])
  } finally {
    await sandbox.dispose()
  }
})
