// The plan of a worker's fork that was shown is the one that is executed, with real agents: over HTTP, through MCP and on the
// command line. A plan also says whether its prompt is sent.
import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { bin } from '../../cli/run-cli.ts'
import { connect, errorOf, structured } from '../../mcp/clients.ts'
import { waitUntil } from '../lib/wait.ts'
import { serve } from '../server/serving.ts'
import { createShell, type Shell } from './shell.ts'
import { historyAt } from './worker-bench.ts'

interface PlanJson {
  readonly id: string
  readonly workspace: { readonly path: string; readonly branch: string }
  readonly pending_prompt?: string
  readonly send?: boolean
  readonly confirm: readonly string[]
}

interface WorkerJson {
  readonly name: string
  readonly session_id: string
  readonly workspace: { readonly path: string; readonly branch: string } | null
}

let shell: Shell
let otherSession: string
beforeAll(async () => {
  shell = await createShell()
  const { app, claude } = shell.bench
  await app.spawnWorker({ agent: 'claude', kind: 'headless', projectPath: shell.work, name: 'source' })
  await app.sendToWorker('source', 'The first')
  await app.sendToWorker('source', 'The second')
  await app.shutDown()
  otherSession = await claude.talk(['Something else'])
}, 120_000)
afterAll(() => shell.dispose(), 60_000)

const made = () => readdirSync(join(shell.vars.OFFSHOOT_HOME ?? '', 'worktrees', 'work')).sort()
const prompts = (sessionId: string, last: string) =>
  historyAt(shell.bench, 'claude', sessionId, last).filter((line) => line.startsWith('user: '))
const isAsked = (sessionId: string) => shell.bench.claude.api.requests.some((each) => each.sessionId === sessionId)
// Code of now at an earlier turn has to be accepted.
const early = { at_turn: '1', code: 'now' }

test('HTTP: a plan that was shown is executed as it is, and takes nothing besides', { timeout: 180_000 }, async () => {
  const { serving, ask, json } = await serve(shell.bench)
  try {
    const before = made()
    const refused = await ask('/workers/source/fork', { ...early, new_id: 'http', prompt: 'From HTTP', send: true })
    expect(refused.status).toBe(409)
    const { code, details } = (await refused.json()) as { code: string; details: { plan: PlanJson } }
    const { plan } = details
    expect(code).toBe('confirm_needed')
    expect(plan).toMatchObject({ confirm: ['code_now'], pending_prompt: 'From HTTP', send: true })
    expect(made()).toEqual(before)

    for (const more of [{ at_turn: '1' }, { prompt: 'Another' }, { send: true }, { session_id: crypto.randomUUID() }]) {
      const other = await ask('/workers/source/fork', { plan_id: plan.id, accept: plan.confirm, ...more })
      expect(other.status).toBe(400)
      expect(((await other.json()) as { detail: string }).detail).toContain(`\`${Object.keys(more)[0]}\``)
    }
    expect((await ask('/workers/source/fork', { plan_id: plan.id, dry_run: true })).status).toBe(400)
    expect((await ask('/workers/source/fork', { plan_id: plan.id })).status).toBe(409)
    expect((await ask('/workers/source/fork', { plan_id: 'unknown1' })).status).toBe(409)
    expect(made()).toEqual(before)

    const { worker } = await json<{ worker: WorkerJson }>('/workers/source/fork', {
      plan_id: plan.id,
      accept: plan.confirm,
      new_id: 'http',
    })
    expect(worker).toMatchObject({ name: 'http', workspace: plan.workspace })
    await waitUntil('the prompt to be sent', () => isAsked(worker.session_id))
    expect(prompts(worker.session_id, 'From HTTP')).toEqual(['user: The first', 'user: From HTTP'])
  } finally {
    await serving.stop()
  }
})

test('HTTP: a plan of another session, or for another agent, is not the plan of this worker', { timeout: 180_000 }, async () => {
  const { serving, ask, json } = await serve(shell.bench)
  try {
    const { session_id } = (await json<{ worker: WorkerJson }>('/workers/source')).worker
    const planOf = async (session: string, more: object) =>
      (await json<{ plan: PlanJson }>(`/session/${session}/fork`, { dry_run: true, code: 'none', ...more })).plan
    const before = made()
    for (const plan of [await planOf(otherSession, {}), await planOf(session_id, { to_agent: 'codex' })]) {
      const answer = await ask('/workers/source/fork', { plan_id: plan.id, accept: plan.confirm })
      expect([answer.status, await answer.json()]).toEqual([400, expect.objectContaining({ code: 'usage' })])
    }
    expect(made()).toEqual(before)
  } finally {
    await serving.stop()
  }
})

test('MCP: fork_worker and fork_session execute a plan with its prompt, sent or not as planned', {
  timeout: 240_000,
}, async () => {
  const client = await connect('sdk 2 of 2026', { cwd: shell.work, env: { ...shell.vars, IS_SANDBOX: '1' } })
  try {
    const ask = async <T>(tool: string, args: object) => structured<T>(await client.call(tool, { ...args }))
    const planned = await ask<{ plan: PlanJson }>('fork_worker', {
      worker: 'source',
      at_turn: '1',
      prompt: 'Not yet',
      dry_run: true,
    })
    expect(planned.plan).toMatchObject({ pending_prompt: 'Not yet', send: false })
    const both = await client.call('fork_worker', { worker: 'source', plan_id: planned.plan.id, dry_run: true })
    expect(errorOf(both)).toMatchObject({ code: 'usage', message: expect.stringContaining('`dry_run`') })
    const waits = await ask<{ worker: WorkerJson; pending_prompt: string }>('fork_worker', {
      worker: 'source',
      name: 'mcp-waits',
      plan_id: planned.plan.id,
    })
    expect(waits).toMatchObject({ pending_prompt: 'Not yet', worker: { workspace: planned.plan.workspace } })
    expect(isAsked(waits.worker.session_id)).toBe(false)

    // What has to be accepted comes back as a plan; accepting it does all that was asked for.
    const asked = { worker: 'source', ...early, prompt: 'From MCP', send: true }
    const open = await ask<{ plan: PlanJson; confirm: string[] }>('fork_worker', asked)
    expect(open).toMatchObject({
      confirm: ['code_now'],
      plan: { pending_prompt: 'From MCP', send: true },
      next: expect.stringContaining('fork_worker'),
    })
    const accepted = { plan_id: open.plan.id, accept: open.confirm }
    const sent = await ask<{ worker: WorkerJson }>('fork_worker', { worker: 'source', name: 'mcp-sent', ...accepted })
    expect(sent.worker.workspace).toEqual(open.plan.workspace)
    await waitUntil('the prompt to be sent', () => isAsked(sent.worker.session_id))
    expect(prompts(sent.worker.session_id, 'From MCP')).toEqual(['user: The first', 'user: From MCP'])

    const session = { session: 'worker:source', ...early, terminal: 'headless', prompt: 'To the session', send: true }
    const shown = await ask<{ plan: PlanJson; confirm: string[] }>('fork_session', session)
    expect(shown).toMatchObject({
      confirm: ['code_now'],
      plan: { pending_prompt: 'To the session', send: true, terminal: 'headless' },
    })
    const { forked_session } = await ask<{ forked_session: { session_id: string; workspace: string } }>('fork_session', {
      plan_id: shown.plan.id,
      accept: shown.confirm,
    })
    expect(forked_session.workspace).toBe(shown.plan.workspace.path)
    await waitUntil('the prompt to be sent', () => isAsked(forked_session.session_id))
    expect(prompts(forked_session.session_id, 'To the session')).toEqual(['user: The first', 'user: To the session'])
  } finally {
    await client.close()
  }
})

test('the command line shows the plan that needs a yes, and executes just that', { timeout: 180_000 }, async () => {
  const args = ['fork', 'source', 'asked', '--at', '1', '--code', 'now']
  const silent = await shell.run(...args)
  expect(silent.code).toBe(4)
  expect(silent.stderr).toContain('--accept code_now, or with --yes')
  const before = made()
  shell.tmux('new-session', '-d', '-s', 'asks', '-x', '160', '-y', '50', '-c', shell.work, '--', process.execPath, bin, ...args)
  shell.tmux('set-option', '-t', '=asks:', 'remain-on-exit', 'on')
  const screen = () => shell.tmux('capture-pane', '-p', '-J', '-t', '=asks:')
  await waitUntil('the question', () => screen().includes('Fork?'), { describe: screen })
  const branch = /offshoot\/session\/\w+/.exec(screen())?.[0]
  expect(branch).toBeDefined()
  expect(made()).toEqual(before)
  shell.tmux('send-keys', '-t', '=asks:', 'y', 'Enter')
  const worker = await waitUntil('the worker', async () =>
    (await shell.json<{ workers: WorkerJson[] }>('workers')).workers.find(({ name }) => name === 'asked'),
  )
  expect(worker.workspace?.branch).toBe(branch)
  expect(existsSync(worker.workspace?.path ?? '')).toBe(true)
})

test('--send with --before sends the prompt of that turn', { timeout: 120_000 }, async () => {
  const planned = await shell.json<{ plan: PlanJson }>('fork', 'source', '--before', '2', '--send', '--dry-run')
  expect(planned.plan).toMatchObject({ pending_prompt: 'The second', send: true })
  const args = ['fork', 'source', '--before', '2'] as const
  const waits = await shell.json<{ worker: WorkerJson; pending_prompt: string; fork: object }>(...args, '--name', 'waits-again')
  expect(waits.pending_prompt).toBe('The second')
  const sent = await shell.json<{ worker: WorkerJson; outcome: string; fork: object }>(...args, '--name', 'again', '--send')
  expect(sent).toMatchObject({ outcome: 'complete', fork: expect.not.objectContaining({ pending_prompt: expect.anything() }) })
  expect(sent).not.toHaveProperty('pending_prompt')
  expect(prompts(sent.worker.session_id, 'The second')).toEqual(['user: The first', 'user: The second'])
})

test('--terminal print prints the command that opens the fork', { timeout: 120_000 }, async () => {
  const told = await shell.run('fork', 'source', 'told', '--terminal', 'print')
  expect([told.code, told.stdout]).toEqual([0, expect.stringMatching(/\n +run it +.*\S/)])
  const { run } = await shell.json<{ run: string[] }>('fork', 'source', 'printed', '--terminal', 'print')
  const { run: started } = await shell.json<{ run: string[] }>('start', 'claude', '--name', 'started', '--terminal', 'print')
  expect(run.slice(0, -1)).toEqual(started.slice(0, -1))
  expect(run.at(-1)).not.toBe(started.at(-1))
})

test('--terminal none makes what a worker would get: without --at the code as it is now', { timeout: 120_000 }, async () => {
  const { workers } = await shell.json<{ workers: WorkerJson[] }>('workers')
  const folder = workers.find(({ name }) => name === 'source')?.workspace?.path ?? ''
  writeFileSync(join(folder, 'by-hand.txt'), 'by hand\n')
  const left = ['--terminal', 'none', '--yes'] as const
  const now = await shell.json<{ plan: PlanJson; fork: { session_id: string } }>('fork', 'source', ...left)
  expect(now.plan).toMatchObject({ code: { mode: 'now' }, kept_turns: 2, terminal: 'none' })
  expect(existsSync(join(now.plan.workspace.path, 'by-hand.txt'))).toBe(true)
  const at = await shell.json<{ plan: PlanJson }>('fork', 'source@1', ...left)
  expect(at.plan).toMatchObject({ code: { mode: 'turn' }, kept_turns: 1 })
  expect(existsSync(join(at.plan.workspace.path, 'by-hand.txt'))).toBe(false)
  const inPlace = await shell.json<{ plan: { cwd: string } }>('fork', 'source', '--code', 'none', ...left)
  expect(inPlace.plan).toMatchObject({ workspace: null, cwd: folder })
})

test('--to another agent without --at forks at the present turn, with the code as it is now', { timeout: 120_000 }, async () => {
  const { plan } = await shell.json<{ plan: PlanJson }>('fork', 'source', '--to', 'codex', '--dry-run')
  expect(plan).toMatchObject({ agent: 'codex', strategy: 'seed', kept_turns: 2, code: { mode: 'now' }, terminal: 'print' })
  const named = ['fork', 'source', 'elsewhere', '--to', 'codex', '--terminal', 'headless', '--dry-run'] as const
  expect((await shell.json<{ plan: PlanJson }>(...named)).plan).toMatchObject({ agent: 'codex', terminal: 'headless' })
  const early = await shell.json<{ plan: PlanJson }>('fork', 'source', '--to', 'codex', '--at', '1', '--dry-run')
  expect(early.plan).toMatchObject({ kept_turns: 1, code: { mode: 'turn' } })
})
