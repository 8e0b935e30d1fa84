// In a workspace every turn that changes something is a commit on its branch, whatever the user does to the branch in between; what
// was uncommitted before a turn is a commit of its own. Every turn can be forked with its code.
import { appendFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { AgentId } from '../../../src/model/session.ts'
import type { Started } from '../../../src/model/start.ts'
import { copyOf } from '../../git/copy-of.ts'
import { wholeMatrix } from '../lib/matrix.ts'
import type { RunResult } from '../lib/processes.ts'
import { agentRuns, type CaptureBench, withBench } from './bench.ts'
import { checkFork } from './every-turn.ts'
import { askOnce } from './talker.ts'

interface Step {
  readonly shell: string
  /** Before the prompt, by hand. */
  readonly byHand?: (at: string, git: (...args: string[]) => string) => void
  /**
   * Commits on the branch that this step leaves, newest first, down to what was there before it. `T`: the turn's own; `B`: of what
   * was uncommitted before it.
   */
  readonly commits: readonly string[]
}

const steps: readonly Step[] = [
  { shell: 'mkdir src && echo one > src/one.txt && rm README.md', commits: ['T'] },
  { shell: 'cat src/one.txt', commits: [] },
  {
    shell: 'git mv notes.txt src/notes.txt && echo staged > staged.txt && git add staged.txt',
    byHand(at, git) {
      writeFileSync(join(at, 'hand.txt'), 'by hand')
      git('add', '-A')
      git('commit', '-qm', 'by hand')
    },
    commits: ['T', 'by hand'],
  },
  { shell: 'true', byHand: (at) => appendFileSync(join(at, 'hand.txt'), ', and not committed'), commits: ['B'] },
  { shell: 'echo two > two.txt', byHand: (at) => appendFileSync(join(at, 'hand.txt'), ', nor this'), commits: ['T', 'B'] },
  { shell: 'echo own > own.txt && git add own.txt && git commit -qm own && echo more > more.txt', commits: ['T', 'own'] },
  { shell: 'git rm -q own.txt && git commit -qm gone', commits: ['gone'] },
  {
    shell: 'echo on > on.txt',
    byHand: (_, git) => void git('commit', '-q', '--amend', '-m', 'amended'),
    commits: ['T', 'amended'],
  },
  {
    shell: 'echo back > back.txt && chmod +x back.txt && ln -s back.txt link',
    byHand: (_, git) => void git('reset', '-q', '--hard', 'HEAD~2'),
    commits: ['T'],
  },
]

describe.each(agentRuns)('$agent $version in its workspace', ({ agent, versions }) => {
  it('leaves a commit for each turn that changed something', { timeout: 400_000 }, () =>
    withBench(versions, async (bench) => {
      await bench.offshoot('hooks', 'install', '--agent', agent)
      const { start } = await bench.app.start({ agent, title: 'A try' })
      const path = start.workspace?.path ?? ''
      const git = (...args: string[]) => bench.claude.sandbox.git(path, ...args)
      const log = () => git('log', '--format=%s').trim().split('\n')
      const copies: Record<string, string>[] = []
      for (const [at, { shell, byHand, commits }] of steps.entries()) {
        const number = at + 1
        const base = log()
        byHand?.(path, git)
        const prompt = `step ${number} ${agent === 'claude' ? `[[bash:${shell}]]` : `[[shell: ${shell}]]`}`
        const done = await askStarted(bench, start, prompt, at === 0)
        expect(done.code, `${done.stdout}${done.stderr}`).toBe(0)
        copies.push(copyOf(path))
        expect.soft(git('status', '--porcelain'), prompt).toBe('')
        const names = new Map([
          [`turn ${number}: ${prompt}`, 'T'],
          [`before turn ${number}: uncommitted work`, 'B'],
        ])
        const subjects = log().map((subject) => names.get(subject) ?? subject)
        expect.soft(subjects.slice(0, commits.length), prompt).toEqual(commits)
        if (byHand === undefined) expect.soft(subjects.slice(commits.length), prompt).toEqual(base)
        if (commits[0] !== 'T') continue
        expect.soft(git('diff', '--name-only', 'HEAD~1', 'HEAD'), prompt).not.toBe('')
        expect.soft(trailers(git)).toMatchObject({ 'Offshoot-Session': start.sessionId, 'Offshoot-Agent': agent })
      }
      expect(git('symbolic-ref', '--short', 'HEAD').trim()).toBe(start.workspace?.branch)
      expect(bench.git('status', '--porcelain')).toBe('')
      await checkForks(bench, agent, start, copies)
    }),
  )
})

describe.each(agentRuns)('$agent $version in a fork with carried work', ({ agent, versions }) => {
  it('commits what was carried apart from what its turns did', { timeout: 400_000 }, () =>
    withBench(versions, async (bench) => {
      await bench.offshoot('hooks', 'install', '--agent', agent)
      const shell = (command: string) => (agent === 'claude' ? `[[bash:${command}]]` : `[[shell: ${command}]]`)
      const { id, done } = await askOnce(bench, agent, 'a first answer', null, bench.work)
      expect(done.code, `${done.stdout}${done.stderr}`).toBe(0)
      writeFileSync(join(bench.work, 'notes.txt'), 'not committed\n')
      writeFileSync(join(bench.work, 'carried.txt'), 'not committed\n')
      const forked = await bench.offshoot('fork', id, '--at', 'last', '--code', 'now', '--yes', '--json')
      const { fork } = JSON.parse(forked.stdout) as { fork: { session_id: string; command: { cwd: string } } }
      const { cwd } = fork.command
      const ask = async (prompt: string) => {
        const asked = await askOnce(bench, agent, prompt, fork.session_id, cwd)
        expect(asked.done.code, `${asked.done.stdout}${asked.done.stderr}`).toBe(0)
      }
      const log = () => bench.claude.sandbox.git(cwd, 'log', '--format=%x00%s', '--name-only', 'main..').split('\0').slice(1)
      const commits = () => log().map((each) => each.trim().split(/\n+/))
      await ask('only an answer')
      const carried = ['before turn 2: uncommitted work', 'carried.txt', 'notes.txt']
      expect(commits()).toEqual([carried])
      const work = `on it ${shell('echo more >> notes.txt')}`
      await ask(work)
      expect(commits()).toEqual([[`turn 3: ${work}`, 'notes.txt'], carried])
      expect(bench.claude.sandbox.git(cwd, 'status', '--porcelain')).toBe('')
      const { session } = await bench.app.resolve(fork.session_id)
      const rows = await bench.app.listTurns(session)
      expect(rows.map(({ snapshot }) => snapshot?.files)).toEqual([[], [], ['notes.txt']])
    }),
  )
})

async function checkForks(bench: CaptureBench, agent: AgentId, start: Started, copies: readonly Record<string, string>[]) {
  const { session } = await bench.app.resolve(start.sessionId)
  const rows = await bench.app.listTurns(session)
  expect(rows.map(({ number, snapshot }) => [number, snapshot?.by])).toEqual(copies.map((_, at) => [at + 1, 'hook']))
  const parent = { agent, sessionId: start.sessionId, prompts: rows.map(({ prompt }) => prompt) }
  for (const [at, files] of copies.entries()) {
    const number = at + 1
    if (!wholeMatrix && number < 5) continue
    const asks = wholeMatrix || number === 8
    const request = { at: String(number) }
    await checkFork(bench, parent, { request, files, turnId: rows[at]?.id ?? '', status: '', asks })
  }
  expect(bench.git('fsck', '--strict', '--no-dangling')).toBe('')
}

/** The first prompt by the command `start` gave, without its terminal. */
async function askStarted(bench: CaptureBench, { agent, command, sessionId }: Started, prompt: string, isFirst: boolean) {
  const { argv, cwd } = command
  if (!isFirst || agent === 'codex') return (await askOnce(bench, agent, prompt, sessionId, cwd)).done
  return bench.claude.claude.tryPrint(prompt, { flags: argv.slice(1), cwd }) satisfies Promise<RunResult>
}

function trailers(git: (...args: string[]) => string): Record<string, string> {
  const lines = git('log', '-1', '--format=%(trailers:only)').trim().split('\n')
  return Object.fromEntries(lines.map((line) => line.split(': ') as [string, string]))
}
