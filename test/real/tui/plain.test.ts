// The plain mode with the real agents: Claude Code in npm test, both in the matrix.
import { expect, test } from 'vitest'
import { claudeVersions, codexVersions } from '../lib/agents.ts'
import { wholeMatrix } from '../lib/matrix.ts'
import { createWorkerBench } from '../workers/worker-bench.ts'
import { openPlain, talkInPlainLines } from './plain-talk.ts'

test.each(wholeMatrix ? (['claude', 'codex'] as const) : (['claude'] as const))(
  '%s: talks, answers a question, stops a turn, all in lines',
  { timeout: 180_000 },
  async (agent) => {
    const bench = await createWorkerBench(claudeVersions.at(-1), codexVersions.at(-1))
    const app = openPlain(bench)
    try {
      await talkInPlainLines(bench, agent, app)
    } finally {
      app.kill('SIGTERM')
      expect(await app.ended).toBeDefined()
      await bench.dispose()
    }
  },
)
