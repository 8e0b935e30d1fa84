import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createServerSandbox, type Sandbox, type Served } from './sandbox.ts'

let sandbox: Sandbox
let server: Served

beforeAll(() => {
  sandbox = createServerSandbox()
  server = sandbox.serve()
})
afterAll(() => sandbox.close())

interface ForkJson {
  readonly session: { readonly id: string; readonly title: string; readonly parent_id: string; readonly fork_point: string }
  readonly fork: {
    readonly id: string
    readonly session_id: string
    readonly pending_prompt?: string
    readonly workspace: { readonly path: string } | null
  }
  readonly plan: { readonly kept_turns: number; readonly pending_prompt?: string }
  readonly proof: { readonly source_unchanged: boolean; readonly prefix_verified: boolean }
}

interface PlanJson {
  readonly id: string
  readonly workspace: { readonly path: string; readonly branch: string }
  readonly code: { readonly untracked: readonly string[] }
  readonly warnings: readonly unknown[]
  readonly confirm: readonly string[]
}

async function messagesOf(id: string): Promise<{ id: string; text: string }[]> {
  return (await server.json<{ messages: { id: string; text: string }[] }>(`/session/${id}/message`)).messages
}

test('forks at a message by its id: 201 with session, fork, plan and proof; the source stays as it is', async () => {
  const source = sandbox.session({ cwd: sandbox.repo, turns: 3 })
  const before = readFileSync(source.path)
  const messages = await messagesOf(source.id)
  const answer = await server.ask(`/session/${source.id}/fork`, {
    json: { message_id: messages[3]?.id, title: 'Another way', code: 'head' },
  })
  expect(answer.status).toBe(201)
  const made = (await answer.json()) as ForkJson
  expect(made.session).toMatchObject({ title: 'Another way', parent_id: source.id, fork_point: messages[3]?.id })
  expect(made.fork.session_id).toBe(made.session.id)
  expect(made.plan.kept_turns).toBe(2)
  expect(made.proof).toMatchObject({ source_unchanged: true, prefix_verified: true })
  expect(answer.headers.get('location')).toBe(`/session/claude:${made.session.id}`)
  expect((await messagesOf(made.session.id)).map(({ text }) => text)).toEqual(messages.slice(0, 4).map(({ text }) => text))
  expect(readFileSync(source.path).equals(before)).toBe(true)
})

test('forks at a message by its index; at a prompt the child ends before it and carries it', async () => {
  const source = sandbox.session({ cwd: sandbox.repo, turns: 3 })
  const made = await server.json<ForkJson>(`/session/claude:${source.id}/fork`, { json: { message_index: 4, workspace: false } })
  expect(made.fork.pending_prompt).toBe('prompt 3')
  expect(made.fork.workspace).toBeNull()
  expect(await messagesOf(made.session.id)).toHaveLength(4)
})

test('a prompt is part of the command only where it is to be sent', async () => {
  const source = sandbox.session({ cwd: sandbox.repo, turns: 2 })
  const fork = (json: object) =>
    server.json<ForkJson & { fork: { command: { argv: string[] } } }>(`/session/${source.id}/fork`, {
      json: { workspace: false, prompt: 'Try this', ...json },
    })
  for (const json of [{}, { send: false }]) {
    const { fork: made } = await fork(json)
    expect(made.pending_prompt).toBe('Try this')
    expect(made.command.argv).not.toContain('Try this')
  }
  const sent = (await fork({ send: true })).fork
  expect(sent.pending_prompt).toBeUndefined()
  expect(sent.command.argv.at(-1)).toBe('Try this')
})

test('a dry run gives the plan and does nothing', async () => {
  const source = sandbox.session({ cwd: sandbox.repo, turns: 2 })
  const count = async () => (await server.json<{ sessions: unknown[] }>('/session?limit=500')).sessions.length
  await server.ask(`/session/${source.id}`) // who asks for one by name is not answered from the list of a moment ago
  const before = await count()
  const answer = await server.ask(`/session/${source.id}/fork`, { json: { message_index: 1, dry_run: true } })
  expect(answer.status).toBe(200)
  expect(await answer.json()).toMatchObject({ plan: { kept_turns: 1, dropped_turns: 1, blockers: [] } })
  expect(await count()).toBe(before)
})

test('the set-up command of the repository is in the plan, and how it went in the answer', async () => {
  const source = sandbox.session({ cwd: sandbox.repo, turns: 1 })
  const config = join(sandbox.offshootHome, 'config.toml')
  writeFileSync(config, `[repositories.${JSON.stringify(sandbox.repo)}]\nsetup = "echo no packages; exit 4"\n`)
  try {
    const request = { at_turn: '1', code: 'head' }
    const planned = await server.json(`/session/${source.id}/fork`, { json: { ...request, dry_run: true } })
    expect(planned).toMatchObject({ plan: { setup: { command: 'echo no packages; exit 4', timeout_seconds: 600 } } })
    const answer = await server.ask(`/session/${source.id}/fork`, { json: request })
    expect(answer.status).toBe(201)
    expect(await answer.json()).toMatchObject({
      setup: { command: 'echo no packages; exit 4', exit_code: 4, timed_out: false, output: ['no packages'] },
      plan: { code: { included: [], submodules: [] } },
    })
  } finally {
    rmSync(config)
  }
})

test('what cannot be forked is said with the right status', async () => {
  const source = sandbox.session({ cwd: sandbox.repo, turns: 2 })
  const outside = sandbox.session({ cwd: sandbox.repository('foreign'), turns: 1 })
  const cases: [path: string, body: unknown, status: number, code: string][] = [
    ['00000000-0000-4000-8000-000000000000', { message_index: 0 }, 404, 'session_not_found'],
    [source.id, { message_id: 'no-such-message' }, 400, 'message_not_found'],
    [source.id, { message_index: 4 }, 400, 'message_not_found'],
    [source.id, { message_index: -1 }, 400, 'usage'],
    [source.id, { message_index: 1.5 }, 400, 'usage'],
    [source.id, { message_id: 'a', message_index: 1 }, 400, 'usage'],
    [source.id, { messageId: 'a' }, 400, 'usage'],
    [source.id, { at_turn: '9' }, 404, 'turn_not_found'],
    [source.id, { code: 'head', workspace: false }, 400, 'usage'],
    [source.id, { branch: 'x', workspace: false }, 400, 'usage'],
    [source.id, { branch: 'main' }, 409, 'branch_taken'],
    [source.id, { at_turn: '1', strategy: 'native', workspace: false }, 409, 'fork_blocked'],
    [source.id, { code: 'everything' }, 400, 'usage'],
    [source.id, { to_agent: 'cursor' }, 400, 'usage'],
    [source.id, { accept: ['all'] }, 400, 'usage'],
    [source.id, { title: 'a\u001b[2Jb' }, 400, 'usage'],
    [source.id, [], 400, 'usage'],
    [outside.id, { message_index: 0 }, 404, 'session_not_found'],
  ]
  for (const [id, json, status, code] of cases) {
    const answer = await server.ask(`/session/${id}/fork`, { json })
    const problem = (await answer.json()) as { readonly detail: string; readonly hint: string }
    expect([json, answer.status, problem]).toEqual([json, status, expect.objectContaining({ code, status })])
    // A flag is of no use to a program.
    expect(`${problem.detail} ${problem.hint}`).not.toMatch(/(^|\W)--?[a-z]/)
  }
  const broken = await server.ask(`/session/${source.id}/fork`, {
    method: 'POST',
    body: '{"message_index": ',
    headers: { 'content-type': 'application/json' },
  })
  expect(broken.status).toBe(400)
  const noJson = await server.ask(`/session/${source.id}/fork`, { method: 'POST', body: 'message_index=1' })
  expect(noJson.status).toBe(415)
  expect(await noJson.json()).toMatchObject({ code: 'wrong_type' })
})

test('the code may be that of another turn', async () => {
  const source = sandbox.session({ cwd: sandbox.repo, turns: 3 })
  const ask = async (json: object) => {
    const answer = await server.ask(`/session/${source.id}/fork`, { json: { at_turn: '2', dry_run: true, ...json } })
    return [answer.status, await answer.text()] as const
  }
  expect(await ask({ code_at: '1' })).toEqual([200, expect.stringContaining('The code as turn 1 left it')])
  expect(await ask({ code_at: 1, at_turn: 2 })).toEqual([200, expect.stringContaining('The code as turn 1 left it')])
  expect((await ask({ code_at: '9' }))[0]).toBe(404)
  expect((await ask({ at_turn: 1.5 }))[0]).toBe(400)
  expect(await ask({ code_at: '1', code: 'now' })).toEqual([400, expect.stringContaining('`code_at`')])
})

test('a turn that cannot be one is blamed as it was given', async () => {
  const { id } = sandbox.session({ cwd: sandbox.repo, turns: 1 })
  const answers = await Promise.all([
    server.json(`/session/${id}/fork`, { json: { at_turn: 'x' } }),
    server.json(`/session/${id}/fork`, { json: { before_turn: 'x' } }),
    server.json(`/session/${id}/diff?from=x`),
    server.json(`/session/${id}/diff?from=last&to=x`),
  ])
  for (const answer of answers) {
    expect(answer).toMatchObject({
      code: 'bad_address',
      detail: '"x": give at least 4 characters of the turn id.',
      hint: 'A turn is named by its number, `last`, `-2` or its id.',
    })
  }
})

test('a warning that has to be accepted is a 409 with the plan, and passes when accepted', async () => {
  writeFileSync(join(sandbox.repo, 'notes.txt'), 'work in progress')
  const source = sandbox.session({ cwd: sandbox.repo, turns: 2 })
  const refused = await server.ask(`/session/${source.id}/fork`, { json: { message_index: 1, code: 'now' } })
  expect(refused.status).toBe(409)
  const problem = (await refused.json()) as { code: string; hint: string; details: { confirm: string[]; plan: PlanJson } }
  expect(problem.code).toBe('confirm_needed')
  expect(problem.details.confirm).toEqual(['code_now', 'dirty'])
  expect(problem.details.plan.warnings.length).toBeGreaterThan(0)
  expect(problem.hint).toContain('`accept: ["code_now","dirty"]`')
  expect(JSON.stringify(problem)).not.toMatch(/--[a-z]{3}/)
  const accept = problem.details.confirm
  const accepted = await server.ask(`/session/${source.id}/fork`, { json: { message_index: 1, code: 'now', accept } })
  expect(accepted.status).toBe(201)
})

test('the plan that was shown is the one that is executed', async () => {
  const source = sandbox.session({ cwd: sandbox.repo, turns: 2 })
  const ask = (json: object) => server.ask(`/session/${source.id}/fork`, { json })
  const { plan } = (await (await ask({ at_turn: 'last', code: 'head', dry_run: true })).json()) as { plan: PlanJson }
  source.addTurn('typed in the meantime')
  const made = (await (await ask({ plan_id: plan.id, accept: plan.confirm })).json()) as ForkJson
  expect(made.fork).toMatchObject({ id: plan.id, workspace: plan.workspace })
  expect(made.plan).toEqual(plan)
  expect((await messagesOf(made.session.id)).map(({ text }) => text)).not.toContain('typed in the meantime')
  expect(await (await ask({ plan_id: plan.id, accept: plan.confirm })).json()).toMatchObject({ status: 409, code: 'plan_stale' })
  expect(await (await ask({ plan_id: 'aaaaaaaa' })).json()).toMatchObject({ status: 409, code: 'plan_stale' })
  const mixed = await (await ask({ plan_id: plan.id, title: 'x' })).json()
  expect(mixed).toMatchObject({ status: 400, code: 'usage', detail: expect.stringContaining('`title`') })
  const other = sandbox.session({ cwd: sandbox.repo, turns: 1 })
  const elsewhere = await server.ask(`/session/${other.id}/fork`, { json: { plan_id: plan.id } })
  expect(elsewhere.status).toBe(400)
})

test('a plan that no longer holds is answered with a new one', async () => {
  const source = sandbox.session({ cwd: sandbox.repo, turns: 1 })
  const ask = (json: object) => server.ask(`/session/${source.id}/fork`, { json })
  const { plan } = (await (await ask({ code: 'now', dry_run: true })).json()) as { plan: PlanJson }
  writeFileSync(join(sandbox.repo, 'came-since.txt'), 'x')
  const stale = await ask({ plan_id: plan.id, accept: ['dirty'] })
  expect(stale.status).toBe(409)
  const problem = (await stale.json()) as { code: string; details: { plan: PlanJson } }
  expect(problem.code).toBe('plan_stale')
  expect(problem.details.plan.code.untracked).toContain('came-since.txt')
  const made = await ask({ plan_id: problem.details.plan.id, accept: ['dirty'] })
  expect(made.status).toBe(201)
  expect(((await made.json()) as ForkJson).fork.id).toBe(problem.details.plan.id)
})
