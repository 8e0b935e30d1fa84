// sessions, show, turns and tree over a home with sessions of both agents: what people see and what programs get.
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sampleIds } from '../../src/cli/demo/sample-sessions.ts'
import { createFixture, type Fixture } from './run-cli.ts'

let home: Fixture
beforeAll(async () => {
  home = await createFixture()
})
afterAll(() => home.remove())

interface SessionJson {
  agent: string
  id: string
  path: string
  parent_id: string | null
  turns: number
}

const sessionKeys = [
  'agent',
  'id',
  'title',
  'cwd',
  'repo_root',
  'branch',
  'model',
  'created_at',
  'updated_at',
  'turns',
  'messages',
  'bytes',
  'path',
  'live',
  'parent_id',
  'fork_point',
  'parent',
]

describe('sessions', () => {
  test('a person gets aligned lines, without colour in a pipe', async () => {
    const { stdout, stderr, status } = await home.run(['sessions'])
    const lines = stdout.trimEnd().split('\n')
    expect(lines[0]).toMatch(/SESSION +UPDATED +TURNS +TITLE/)
    expect(lines).toHaveLength(5)
    expect(lines.find((line) => line.includes('claude:60309e1e'))).toMatch(/1d ago +3 +Give every task a due date\./)
    expect(new Set(lines.slice(1).map((line) => line.indexOf(' ago'))).size).toBe(1)
    expect(stdout).not.toContain('\u001b')
    expect(stderr).toBe('')
    expect(status).toBe(0)
  })

  test('a program gets exactly the public shape', async () => {
    const { sessions } = await home.json<{ sessions: SessionJson[] }>(['sessions', '--json'])
    expect(sessions.map(({ id }) => id).sort()).toEqual(Object.values(sampleIds).sort())
    for (const session of sessions) expect(Object.keys(session)).toEqual(sessionKeys)
    expect(sessions.find(({ id }) => id === sampleIds.dueDates)).toMatchObject({
      agent: 'claude',
      turns: 3,
      branch: 'main',
      live: false,
      parent: null,
    })
    expect(sessions.find(({ id }) => id === sampleIds.storageFork)).toMatchObject({
      agent: 'codex',
      turns: 2,
      parent_id: sampleIds.storage,
    })
  })

  test('pages follow each other and lose nothing', async () => {
    type Page = { sessions: SessionJson[]; next?: string }
    const first = await home.json<Page>(['sessions', '--json', '--limit', '3'])
    expect(first.sessions).toHaveLength(3)
    const second = await home.json<Page>(['sessions', '--json', '--limit', '3', '--after', String(first.next)])
    expect(second.sessions).toHaveLength(1)
    expect(second.next).toBeUndefined()
    expect(new Set([...first.sessions, ...second.sessions].map(({ id }) => id)).size).toBe(4)
  })

  test('one agent, another repository, everything', async () => {
    const { sessions } = await home.json<{ sessions: SessionJson[] }>(['sessions', '--agent', 'codex', '--json'])
    expect(new Set(sessions.map(({ agent }) => agent))).toEqual(new Set(['codex']))
    const elsewhere = await home.json<{ sessions: SessionJson[] }>(['sessions', '--json', '--repo', home.repository], {
      cwd: home.home,
    })
    expect(elsewhere.sessions).toHaveLength(4)
    const all = await home.json<{ sessions: SessionJson[] }>(['sessions', '--json', '--all'])
    expect(all.sessions).toHaveLength(4)
  })

  test('a narrow terminal cuts titles to its width, colour comes when asked for, NO_COLOR wins', async () => {
    const narrow = await home.run(['sessions'], { env: { COLUMNS: '60' } })
    expect(narrow.stdout).toContain('…')
    for (const line of narrow.stdout.trimEnd().split('\n')) expect(line.length).toBeLessThanOrEqual(60)
    const colour = await home.run(['sessions'], { env: { FORCE_COLOR: '1' } })
    expect(colour.stdout).toContain('\u001b[36m')
    const plain = await home.run(['sessions'], { env: { FORCE_COLOR: '1', NO_COLOR: '1' } })
    expect(plain.stdout).not.toContain('\u001b')
  })
})

describe('turns', () => {
  test('numbers, states and prompts; what followed a compaction says so', async () => {
    const { stdout } = await home.run(['turns', 'claude:60309e1e'])
    expect(stdout).toMatch(/1 +1d ago +complete +\d+ +Give every task a due date\./)
    expect(stdout).toMatch(/3 +1d ago +complete +\d+ +\[after compaction\] Sort the list/)
  })

  test('the public shape', async () => {
    const { turns } = await home.json<{ turns: Record<string, unknown>[] }>(['turns', 'codex:019a84f2-1d6b', '--json'])
    expect(turns).toHaveLength(2)
    expect(Object.keys(turns[0] ?? {})).toEqual([
      'number',
      'id',
      'address',
      'prompt',
      'started_at',
      'ended_at',
      'messages',
      'state',
      'after_compaction',
      'snapshot',
    ])
    expect(turns[1]).toMatchObject({
      number: 2,
      state: 'interrupted',
      address: `codex:${sampleIds.storage}@2`,
      prompt: 'Store it in a database.',
    })
    expect(turns[0]?.started_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  })

  test('the last turns only', async () => {
    const { turns } = await home.json<{ turns: { number: number }[] }>(['turns', 'claude:60309e1e', '--json', '--limit', '1'])
    expect(turns.map(({ number }) => number)).toEqual([3])
  })
})

describe('show', () => {
  test('a session to read: prompts, answers, one line for each tool', async () => {
    const { stdout, status } = await home.run(['show', 'claude:60309e1e'])
    expect(stdout).toContain('❯ Give every task a due date.')
    expect(stdout).toMatch(/▸ Bash ls \(2 lines\)/)
    expect(stdout).toContain('Compacted here')
    expect(stdout).not.toContain('old_string')
    expect(status).toBe(0)
  })

  test('one turn, by number, from the end, by id', async () => {
    const byNumber = await home.run(['show', 'claude:60309e1e@2'])
    expect(byNumber.stdout).toContain('Three tests, all green.')
    expect(byNumber.stdout).not.toContain('Give every task')
    expect((await home.run(['show', 'claude:60309e1e@-2'])).stdout).toBe(byNumber.stdout)
    const { turns } = await home.json<{ turns: { id: string }[] }>(['turns', 'claude:60309e1e', '--json'])
    expect((await home.run(['show', `claude:60309e1e@${turns[1]?.id}`])).stdout).toBe(byNumber.stdout)
  })

  test('tools in full, Markdown, and JSON with session, turn and messages', async () => {
    expect((await home.run(['show', 'claude:60309e1e@1', '--tools'])).stdout).toContain('"old_string": "title, done: false"')
    expect((await home.run(['show', 'claude:60309e1e@1', '--markdown'])).stdout).toContain('> Give every task a due date.')
    const shown = await home.json<{ session: SessionJson; turn: { number: number }; messages: Record<string, unknown>[] }>([
      'show',
      'claude:60309e1e@1',
      '--json',
    ])
    expect(shown.session.id).toBe(sampleIds.dueDates)
    expect(shown.turn.number).toBe(1)
    expect(shown.messages.map(({ role }) => role)).toEqual(expect.arrayContaining(['user', 'tool', 'assistant']))
    const tools = shown.messages.filter(({ role }) => role === 'tool')
    expect(tools).toHaveLength(3)
    expect(tools[0]?.tool).toEqual({
      name: 'Read',
      arguments: { file_path: `${home.repository}/todo.mjs` },
      output: expect.stringContaining('export const add'),
      exit_code: null,
      failed: false,
      call_id: expect.any(String),
    })
  })

  test("--raw is the agent's file, byte for byte", async () => {
    const { session } = await home.json<{ session: SessionJson }>(['show', 'claude:60309e1e', '--json'])
    expect((await home.run(['show', 'claude:60309e1e', '--raw'])).stdout).toBe(readFileSync(session.path, 'utf8'))
  })

  test("secrets are shown as they are: it is one's own terminal", async () => {
    expect((await home.run(['show', 'codex:019a84f2-1d6b@1', '--tools'])).stdout).toContain(
      ['demo', '4f9c2e71b8d05a36'].join('-'),
    )
  })
})

describe('tree', () => {
  test('forks hang below their parents', async () => {
    const { stdout } = await home.run(['tree'])
    expect(stdout).toMatch(
      /^claude:60309e1e Give every task a due date\. .*\n└─ claude:b7c41d02 Due dates in plain words {2}branch at turn 1 · 1 own turn/m,
    )
    expect(stdout).toMatch(/^codex:019a84f2-1d6b .*\n└─ codex:019a8513-77c0 .*native at turn 1/m)
  })

  test('one lineage as JSON, from its root', async () => {
    interface Node {
      session: SessionJson
      children: Node[]
      fork_kind: string | null
      at_turn: number | null
    }
    const { nodes } = await home.json<{ nodes: Node[] }>(['tree', 'codex:019a8513-77c0', '--json'])
    expect(nodes).toHaveLength(1)
    expect(nodes[0]).toMatchObject({ session: { id: sampleIds.storage }, fork_kind: null, at_turn: null })
    expect(nodes[0]?.children[0]).toMatchObject({
      session: { id: sampleIds.storageFork },
      fork_kind: 'native',
      at_turn: 1,
      children: [],
    })
  })
})
