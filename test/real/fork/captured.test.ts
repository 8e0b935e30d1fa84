// Ten turns with the real CLIs and our hooks: edits by tools and by the shell, deletions, renames, edits and commits by hand in
// between, turns without a change. A fork at every turn has exactly the files of that turn and its conversation.
import { appendFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { claude } from '../../../src/agents/claude/index.ts'
import { codex } from '../../../src/agents/codex/index.ts'
import type { AgentId } from '../../../src/model/session.ts'
import { followUpsEnded } from '../../capture/follow-ups.ts'
import { copyOf } from '../../git/copy-of.ts'
import { execNew, execResume } from '../codex/exec.ts'
import { type AppBench, createAppBench } from './app-bench.ts'

const pairs = [
  ['2.1.325', '0.166.0'],
  ['2.1.197', '0.142.0'],
] as const

const command = { argv: [process.execPath, fileURLToPath(new URL('../../../bin/hook.js', import.meta.url))] }

/** What to ask, with the tools of either agent; what the person does before it. */
interface Step {
  readonly claude: string
  readonly codex: string
  readonly before?: (work: string, git: (...args: string[]) => string) => void
}

const both = (text: string): Step => ({ claude: `[[bash:${text}]]`, codex: `[[shell: ${text}]]` })

const steps = (work: string): Step[] => [
  { claude: `[[write:${work}/src/new.txt:new\n]]`, codex: '[[patch: src/new.txt|new]]' },
  { claude: `[[edit:${work}/notes.txt:first:second]]`, codex: '[[edit: notes.txt|first note|second note]]' },
  both('mkdir -p made && echo by-shell > made/x.txt && ln -s made link'),
  both('rm README.md'),
  both('git mv notes.txt renamed.txt && chmod +x src/new.txt'),
  { claude: 'just an answer', codex: 'just an answer' },
  {
    ...both('echo more >> made/x.txt'),
    before: (at) => appendFileSync(join(at, 'renamed.txt'), 'by hand\n'),
  },
  {
    claude: 'after a commit by hand',
    codex: 'after a commit by hand',
    before: (at, git) => {
      writeFileSync(join(at, 'src', 'hand.txt'), 'committed by hand\n')
      git('add', '-A')
      git('commit', '-qm', 'by hand')
    },
  },
  both('mv src/new.txt src/moved.txt'),
  both('git add -A && echo unstaged >> src/hand.txt && echo untracked > last.txt'),
]

async function ask({ claude: bench, codex: home }: AppBench, agent: AgentId, prompt: string, id: string | null, cwd?: string) {
  const at = cwd === undefined ? {} : { cwd }
  if (agent === 'claude')
    return (await bench.claude.print(prompt, { flags: id === null ? [] : ['--resume', id], ...at })).sessionId
  if (id === null) return execNew(home, prompt, at)
  await execResume(home, id, prompt, at)
  return id
}

/** What the model was sent with the last prompt of a session. */
function lastHistory({ claude: bench, codex: home }: AppBench, agent: AgentId, id: string): string {
  const request =
    agent === 'claude'
      ? bench.api.requests.findLast(({ sessionId }) => sessionId === id)?.messages
      : home.api.requestsOf(id).at(-1)?.input
  return JSON.stringify(request)
}

describe.each(pairs)('Claude Code %s and Codex %s', (claudeVersion, codexVersion) => {
  test.each<AgentId>(['claude', 'codex'])('%s: ten turns, forked at each of them', { timeout: 400_000 }, async (agent) => {
    const bench = await createAppBench(claudeVersion, codexVersion)
    const { sandbox } = bench.claude
    const { work } = sandbox
    const git = (...args: string[]) => sandbox.git(work, ...args)
    try {
      const env = { home: sandbox.home, vars: bench.vars }
      const { hooks } = agent === 'claude' ? claude : codex
      await hooks.install(env, { kind: 'user' }, command)
      const copies: Record<string, string>[] = []
      const states: string[] = []
      let id: string | null = null
      for (const [at, step] of steps(work).entries()) {
        step.before?.(work, git)
        id = await ask(bench, agent, `turn-${at + 1}. ${step[agent]}`, id)
        copies.push(copyOf(work))
        states.push(git('status', '--porcelain'))
      }
      const address = id ?? ''
      const refs = git('for-each-ref', 'refs/heads')
      for (const [at, copy] of copies.entries()) {
        const number = at + 1
        const { fork, plan } = await bench.app.fork({ address, at: String(number) })
        expect([plan.code.mode, plan.code.from?.kind, plan.code.from?.turnNumber]).toEqual(['turn', 'snapshot', number])
        const path = fork.workspace?.path ?? ''
        expect(copyOf(path), `turn ${number}`).toEqual(copy)
        expect(sandbox.git(path, 'status', '--porcelain')).toBe(states[at])
        await ask(bench, agent, 'and now this', fork.sessionId, fork.command.cwd)
        const history = lastHistory(bench, agent, fork.sessionId)
        const kept = copies.map((_, i) => history.includes(`turn-${i + 1}. `))
        expect(kept).toEqual(copies.map((_, i) => i < number))
        expect(history).toContain('and now this')
      }
      expect(git('status', '--porcelain')).toBe(states.at(-1))
      expect(copyOf(work)).toEqual(copies.at(-1))
      const others = git('for-each-ref', 'refs/heads')
        .split('\n')
        .filter((line) => !line.includes('refs/heads/offshoot/'))
      expect(others.join('\n')).toBe(refs)
    } finally {
      await followUpsEnded(bench.vars.OFFSHOOT_HOME ?? '')
      await bench.dispose()
    }
  })
})
