// Sessions of ten turns and more with the real CLIs and hooks installed by `offshoot hooks install`, forked at every turn.
import { describe, it } from 'vitest'
import type { AgentId } from '../../../src/model/session.ts'
import { wholeMatrix } from '../lib/matrix.ts'
import { newest, oldest, type Versions, withBench } from './bench.ts'
import { checkEveryTurn } from './every-turn.ts'
import { makeSession } from './made.ts'
import type { Mode } from './talker.ts'

interface Run {
  readonly agent: AgentId
  readonly mode: Mode
  readonly versions: Versions
}

const run = (agent: AgentId, mode: Mode, versions: Versions): Run => ({ agent, mode, versions })
const covering = [run('claude', 'headless', newest), run('codex', 'typed', newest)]
const rest = [
  run('codex', 'headless', newest),
  run('claude', 'typed', newest),
  run('claude', 'headless', oldest),
  run('codex', 'headless', oldest),
  run('claude', 'typed', oldest),
  run('codex', 'typed', oldest),
]

const named = (runs: readonly Run[]) => runs.map((each) => ({ ...each, version: each.versions[each.agent] }))
if (!wholeMatrix) {
  const left = named(rest).map(({ agent, version, mode }) => `${agent} ${version} ${mode}`)
  console.log(`captured code: left out here, run by npm run test:matrix: ${left.join(', ')}`)
}

describe.each(named([...covering, ...(wholeMatrix ? rest : [])]))('$agent $version, $mode', ({ agent, mode, versions }) => {
  it('can be forked at every turn with its code', { timeout: 400_000 }, () =>
    withBench(versions, async (bench) => {
      await bench.offshoot('hooks', 'install', '--agent', agent)
      const made = await makeSession(bench, agent, mode)
      // Forks cost a worktree, children a run of the agent. `npm test` forks typed turns only where typing makes a difference
      // (by hand, failed, stopped and the next), and speaks to one child.
      await checkEveryTurn(bench, made, {
        forksAt: (number) => wholeMatrix || mode === 'headless' || (number > 6 && number !== 8),
        asksAt: (number) => wholeMatrix || number === 9,
      })
    }),
  )
})
