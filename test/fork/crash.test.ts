// kill -9 at every step of a fork and of an undo: the next one completes it or takes it back, and the source never notices.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createCodexRollout } from '../../src/cli/demo/codex-rollout.ts'
import { nothingRecovered } from '../../src/model/fork.ts'
import { runCutOff } from './run-cut-off.ts'
import { createSandbox, type Sandbox } from './sandbox.ts'

let sandbox: Sandbox
beforeEach(() => {
  sandbox = createSandbox()
})
afterEach(() => sandbox.close())

const cutOff = (verb: 'fork' | 'undo', cwd: string, name: string, moment: string) =>
  runCutOff(new URL('./cut-off.ts', import.meta.url), [verb, sandbox.home, sandbox.offshootHome, cwd, name, moment])

const beforeIsMade = [
  ...[
    'record begun',
    'record worked',
    'record done',
    'workspace begun',
    'workspace claimed',
    'workspace worked',
    'workspace done',
  ],
  ...['session begun', 'session announced', 'half written', 'session worked'],
]

describe('a fork cut off', () => {
  test.each([...beforeIsMade.map((moment) => [moment, 'taken back']), ['session done', 'completed'], ['made', 'whole']])(
    'at "%s" is %s',
    async (moment, outcome) => {
      const repo = sandbox.repository('repo')
      const source = sandbox.session({ cwd: repo, turns: 2 })
      const bytes = readFileSync(source.path)
      const { signal, stderr } = await cutOff('fork', repo, source.id, moment)
      expect(signal, stderr).toBe('SIGKILL')
      const app = sandbox.app({ cwd: repo })
      const checks = await app.doctor()
      expect(checks.some(({ id }) => id === 'forks')).toBe(outcome !== 'whole')
      const report = await app.recover()
      expect(report.problems).toEqual([])
      expect([report.completed.length, report.rolledBack.length]).toEqual(
        outcome === 'completed' ? [1, 0] : outcome === 'whole' ? [0, 0] : [0, 1],
      )
      expect(readFileSync(source.path)).toEqual(bytes)
      const forks = await app.listForks()
      const sessions = await app.listSessions()
      if (outcome === 'taken back') {
        expect(forks).toEqual([])
        expect(sessions).toHaveLength(1)
        expect(readdirSync(sandbox.projects, { recursive: true })).toHaveLength(2)
        expect(worktrees(repo)).toBe(1)
        expect(existsSync(join(sandbox.offshootHome, 'worktrees', 'repo'))).toBe(false)
        expect(sandbox.git(repo, 'branch', '--list', 'offshoot/*')).toBe('')
      } else {
        expect(forks).toMatchObject([{ state: 'made', proof: { prefixVerified: true, cwdVerified: true } }])
        expect(sessions).toHaveLength(2)
        expect(sessions.find(({ id }) => id !== source.id)?.parent).toMatchObject({ sessionId: source.id, kind: 'prefix' })
        expect(worktrees(repo)).toBe(2)
      }
      expect(await app.recover()).toEqual(nothingRecovered)
    },
  )

  test('after it was named in Codex takes its name back', async () => {
    const repo = sandbox.repository('repo')
    const id = '019a84f2-1d6b-7a31-9c55-3f8e21b7d904'
    const codexHome = join(sandbox.home, '.codex')
    const rollout = createCodexRollout({ threadId: id, cwd: repo, startedAt: Date.now() - 3_600_000 })
    rollout.turn('one', [], 'first')
    rollout.turn('two', [], 'second')
    rollout.write(codexHome)
    const names = join(codexHome, 'session_index.jsonl')
    const before = '{"id":"other","thread_name":"mine","updated_at":"2026-01-01T00:00:00Z"}\n'
    writeFileSync(names, before)
    const { signal, stderr } = await cutOff('fork', repo, id, 'session worked')
    expect(signal, stderr).toBe('SIGKILL')
    expect(readFileSync(names, 'utf8')).not.toBe(before)
    expect(await sandbox.app({ cwd: repo }).recover()).toMatchObject({ problems: [], rolledBack: [expect.anything()] })
    expect(readFileSync(names, 'utf8')).toBe(before)
  })

  test('is cleared up by the next fork, without being asked', async () => {
    const repo = sandbox.repository('repo')
    const source = sandbox.session({ cwd: repo, turns: 2 })
    await cutOff('fork', repo, source.id, 'session begun')
    const app = sandbox.app({ cwd: repo })
    await app.fork({ address: source.id, at: '2', code: 'head' })
    expect(await app.listForks()).toHaveLength(1)
    expect(worktrees(repo)).toBe(2)
  })

  test('while another process still works on it, it is left alone', async () => {
    const repo = sandbox.repository('repo')
    const source = sandbox.session({ cwd: repo, turns: 2 })
    const other = sandbox.app({ cwd: repo })
    const seen: unknown[] = []
    const app = sandbox.app({
      cwd: repo,
      onForkStep(moment) {
        if (moment === 'workspace done') seen.push(other.recover())
      },
    })
    const { proof } = await app.fork({ address: source.id, code: 'head' })
    expect(proof.prefixVerified).toBe(true)
    expect(await Promise.all(seen)).toEqual([nothingRecovered])
  })
})

describe('an undo cut off', () => {
  test.each(['undo begun', 'undo session removed', 'undo workspace removed'])('at "%s" is carried through', async (moment) => {
    const repo = sandbox.repository('repo')
    const source = sandbox.session({ cwd: repo, turns: 2 })
    const app = sandbox.app({ cwd: repo })
    const { fork } = await app.fork({ address: source.id, code: 'head' })
    expect((await cutOff('undo', repo, fork.id, moment)).signal).toBe('SIGKILL')
    expect(await app.recover()).toMatchObject({ undone: [{ id: fork.id, kind: 'fork', title: fork.title }], problems: [] })
    expect(await app.listForks()).toMatchObject([{ state: 'undone' }])
    expect(existsSync(fork.file ?? '')).toBe(false)
    expect(worktrees(repo)).toBe(1)
    expect(await app.undo(fork.id)).toMatchObject({ undone: false })
  })
})

function worktrees(repo: string): number {
  return sandbox.git(repo, 'worktree', 'list', '--porcelain').match(/^worktree /gm)?.length ?? 0
}
