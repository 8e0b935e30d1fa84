// A policy that is asked for holds against the agent's own settings, in a pane and headless; without one the agent's settings hold.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { agentsToTry } from '../lib/matrix.ts'
import { waitUntil } from '../lib/wait.ts'
import { createShell, type Shell } from './shell.ts'

interface WorkerJson {
  readonly name: string
  readonly state: string
  readonly workspace: { readonly path: string } | null
}

const agents = [
  { agent: 'claude', makes: (path: string) => `[[write:${path}:x]]`, asks: (path: string) => `[[write:${path}:x]]` },
  { agent: 'codex', makes: (path: string) => `[[shell: touch ${path}]]`, asks: (path: string) => `[[ask: touch ${path}]]` },
] as const

let shell: Shell
beforeAll(async () => {
  shell = await createShell()
  // Claude Code 2.1.325 decides by itself as it comes.
  const config = join(shell.bench.codex.folder, 'config.toml')
  const text = readFileSync(config, 'utf8').replace('approval_policy = "on-request"', 'approval_policy = "never"')
  writeFileSync(config, text.replace('sandbox_mode = "workspace-write"', 'sandbox_mode = "danger-full-access"'))
}, 60_000)
afterAll(() => shell.dispose(), 60_000)

const screens = () =>
  shell
    .tmux('list-panes', '-a', '-F', '#{pane_id}')
    .trim()
    .split('\n')
    .map((pane) => shell.tmux('capture-pane', '-p', '-t', pane))
    .join('\n')
const find = async (name: string) =>
  (await shell.json<{ workers: WorkerJson[] }>('workers')).workers.find((each) => each.name === name)
const reaches = (name: string, ...states: string[]) =>
  waitUntil(
    `${name} to be ${states.join(' or ')}`,
    async () => {
      const worker = await find(name)
      return worker !== undefined && states.includes(worker.state) ? worker : undefined
    },
    { describe: screens },
  )

describe.each(agentsToTry('policies against settings', agents, 'codex'))('$agent in a pane', ({ agent, makes, asks }) => {
  const asked = async (name: string) => {
    const file = join((await find(name))?.workspace?.path ?? '', 'asked')
    await shell.run('send', name, `Do ${asks(file)}`, '--no-wait')
    await reaches(name, 'waiting')
    expect(existsSync(file)).toBe(false)
  }

  test('--policy ask asks, a fork of the worker too', { timeout: 120_000 }, async () => {
    const name = `${agent}-ask`
    const started = await shell.run('start', agent, 'First', '--terminal', 'tmux', '--name', name, '--policy', 'ask')
    expect(started.code, started.stderr).toBe(0)
    await reaches(name, 'idle')
    await asked(name)
    const forked = await shell.run('fork', name, `${name}-fork`, '--at', '1')
    expect(forked.code, forked.stderr).toBe(0)
    await reaches(`${name}-fork`, 'idle')
    await asked(`${name}-fork`)
  })

  test("without a policy the agent's own settings hold", { timeout: 120_000 }, async () => {
    const name = `${agent}-own`
    const started = await shell.run('start', agent, 'First', '--terminal', 'tmux', '--name', name)
    expect(started.code, started.stderr).toBe(0)
    const { workspace } = await reaches(name, 'idle')
    const file = join(workspace?.path ?? '', 'made')
    await shell.run('send', name, `Do ${makes(file)}`)
    expect(existsSync(file)).toBe(true)
  })
})

test.each(['deny', 'ask'])(
  'headless Claude Code accepts no edits under policy %s, whatever its settings',
  {
    timeout: 120_000,
  },
  async (policy) => {
    const settings = join(shell.bench.claude.sandbox.home, '.claude')
    mkdirSync(settings, { recursive: true })
    writeFileSync(join(settings, 'settings.json'), JSON.stringify({ permissions: { defaultMode: 'acceptEdits' } }))
    const name = `headless-${policy}`
    await shell.run('start', 'claude', '--headless', '--name', name, '--policy', policy)
    const folder = (await find(name))?.workspace?.path ?? ''
    await shell.run('send', name, `Do [[write:${join(folder, 'made')}:x]]`)
    expect(existsSync(join(folder, 'made'))).toBe(false)
  },
)

const failing = [
  { terminal: 'headless', command: 'ls /none-such', said: /ls: .*No such file or directory/ },
  // Headless, Codex 0.166 does not report a command that its sandbox refused.
  { terminal: 'tmux', command: 'touch ./made', said: /touch: .*(Read-only file system|Permission denied)/ },
]

test.each(failing)('send shows that a command failed, and what it said ($terminal)', { timeout: 120_000 }, async (given) => {
  const { terminal, command, said } = given
  const name = `failing-${terminal}`
  const started = await shell.run('start', 'codex', 'First', '--terminal', terminal, '--name', name, '--policy', 'ask')
  expect(started.code, started.stderr).toBe(0)
  await reaches(name, 'idle', 'resumable')
  const { stderr } = await shell.run('send', name, `Do [[shell: ${command}]]`)
  const lines = stderr.split('\n')
  const call = lines.findIndex((line) => line.includes(`"${command}"`))
  expect(lines[call + 1], stderr).toMatch(/^ +failed: /)
  expect(lines[call + 1]).toMatch(said)
})

test("offshoot's refusal is not a prompt that somebody typed into Codex; a reason that somebody gave is", {
  timeout: 120_000,
}, async () => {
  const { app } = shell.bench
  const projectPath = shell.work
  const typed = async (name: string) => {
    const { session } = await app.resolve(`worker:${name}`)
    const messages: string[] = []
    for await (const entry of app.readSession(session))
      if (entry.kind === 'message' && entry.message.role !== 'assistant' && /allowed:|other name/i.test(entry.message.text))
        messages.push(`${entry.message.role}: ${entry.message.text}`)
    return messages
  }
  const start = (name: string, policy: 'deny' | 'ask') =>
    app.spawnWorker({ agent: 'codex', terminal: 'headless', projectPath, name, settings: { policy } })

  await start('refused', 'deny')
  expect(await app.sendToWorker('refused', 'Do [[ask: touch a]]')).toMatchObject({ outcome: 'complete' })
  expect(await typed('refused')).toEqual([
    expect.stringMatching(/^system: .*Not allowed: this worker runs without permissions\./),
  ])
  const { session } = await app.resolve('worker:refused')
  expect((await app.listTurns(session)).map(({ prompt }) => prompt)).toEqual(['Do [[ask: touch a]]'])

  await start('answered', 'ask')
  const deny = { verdict: 'deny', reason: 'Take the other name.' } as const
  await app.sendToWorker('answered', 'Do [[ask: touch b]]', {
    onEvent: (event) => event.kind === 'permission' && void app.answerPermission('answered', event.request.id, deny),
  })
  expect(await typed('answered')).toEqual(['user: Take the other name.'])
})
