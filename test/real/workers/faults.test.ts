// What a person is told when something goes wrong with a worker, on the command line and with the real agents: the agent's own words,
// what became of the turn, and that nothing is left of a start that failed.
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isAlive } from '../../../src/lib/is-alive.ts'
import { agentsToTry } from '../lib/matrix.ts'
import { createShell, type Shell } from './shell.ts'

interface Sent {
  readonly outcome: string
  readonly error: string | null
  readonly worker: { readonly error: string | null; readonly pid: number | null; readonly state: string }
}

const agents = [
  {
    agent: 'claude',
    fail: '[[error:400]]',
    says: 'asked to fail',
    asks: (file: string) => `[[bash:touch ${file}]]`,
    tool: 'Bash',
    broken: ['--mcp-config', '/nowhere/mcp.json'],
  },
  {
    agent: 'codex',
    fail: '[[fail: 400]]',
    says: 'refused by the stand-in',
    asks: (file: string) => `[[ask: touch ${file}]]`,
    tool: 'exec_command',
    broken: ['--env', 'CODEX_HOME=/nowhere'],
  },
] as const

let shell: Shell
beforeAll(async () => {
  shell = await createShell()
}, 60_000)
afterAll(() => shell.dispose(), 60_000)

describe.each(agentsToTry('faults of workers', agents, 'codex'))('$agent', ({ agent, fail, says, asks, tool, broken }) => {
  const { run, json } = { run: (...args: string[]) => shell.run(...args), json: <T>(...args: string[]) => shell.json<T>(...args) }
  const worktrees = () => {
    const folder = join(shell.vars.OFFSHOOT_HOME ?? '', 'worktrees', 'work')
    return existsSync(folder) ? readdirSync(folder) : []
  }
  const branches = () => shell.bench.claude.sandbox.git(shell.work, 'branch', '--list').trim().split('\n')

  test('a turn that fails is reported with what the API said, in words, JSON and the list of workers', {
    timeout: 120_000,
  }, async () => {
    const name = `${agent}-fails`
    const started = await run('start', agent, `First ${fail}`, '--headless', '--name', name)
    expect(started.code).toBe(1)
    expect(started.stderr).toMatch(new RegExp(`The turn failed: .*${says}`))
    const sent = await json<Sent>('send', name, `Second ${fail}`)
    expect(sent).toMatchObject({ outcome: 'failed', error: expect.stringContaining(says) })
    const { workers } = await json<{ workers: { name: string; error: string | null }[] }>('workers')
    expect(workers.find((each) => each.name === name)?.error).toContain(says)
    const fine = await json<Sent>('send', name, 'Third')
    expect(fine).toMatchObject({ outcome: 'complete', error: null, worker: { error: null } })
  })

  test('what the policy allows is not said to be refused; what it refuses is', { timeout: 120_000 }, async () => {
    const [allowed, refused] = ['allowed', 'refused'].map((each) => join(shell.root, `${agent}-${each}`))
    const name = `${agent}-list`
    const policy = ['--policy', 'allow_list', '--allow', `${tool}(touch ${allowed})`]
    const started = await run('start', agent, `Do ${asks(allowed ?? '')}`, '--headless', '--name', name, ...policy)
    expect(started.code, started.stderr).toBe(0)
    expect(existsSync(allowed ?? '')).toBe(true)
    expect(started.stderr).not.toMatch(/refused|asks/i)
    const sent = await run('send', name, `Do ${asks(refused ?? '')}`)
    expect(existsSync(refused ?? '')).toBe(false)
    expect(sent.stderr).toMatch(/Refused by its policy allow_list: .*touch/)
  })

  test('a turn that takes longer than --timeout is interrupted, and that is said', { timeout: 120_000 }, async () => {
    const name = `${agent}-slow`
    await run('start', agent, 'First', '--headless', '--name', name)
    const sent = await run('send', name, 'It never ends [[hang]]', '--timeout', '2')
    expect(sent.code).toBe(1)
    expect(sent.stderr).toContain(`"${name}" has not answered within 2 s: its turn was interrupted.`)
    expect(sent.stderr).not.toContain('goes on')
    const { workers } = await json<{ workers: { name: string; state: string; turn_cut_off: boolean }[] }>('workers')
    expect(workers.find((each) => each.name === name)).toMatchObject({ state: 'resumable', turn_cut_off: false })
    const turns = await json<{ turns: { prompt: string; state: string }[] }>('turns', `worker:${name}`)
    expect(turns.turns.at(-1)).toMatchObject({ prompt: 'It never ends [[hang]]', state: 'interrupted' })
    expect((await run('send', name, 'x', '--timeout', 'soon')).code).toBe(2)
    expect((await run('send', name, 'x', '--timeout', '2', '--no-wait')).code).toBe(2)
  })

  test.each(['--headless', '--terminal=tmux'])(
    'a start whose agent dies (%s) leaves nothing and says why',
    { timeout: 120_000 },
    async (where) => {
      const before = { worktrees: worktrees(), branches: branches() }
      const name = `${agent}-dead`
      const started = await run('start', agent, 'Hello', where, '--name', name, ...broken)
      expect(started.code).toBe(1)
      expect(started.stderr).toMatch(/\/nowhere/)
      expect(started.stderr).toMatch(/Nothing was left behind/)
      expect(started.stderr).not.toContain('goes on')
      expect(started.stdout).toBe('')
      expect({ worktrees: worktrees(), branches: branches() }).toEqual(before)
      const { workers } = await json<{ workers: { name: string; pid: number | null }[] }>('workers', '--all')
      expect(workers.filter((each) => each.name === name)).toEqual([])
      expect(workers.every(({ pid }) => pid === null || isAlive(pid))).toBe(true)
    },
  )
})
