// A command of the person's own that names a session: what names it is taken out and the new session is put in, as the docs say; one
// that is named with --session-id is kept.
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { waitUntil } from '../lib/wait.ts'
import { createShell, type Shell } from './shell.ts'

interface WorkerJson {
  readonly name: string
  readonly state: string
  readonly session_id: string
  readonly command: { readonly argv: readonly string[] }
}

let shell: Shell
beforeAll(async () => {
  shell = await createShell()
}, 60_000)
afterAll(() => shell.dispose(), 60_000)

const start = (agent: string, name: string, command: string) =>
  shell.json<{ worker: WorkerJson; error?: object }>('start', agent, '--terminal', 'tmux', '--name', name, '--command', command)

test.each([
  ['claude', (id: string) => `claude --resume ${id}`],
  ['claude', (id: string) => `FOO=1 claude --continue --resume=${id} --fork-session`],
  ['codex', (id: string) => `codex resume ${id}`],
] as const)('%s: what names a session is taken out', { timeout: 120_000 }, async (agent, commandFor) => {
  const first = await shell.run('start', agent, 'The other one', '--headless', '--json')
  const { session_id: other } = (JSON.parse(first.stdout) as { worker: WorkerJson }).worker
  const name = `own-${randomUUID().slice(0, 8)}`
  const { worker, error } = await start(agent, name, commandFor(other))
  expect(error).toBeUndefined()
  expect(worker.session_id).not.toBe(other)
  const line = worker.command.argv.at(-1) ?? ''
  expect(line).toContain(worker.session_id)
  expect(line).not.toContain(other)
  const sent = await shell.run('send', name, 'Mine alone')
  expect(sent.code, sent.stderr).toBe(0)
  const turns = await waitUntil('the turn', async () => {
    const found = (await shell.json<{ turns: { prompt: string }[] }>('turns', `worker:${name}`)).turns
    return found.length > 0 ? found : undefined
  })
  expect(turns.map(({ prompt }) => prompt)).toEqual(['Mine alone'])
})

test('a session that is named with --session-id is kept; a command without the agent leaves nothing', {
  timeout: 120_000,
}, async () => {
  const id = randomUUID()
  expect((await start('claude', 'kept', `claude --session-id ${id}`)).worker.session_id).toBe(id)
  const before = shell.bench.claude.sandbox.git(shell.work, 'worktree', 'list')
  const refused = await shell.run('start', 'claude', '--terminal', 'tmux', '--command', 'echo hello')
  expect(refused.code).toBe(2)
  expect(shell.bench.claude.sandbox.git(shell.work, 'worktree', 'list')).toBe(before)
})
