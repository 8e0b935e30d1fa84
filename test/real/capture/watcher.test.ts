// Nothing installed, but somebody is watching: turns are captured as their transcripts grow, and marked so.
import { describe, expect, it } from 'vitest'
import type { AgentId } from '../../../src/model/session.ts'
import { wholeMatrix } from '../lib/matrix.ts'
import { waitUntil } from '../lib/wait.ts'
import { newest, oldest, type Versions, withBench } from './bench.ts'
import { checkEveryTurn } from './every-turn.ts'
import { makeSession } from './made.ts'
import type { Mode } from './talker.ts'

const covering: [AgentId, Versions, Mode][] = [['codex', newest, 'headless']]
const rest: [AgentId, Versions, Mode][] = [
  ['claude', newest, 'headless'],
  ['claude', newest, 'typed'],
  ['codex', newest, 'typed'],
  ['claude', oldest, 'headless'],
  ['codex', oldest, 'headless'],
]
const runs = [...covering, ...(wholeMatrix ? rest : [])].map(([agent, versions, mode]) => ({
  agent,
  versions,
  mode,
  version: versions[agent],
}))

describe.each(runs)('$agent $version, $mode, without hooks', ({ agent, versions, mode }) => {
  it('is captured by the watcher', { timeout: 400_000 }, () =>
    withBench(versions, async (bench) => {
      const seen: string[] = []
      const problems: string[] = []
      const watching = await bench.app.watchCaptures({
        onCaptured: (_, turn) => seen.push(turn.prompt),
        onProblem: (problem) => problems.push(problem),
      })
      const captured = (prompt: string) =>
        waitUntil(`"${prompt}" to be captured`, () => seen.includes(prompt), {
          describe: () => JSON.stringify({ seen, problems }),
        })
      const made = await makeSession(bench, agent, mode, captured)
      await watching.close()
      expect(problems).toEqual([])
      const { session } = await bench.app.resolve(made.sessionId)
      const rows = await bench.app.listTurns(session)
      expect(rows.map(({ snapshot }) => snapshot?.by)).toEqual(made.turns.map(() => 'watcher'))
      await checkEveryTurn(bench, made, {
        asksAt: () => false,
        forksAt: (number) => wholeMatrix || number % 3 === 0,
        starts: false,
      })
    }),
  )
})
