// Whatever happens to the hook, the agent's output, exit status and requests are those of an agent without hooks; the next turn
// is captured, and with its prompt what could not be captured at its own moment.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { claude } from '../../../src/agents/claude/index.ts'
import { codex } from '../../../src/agents/codex/index.ts'
import type { AgentId } from '../../../src/model/session.ts'
import { copyOf } from '../../git/copy-of.ts'
import { wholeMatrix } from '../lib/matrix.ts'
import { type Accident, accidents } from './accidents.ts'
import { type CaptureBench, newest, oldest, type Versions, withBench } from './bench.ts'
import { checkFork } from './every-turn.ts'
import { askOnce } from './talker.ts'

const command = { argv: [process.execPath, fileURLToPath(new URL('./wrapped-hook.mjs', import.meta.url))] }

interface Run {
  readonly agent: AgentId
  readonly versions: Versions
  readonly chosen: readonly Accident[]
}

const few = (...names: string[]) => accidents.filter(({ name }) => names.includes(name))
const runs: readonly Run[] = wholeMatrix
  ? [newest, oldest].flatMap((versions) =>
      (['claude', 'codex'] as const).map((agent) => ({ agent, versions, chosen: accidents })),
    )
  : [
      { agent: 'claude', versions: newest, chosen: few('killed at "before end#1"') },
      { agent: 'codex', versions: newest, chosen: few('read-only .git') },
    ]

describe.each(runs.map((run) => ({ ...run, version: run.versions[run.agent] })))(
  '$agent $version',
  ({ agent, versions, chosen }) => {
    it('works as without hooks', { timeout: 400_000 }, () =>
      withBench(versions, async (bench) => {
        const without = await talk(bench, agent, chosen)
        const { hooks } = agent === 'claude' ? claude : codex
        await hooks.install({ home: bench.claude.sandbox.home, vars: bench.vars }, { kind: 'user' }, command)
        const withHooks = await talk(bench, agent, chosen)
        expect(withHooks.outcomes).toEqual(without.outcomes)
        expect(bench.git('fsck', '--strict', '--no-dangling')).toBe('')

        const { session } = await bench.app.resolve(withHooks.sessionId)
        const rows = await bench.app.listTurns(session)
        const parent = { agent, sessionId: withHooks.sessionId, prompts: [] }
        for (const [at, { files, captured }] of withHooks.turns.entries()) {
          const { id = '', snapshot } = rows[at] ?? {}
          if (captured === 'at once') expect.soft(snapshot?.by, `turn ${at + 1}`).toBe('hook')
          await checkFork(bench, parent, { request: { at: String(at + 1) }, files, turnId: id, asks: false })
        }
      }),
    )
  },
)

interface Talk {
  readonly sessionId: string
  /** All that somebody who runs the agent gets to see, and how much its model did. */
  readonly outcomes: unknown[]
  readonly turns: { readonly files: Record<string, string>; readonly captured: Accident['captured'] }[]
}

/** Of each accident two turns: the one it happens in, and the next. */
async function talk(bench: CaptureBench, agent: AgentId, chosen: readonly Accident[]): Promise<Talk> {
  const { work } = bench
  const home = bench.vars.OFFSHOOT_HOME ?? ''
  mkdirSync(home, { recursive: true })
  const order = join(home, 'accident.json')
  const made: Talk = { sessionId: '', outcomes: [], turns: [] }
  let sessionId: string | null = null
  for (const [at, { name, wish, setUp, clearUp, captured }] of chosen.entries()) {
    for (const isCalm of [false, true]) {
      if (!isCalm) setUp?.(bench)
      if (!isCalm && wish !== undefined) writeFileSync(order, JSON.stringify(wish(bench)))
      const shell = `cat notes.txt; echo ${at} ${isCalm} > by-agent.txt`
      const asked = requestsOf(bench, agent).length
      const prompt = `${isCalm ? 'after' : 'in spite of'} ${name} ${agent === 'claude' ? `[[bash:${shell}]]` : `[[shell: ${shell}]]`}`
      const { id, done } = await askOnce(bench, agent, prompt, sessionId, work)
      sessionId = id
      const { code, stdout, stderr } = done
      const sizes = requestsOf(bench, agent).slice(asked)
      made.outcomes.push({ prompt, code, stderr, said: said(agent, stdout), sizes })
      made.turns.push({ files: copyOf(work), captured: isCalm ? 'at once' : captured })
      rmSync(order, { force: true })
      if (!isCalm) clearUp?.(bench)
    }
  }
  return { ...made, sessionId: sessionId ?? '' }
}

function requestsOf({ claude: bench, codex: home }: CaptureBench, agent: AgentId): number[] {
  if (agent === 'codex') return home.api.requests.map(({ input }) => input.length)
  return bench.api.requests.map(({ messages }) => messages.length)
}

/** Without ids, times and running numbers. */
function said(agent: AgentId, stdout: string): unknown {
  if (agent === 'codex') {
    return stdout
      .replace(/"(thread_id|id)":"[^"]*"/g, '')
      .replace(/Answer \d+/g, '')
      .replace(/"usage":\{[^}]*\}/g, '')
  }
  const { type, subtype, is_error, num_turns, result, permission_denials } = JSON.parse(stdout) as Record<string, unknown>
  return { type, subtype, is_error, num_turns, result, permission_denials }
}
