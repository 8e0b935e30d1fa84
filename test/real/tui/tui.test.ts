// The terminal UI with the real agents: both newest versions in npm test, the older ones in the matrix.
import { describe, test } from 'vitest'
import type { AppInPty } from '../../tui/app-in-pty.ts'
import { claudeVersions, codexVersions } from '../lib/agents.ts'
import { wholeMatrix } from '../lib/matrix.ts'
import { createWorkerBench } from '../workers/worker-bench.ts'
import { agentDies, openTui, questionsAndStops, seedFork, talkAndFork } from './talk-and-fork.ts'

const pairs = claudeVersions.map((claude, at) => ({ claude, codex: codexVersions[at] ?? '0.166.0' }))
const tried = wholeMatrix ? pairs : pairs.slice(-1)

const stories = [
  ['talks, steps back two messages, forks, talks in both tabs', talkAndFork],
  ['asks a person, and is stopped by Escape', questionsAndStops],
  ['a seed fork hides exactly one acknowledgement, and shows it when opened again', seedFork],
  ['survives an agent that is killed in mid-answer', agentDies],
] as const

/** Each story with one of the agents; the whole matrix tells each with all. */
const storiesOf = (agent: 'claude' | 'codex') => stories.filter((_, at) => wholeMatrix || (at % 2 === 0) === (agent === 'claude'))
if (!wholeMatrix)
  console.log('terminal UI: left out here, run by npm run test:matrix: the other stories of each agent, older versions')

describe.each(
  tried.flatMap(({ claude, codex }) => [
    { agent: 'claude' as const, version: claude, claude, codex },
    { agent: 'codex' as const, version: codex, claude, codex },
  ]),
)('$agent $version', ({ agent, claude, codex }) => {
  test.each(storiesOf(agent))('%s', { timeout: 180_000 }, async (_, story) => {
    const bench = await createWorkerBench(claude, codex)
    const opened: AppInPty[] = []
    try {
      await story(bench, agent, async () => {
        const app = await openTui(bench)
        opened.push(app)
        return app
      })
    } finally {
      // Before the sandbox goes: what its turns left to do is waited for there.
      for (const app of opened) {
        app.kill('SIGTERM')
        await app.ended
      }
      await bench.dispose()
    }
  })
})
