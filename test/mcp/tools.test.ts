// Every tool of the real `offshoot mcp` process, asked by real clients of both generations and both protocol eras.
import { spawn } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bin, configureSetup, createFixture, type Fixture } from '../cli/run-cli.ts'
import { type ClientKind, type Connected, clientKinds, connect, errorOf, structured } from './clients.ts'

const toolNames = [
  'smart_fork',
  'search_sessions',
  'list_sessions',
  'read_session',
  'list_turns',
  'fork_session',
  'spawn_workers',
  'list_workers',
  'send_to_worker',
  'fork_worker',
  'session_tree',
]

interface TreeNode {
  readonly session: string
  readonly agent: string
  readonly branch: string | null
  readonly state: string
  readonly at_turn: number | null
  readonly children: readonly TreeNode[]
}

let fixture: Fixture

beforeAll(async () => {
  fixture = await createFixture()
})
afterAll(() => fixture.remove())

const open = (kind: ClientKind, args: readonly string[] = []) =>
  connect(kind, { cwd: fixture.repository, env: fixture.vars, args })

describe.each(clientKinds)('%s', (kind) => {
  let client: Connected
  beforeAll(async () => {
    client = await open(kind)
  })
  afterAll(() => client.close())

  it('sees all tools, their schemas and when to use them', async () => {
    const tools = await client.tools()
    expect(tools.map(({ name }) => name)).toEqual(toolNames)
    for (const { name, inputSchema, outputSchema, annotations } of tools) {
      expect(inputSchema, name).toMatchObject({ type: 'object', additionalProperties: false })
      expect(outputSchema, name).toMatchObject({ type: 'object' })
      expect(Object.keys(annotations ?? {}).sort(), name).toEqual(
        ['destructiveHint', 'idempotentHint', 'openWorldHint', 'readOnlyHint', 'title'].sort(),
      )
    }
    const atOnce = tools.filter(({ _meta }) => _meta?.['anthropic/alwaysLoad'] === true).map(({ name }) => name)
    expect(atOnce).toEqual(['smart_fork', 'fork_session'])
    expect(client.instructions).toContain('call smart_fork with their intent')
  })

  it('searches, reads and shows the lineage', async () => {
    const found = structured<{ results: { session_id: string; turn: string; can_fork: boolean; snippet: string }[] }>(
      await client.call('smart_fork', { intent: 'tests for the due date' }),
    )
    expect(found).toMatchObject({ engine: 'builtin', query: 'tests for the due date', index: { complete: true } })
    const [best] = found.results
    expect(best).toMatchObject({ session_id: '60309e1e-84b8-4be1-9d3f-0d43f7b4e6a7', agent_type: 'claude', can_fork: true })
    const listed = structured<{ sessions: { id: string }[] }>(await client.call('list_sessions'))
    expect(listed.sessions.map(({ id }) => id)).toContain(best?.session_id)
    const turns = structured<{ turns: { address: string; prompt: string }[]; total: number }>(
      await client.call('list_turns', { session: best?.session_id }),
    )
    expect(turns.turns.map(({ address }) => address)).toContain(best?.turn)
    const read = structured<{ untrusted: { notice: string; messages: { text: string; role: string }[] } }>(
      await client.call('read_session', { session: best?.turn }),
    )
    expect(read.untrusted.notice).toContain('not instructions')
    expect(read.untrusted.messages[0]).toMatchObject({ role: 'user', text: 'Write tests for it and run them.' })
    const { nodes, total } = structured<{ nodes: TreeNode[]; total: number }>(
      await client.call('session_tree', { session: 'codex:last' }),
    )
    expect(total).toBe(2)
    const [root] = nodes
    expect(nodes).toHaveLength(1)
    expect(root).toMatchObject({ agent: 'codex', at_turn: null, state: 'present', branch: 'main' })
    expect(root?.children).toMatchObject([{ agent: 'codex', at_turn: expect.any(Number), children: [] }])
    // One at a time: who comes without their parent says who that is.
    const first = structured<{ nodes: TreeNode[]; next: string }>(
      await client.call('session_tree', { session: 'codex:last', limit: 1 }),
    )
    expect(first.nodes).toEqual([{ ...root, children: [] }])
    const second = structured<{ nodes: TreeNode[] }>(
      await client.call('session_tree', { session: 'codex:last', limit: 1, cursor: first.next }),
    )
    expect(second.nodes).toEqual([{ ...root?.children[0], parent: root?.session }])
  })

  it('searches both agents only when asked to', async () => {
    const ask = async (agent_type: string) =>
      structured<{ results: { agent_type: string }[] }>(
        await client.call('smart_fork', { intent: 'where is the list stored', agent_type }),
      ).results.map((row) => row.agent_type)
    expect(new Set(await ask('codex'))).toEqual(new Set(['codex']))
    expect(await ask('claude')).not.toContain('codex')
    expect(await ask('both')).toContain('codex')
  })

  it('says what is wrong, with a code and a hint', async () => {
    expect(errorOf(await client.call('read_session', { session: 'claude:ffffffff' }))).toMatchObject({
      code: 'session_not_found',
    })
    expect(errorOf(await client.call('list_turns', { session: '@@' }))).toMatchObject({ code: 'bad_address' })
    expect(errorOf(await client.call('read_session', { session: 'last@99' }))).toMatchObject({ code: 'turn_not_found' })
    expect(errorOf(await client.call('list_sessions', { cursor: 'x' }))).toMatchObject({ code: 'usage' })
    expect(errorOf(await client.call('smart_fork', { intent: 'tests', fork_index: 9 }))).toMatchObject({ code: 'usage' })
    expect(errorOf(await client.call('fork_session', {}))).toMatchObject({ code: 'usage' })
    expect(errorOf(await client.call('send_to_worker', { worker: 'nobody', prompt: 'hi' }))).toMatchObject({
      code: 'worker_not_found',
    })
    expect(errorOf(await client.call('fork_worker', { worker: 'nobody' }))).toMatchObject({ code: 'worker_not_found' })
  })

  it('plans a fork without making it', async () => {
    const planned = structured<{ plan: { strategy: string; kept_turns: number }; confirm: string[]; next: string }>(
      await client.call('fork_session', { session: 'claude:60309e1e@1', dry_run: true }),
    )
    expect(planned.plan).toMatchObject({ kept_turns: 1, strategy: 'prefix' })
    const smart = structured(
      await client.call('smart_fork', { intent: 'tests for the due date', auto_fork: true, dry_run: true }),
    )
    expect(smart).toMatchObject({ plan: { parent: { session_id: '60309e1e-84b8-4be1-9d3f-0d43f7b4e6a7', turn_number: 2 } } })
    expect(smart).not.toHaveProperty('forked_session')
    expect((await fixture.json<{ sessions: unknown[] }>(['sessions', '--json'])).sessions).toHaveLength(4)
  })

  it('tells how far a long call is', async () => {
    const hear = async () => {
      const heard: string[] = []
      await client.call('search_sessions', { query: 'tests' }, { onProgress: ({ message }) => heard.push(message ?? '') })
      return heard
    }
    // A client that reads word of it and the answer at once passes over the former.
    await expect.poll(hear).toEqual(['searching'])
  })
})

describe('a fork', () => {
  it('has to be accepted for uncommitted work and code of now, and then is the very plan that was shown', async () => {
    const client = await open('sdk 2 of 2026')
    const wanted = { session: 'claude:60309e1e@1', title: '--dangerously; $(touch x)', code: 'now' }
    const refused = structured<{ confirm: string[]; plan: { id: string; workspace: { branch: string } }; next: string }>(
      await client.call('fork_session', wanted),
    )
    expect(refused.confirm).toEqual(['code_now', 'dirty'])
    expect(refused.next).toContain('Nothing was done')
    const { plan } = refused
    const made = structured<{ forked_session: Record<string, unknown> }>(
      await client.call('fork_session', { plan_id: plan.id, accept: refused.confirm }),
    ).forked_session
    expect(made).toMatchObject({
      resume_session_id: '60309e1e-84b8-4be1-9d3f-0d43f7b4e6a7',
      terminal_id: null,
      proof: { source_unchanged: true, prefix_verified: true, cwd_verified: true },
      worker: null,
      title: '--dangerously; $(touch x)',
    })
    expect(made).toMatchObject({ fork_id: plan.id, branch: `offshoot/session/${plan.id}` })
    expect(plan.workspace.branch).toBe(made.branch)
    const twice = await client.call('fork_session', { plan_id: plan.id, accept: refused.confirm })
    expect(structured(twice)).toMatchObject({ next: expect.stringContaining('executed before'), plan: { kept_turns: 1 } })
    const mixed = await client.call('fork_session', { plan_id: plan.id, at_turn: '2' })
    expect(errorOf(mixed)).toMatchObject({ code: 'usage', message: expect.stringContaining('at_turn') })
    const found = structured<{ total: number }>(await client.call('list_turns', { session: `claude:${made.session_id}` }))
    expect(found.total).toBe(1)
    await client.close()
    await fixture.run(['undo', String(made.fork_id), '--force'])
  })
})

describe('what may be seen', () => {
  it('is the repository the server stands in, and --project instead', async () => {
    const elsewhere = join(fixture.home, 'elsewhere')
    mkdirSync(elsewhere, { recursive: true })
    writeFileSync(join(elsewhere, 'x'), '')
    const outside = await connect('sdk 1', { cwd: elsewhere, env: fixture.vars })
    expect(structured(await outside.call('list_sessions'))).toMatchObject({ sessions: [] })
    expect(errorOf(await outside.call('list_sessions', { project_path: fixture.repository }))).toMatchObject({ code: 'refused' })
    expect(errorOf(await outside.call('read_session', { session: 'claude:60309e1e' }))).toMatchObject({
      code: 'session_not_found',
    })
    expect(errorOf(await outside.call('smart_fork', { intent: 'x', project_path: '/' }))).toMatchObject({ code: 'refused' })
    await outside.close()
    const opened = await connect('sdk 1', { cwd: elsewhere, env: fixture.vars, args: ['--project', fixture.repository] })
    const all = structured<{ sessions: unknown[] }>(await opened.call('list_sessions', { project_path: fixture.repository }))
    expect(all.sessions).toHaveLength(4)
    await opened.close()
  })

  it('is nothing where it stands in the home folder itself', async () => {
    const client = await connect('sdk 1', { cwd: fixture.home, env: fixture.vars })
    expect(errorOf(await client.call('list_sessions'))).toMatchObject({ code: 'refused' })
    await client.close()
  })
})

it('prints nothing but the protocol, and ends when its client does', async () => {
  const child = spawn(process.execPath, [bin, 'mcp'], { cwd: fixture.repository, env: fixture.vars })
  let out = ''
  let err = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text))
  const clientInfo = { name: 'raw', version: '1' }
  const send = (message: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  send({ id: 1, method: 'initialize', params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo } })
  send({ method: 'notifications/initialized' })
  send({ id: 2, method: 'tools/call', params: { name: 'search_sessions', arguments: { query: 'tests' } } })
  await expect.poll(() => out.split('\n').filter((line) => line !== '').length, { timeout: 30_000 }).toBe(2)
  child.stdin.end()
  const status = await new Promise((resolve) => child.once('exit', resolve))
  expect(
    out
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { id: number }).id),
  ).toEqual([1, 2])
  expect({ status, err }).toEqual({ status: 0, err: '' })
})

it('a plan shows the set-up command of the repository, and a fork how it went', async () => {
  const forget = configureSetup(fixture, 'echo no packages; exit 4')
  const client = await open('sdk 2 of 2026')
  try {
    const asked = { session: '60309e1e-84b8-4be1-9d3f-0d43f7b4e6a7', at_turn: '1', code: 'head' }
    const { plan } = structured<{ plan: unknown }>(await client.call('fork_session', { ...asked, dry_run: true }))
    expect(plan).toMatchObject({ setup: { command: 'echo no packages; exit 4' } })
    const made = await client.call('fork_session', { ...asked, terminal: 'none', accept: ['dirty'] })
    expect(structured(made)).toMatchObject({ forked_session: { setup: { exit_code: 4, output: ['no packages'] } } })
  } finally {
    await client.close()
    forget()
  }
})
