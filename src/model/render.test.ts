import { expect, test } from 'vitest'
import type { CatalogSession, LineageNode } from './catalog.ts'
import { AppError } from './error.ts'
import type { Plan } from './fork.ts'
import {
  renderError,
  renderForkResult,
  renderMessage,
  renderNode,
  renderPlan,
  renderSession,
  renderTime,
  renderTurn,
} from './render.ts'
import type { Turn } from './session.ts'

const at = Date.UTC(2026, 10, 15, 9, 30)

const session: CatalogSession = {
  agent: 'claude',
  id: '60309e1e-84b8-4be1-9d3f-0d43f7b4e6a7',
  title: 'Due dates',
  cwd: '/home/dev/todo',
  repoRoot: '/home/dev/todo',
  branch: 'main',
  model: 'claude-opus-5-5',
  createdAt: at,
  updatedAt: null,
  turns: 3,
  messages: 9,
  bytes: 1234,
  path: '/home/dev/.claude/projects/x/60309e1e.jsonl',
  live: true,
  parent: { agent: 'claude', sessionId: 'p1', turnId: 't1', turnNumber: 2, messageId: 'm1', kind: 'branch' },
  cliVersion: '2.1.325',
  titleFrom: 'prompt',
  repoId: null,
  ownTurns: 1,
  ownMessages: 3,
  usage: { inputTokens: 1, cachedInputTokens: 0, outputTokens: 1 },
  state: 'present',
  broken: null,
}

const turn: Turn = {
  number: 2,
  id: 'turn-id',
  prompt: 'go on',
  startedAt: at,
  endedAt: null,
  messages: 4,
  lastMessageId: 'm9',
  state: 'running',
  afterCompaction: true,
}

test('a session has exactly the public fields, in ISO time', () => {
  expect(renderSession(session)).toEqual({
    agent: 'claude',
    id: session.id,
    title: 'Due dates',
    cwd: '/home/dev/todo',
    repo_root: '/home/dev/todo',
    branch: 'main',
    model: 'claude-opus-5-5',
    created_at: '2026-11-15T09:30:00.000Z',
    updated_at: null,
    turns: 3,
    messages: 9,
    bytes: 1234,
    path: session.path,
    live: true,
    parent_id: 'p1',
    fork_point: 'm1',
    parent: { agent: 'claude', session_id: 'p1', turn_id: 't1', turn_number: 2, message_id: 'm1', kind: 'branch' },
  })
  expect(renderSession({ ...session, parent: null })).toMatchObject({ parent_id: null, fork_point: null, parent: null })
})

test('a turn names itself by number, on a dead branch by id', () => {
  expect(renderTurn(session, turn)).toEqual({
    number: 2,
    id: 'turn-id',
    address: `claude:${session.id}@2`,
    prompt: 'go on',
    started_at: '2026-11-15T09:30:00.000Z',
    ended_at: null,
    messages: 4,
    state: 'running',
    after_compaction: true,
    snapshot: null,
  })
  expect(renderTurn(session, { ...turn, number: null }).address).toBe(`claude:${session.id}@turn-id`)
})

test('a message shows its tool only when it has one', () => {
  expect(renderMessage({ id: 'm', turnId: 't', role: 'assistant', text: 'hi', at })).toEqual({
    id: 'm',
    turn_id: 't',
    role: 'assistant',
    text: 'hi',
    at: '2026-11-15T09:30:00.000Z',
  })
  const tool = { name: 'Bash', arguments: { command: 'ls' }, output: null, exitCode: null, failed: null, callId: 'c' }
  expect(renderMessage({ id: 'm', turnId: 't', role: 'tool', text: '', tool, at: null }).tool).toEqual({
    name: 'Bash',
    arguments: { command: 'ls' },
    output: null,
    exit_code: null,
    failed: null,
    call_id: 'c',
  })
})

test('a time no calendar has is null, never an exception', () => {
  expect(renderTime(9e15)).toBeNull()
  expect(renderTime(Number.NaN)).toBeNull()
})

test('a chain of forks deeper than the stack is rendered', () => {
  let node: LineageNode = { session, children: [], forkKind: 'native', atTurn: 1 }
  for (let depth = 0; depth < 20_000; depth += 1) node = { session, children: [node], forkKind: null, atTurn: null }
  let depth = 0
  for (let at = renderNode(node); at.children[0] !== undefined; at = at.children[0]) depth += 1
  expect(depth).toBe(20_000)
})

test('children keep their order', () => {
  const child = (title: string): LineageNode => ({ session: { ...session, title }, children: [], forkKind: 'native', atTurn: 1 })
  const rendered = renderNode({ session, children: [child('a'), child('b')], forkKind: null, atTurn: null })
  expect(rendered.children.map((one) => one.session.title)).toEqual(['a', 'b'])
})

test('an error carries code, message, hint and, where there are any, details', () => {
  expect(renderError(new AppError('session_not_found', 'No session x'))).toEqual({
    error: { code: 'session_not_found', message: 'No session x', hint: expect.stringContaining('offshoot sessions') },
  })
  expect(renderError(new AppError('ambiguous', 'Two', { details: { candidates: ['a'] } })).error.details).toEqual({
    candidates: ['a'],
  })
})

test('a plan, a fork and a proof in the words of the interfaces', () => {
  const parent = { agent: 'claude', sessionId: 's', turnId: 't', turnNumber: 2, messageId: 'm', kind: 'prefix' } as const
  const plan: Plan = {
    id: 'abcdefgh',
    agent: 'claude',
    model: null,
    title: 'Fork of X',
    parent,
    turn: null,
    cut: { kind: 'turn', turnId: 't' },
    keptTurns: 2,
    droppedTurns: 1,
    strategy: 'prefix',
    strategyReason: 'asked for',
    tokens: { estimate: 9, source: 'observed', contextWindow: 100, contextWindowSource: 'agent', percent: 9 },
    seed: { droppedMessages: 3, droppedCharacters: 40 },
    cost: null,
    code: { mode: 'now', commit: 'c', dirtyFiles: ['a'], untracked: [], leftBehind: ['b'], included: [], submodules: [] },
    workspace: { path: '/w', branch: 'offshoot/session/abcdefgh' },
    cwd: '/w',
    pendingPrompt: 'again',
    send: true,
    setup: { command: 'npm ci', timeoutSeconds: 600, source: '/r' },
    terminal: 'print',
    warnings: [{ code: 'dirty', message: 'x' }],
    confirm: ['dirty'],
    blockers: [],
    steps: ['one'],
    seen: { secret: true },
  }
  const rendered = renderPlan(plan)
  expect(rendered).toMatchObject({
    kept_turns: 2,
    dropped_turns: 1,
    strategy_reason: 'asked for',
    pending_prompt: 'again',
    send: true,
  })
  expect(rendered.tokens).toEqual({
    estimate: 9,
    source: 'observed',
    context_window: 100,
    context_window_source: 'agent',
    percent: 9,
  })
  expect(rendered.code).toMatchObject({ dirty_files: ['a'], left_behind: ['b'], included: [], submodules: [] })
  expect(rendered.setup).toEqual({ command: 'npm ci', timeout_seconds: 600 })
  expect(rendered.parent).toMatchObject({ session_id: 's', turn_number: 2 })
  expect(JSON.stringify(rendered)).not.toContain('secret')
  const fork = {
    id: 'abcdefgh',
    agent: 'claude',
    sessionId: 'n',
    strategy: 'prefix',
    title: 'Fork of X',
    file: null,
    parent,
    workspace: { path: '/w', branch: 'b', baseCommit: 'c' },
    command: { argv: ['claude'], cwd: '/w', env: { KEY: 'v' } },
  } as const
  const proof = { sourceUnchanged: true, prefixVerified: null, cwdVerified: true, details: [] }
  expect(renderForkResult({ fork, plan, proof, again: fork.command, model: null })).not.toHaveProperty('setup')
  const setup = { command: 'npm ci', exitCode: 1, timedOut: false, seconds: 2.5, output: ['no'] }
  expect(renderForkResult({ fork, plan, proof, setup, again: fork.command, model: null })).toMatchObject({
    setup: { command: 'npm ci', exit_code: 1, timed_out: false, seconds: 2.5, output: ['no'] },
    fork: { session_id: 'n', workspace: { base_commit: 'c' }, command: { argv: ['claude'], cwd: '/w' } },
    plan: { agent: 'claude' },
    proof: { source_unchanged: true, prefix_verified: null, cwd_verified: true, details: [] },
  })
})
