// States for tests: one of every kind the terminal UI can be in, made of plain data.
import type { CatalogSession, LineageNode } from '../model/catalog.ts'
import type { ForkResult, Plan } from '../model/fork.ts'
import type { PermissionRequest } from '../model/run.ts'
import type { Message, Turn } from '../model/session.ts'
import { makeWorker } from '../model/worker.testkit.ts'
import type { Worker } from '../model/worker.ts'
import { createKeyTable } from './keys.ts'
import type { Size, TuiState } from './state.ts'
import { firstState } from './state-first.ts'
import type { CompareOverlay, Overlay } from './state-overlay.ts'
import type { Tab } from './state-tab.ts'
import { noChoices } from './update/fork-dialog.ts'
import { emptyComposer, makeTab } from './update/tabs.ts'
import { createUpdate } from './update/update.ts'

export const now = Date.parse('2026-11-15T12:00:00Z')
export const keys = createKeyTable()
export const update = createUpdate(keys)

export function sessionOf(id: string, more: Partial<CatalogSession> = {}): CatalogSession {
  return {
    agent: 'claude',
    id,
    title: `Session ${id}`,
    cwd: '/repo',
    repoRoot: '/repo',
    branch: 'main',
    model: 'sonnet',
    createdAt: now - 7_200_000,
    updatedAt: now - 180_000,
    turns: 4,
    messages: 12,
    bytes: 4096,
    path: `/home/${id}.jsonl`,
    live: false,
    parent: null,
    cliVersion: null,
    titleFrom: 'prompt',
    repoId: 'r',
    ownTurns: 4,
    ownMessages: 12,
    usage: { inputTokens: 40_000, cachedInputTokens: 0, outputTokens: 2000 },
    state: 'present',
    broken: null,
    ...more,
  }
}

export function turnOf(number: number, more: Partial<Turn> = {}): Turn {
  return {
    number,
    id: `t${number}`,
    prompt: `prompt ${number}`,
    startedAt: now - 100_000,
    endedAt: now - 90_000,
    messages: 3,
    lastMessageId: `a${number}`,
    state: 'complete',
    afterCompaction: false,
    ...more,
  }
}

/** Prompt, tool call, answer: `u1`, `c1`, `a1`. */
export function messagesOf(number: number): readonly Message[] {
  const turnId = `t${number}`
  const tool = {
    name: 'Bash',
    arguments: { command: 'npm test' },
    output: '12 passed',
    exitCode: 0,
    failed: false,
    callId: `k${number}`,
  }
  return [
    { id: `u${number}`, turnId, role: 'user', text: `Prompt number ${number}: make the tests pass`, at: now },
    { id: `c${number}`, turnId, role: 'tool', text: '', tool, at: now },
    { id: `a${number}`, turnId, role: 'assistant', text: `Answer **${number}** with \`code\`.`, at: now },
  ]
}

export const start = (size: Size = { columns: 100, rows: 30 }): TuiState => ({
  ...firstState({ size, now, repository: { root: '/repo', name: 'repo' }, layout: null }),
  sessions: {
    ...firstState({ size, now, repository: { root: '/repo', name: 'repo' }, layout: null }).sessions,
    loading: false,
    items: ['one', 'two', 'three'].map((id, at) =>
      sessionOf(id, { title: ['Fix the flaky login test', '日本語のタイトル and more', '🚀 Ship it'][at] ?? id, live: at === 0 }),
    ),
    selected: 1,
  },
})

export function tabOf(more: Partial<Tab> = {}, turns = 3): Tab {
  const tab = makeTab({ agent: 'claude', sessionId: 'one', title: 'Fix the flaky login test', cwd: '/repo', branch: 'main' })
  const numbers = Array.from({ length: turns }, (_, at) => at + 1)
  return {
    ...tab,
    transcript: {
      ...tab.transcript,
      loading: false,
      turns: numbers.map((number) => turnOf(number)),
      messages: numbers.flatMap(messagesOf),
    },
    composer: { ...emptyComposer, history: ['first', 'second'] },
    ...more,
  }
}

export function withTab(tab: Tab = tabOf(), state: TuiState = start()): TuiState {
  return { ...state, tabs: [tab], shown: tab.id }
}

export function withOverlay(overlay: Overlay, state: TuiState = withTab()): TuiState {
  return { ...state, overlays: [...state.overlays, overlay] }
}

export const request: PermissionRequest = {
  id: 'q1',
  tool: 'Bash',
  kind: 'command',
  summary: 'rm -rf build && npm run build',
  arguments: { command: 'rm -rf build && npm run build' },
  callId: 'k1',
  canRemember: true,
}

export const plan: Plan = {
  id: 'abcdefgh',
  agent: 'claude',
  model: 'claude-sonnet',
  title: 'Fork of Fix the flaky login test',
  parent: { agent: 'claude', sessionId: 'one', turnId: 't2', turnNumber: 2, messageId: 'a2', kind: 'prefix' },
  turn: turnOf(2),
  cut: { kind: 'turn', turnId: 't2' },
  keptTurns: 2,
  droppedTurns: 1,
  strategy: 'prefix',
  strategyReason: 'the turn is not the last one',
  tokens: { estimate: 42_000, source: 'observed', contextWindow: 200_000, contextWindowSource: 'agent', percent: 21 },
  seed: null,
  cost: { cached: 0.012, uncached: 0.13, currency: 'USD' },
  code: { mode: 'turn', commit: 'abc', dirtyFiles: [], untracked: [], leftBehind: [], included: [], submodules: [] },
  workspace: { path: '/repo.worktrees/fix-1', branch: 'offshoot/fork/fix-1' },
  cwd: '/repo.worktrees/fix-1',
  send: false,
  setup: null,
  terminal: 'none',
  warnings: [],
  confirm: [],
  blockers: [],
  steps: [],
  seen: null,
}

export const warned: Plan = {
  ...plan,
  warnings: [
    { code: 'dirty', message: 'The work tree has 2 changed files: src/a.ts, src/b.ts. Commit them or carry them along.' },
    { code: 'context_high', message: 'The context is 84 % full.' },
  ],
  confirm: ['dirty'],
  tokens: { ...plan.tokens, percent: 84 },
}

export const blocked: Plan = {
  ...plan,
  blockers: [{ code: 'turn_running', message: 'Turn 3 is still running: fork at an earlier one, or wait.' }],
}

export function forkOverlay(more: Partial<Extract<Overlay, { kind: 'fork' }>> = {}): Extract<Overlay, { kind: 'fork' }> {
  return {
    kind: 'fork',
    tabId: 'claude:one',
    address: 'claude:one@m:a2',
    selected: 0,
    top: 0,
    choices: noChoices,
    plan,
    problem: null,
    forking: false,
    accepted: [],
    ...more,
  }
}

export const forkResult: ForkResult = {
  model: null,
  again: { argv: ['claude', '--resume=n'], cwd: '/w', env: {} },
  plan,
  proof: { sourceUnchanged: true, prefixVerified: true, cwdVerified: true, details: [] },
  fork: {
    id: 'f1',
    agent: 'claude',
    sessionId: 'child',
    strategy: 'prefix',
    title: 'Fork of it',
    file: '/home/child.jsonl',
    parent: plan.parent,
    workspace: { path: '/ws', branch: 'offshoot/fork/x', baseCommit: null },
    command: { argv: ['claude'], cwd: '/ws', env: {} },
  },
}

export const roots: readonly LineageNode[] = [
  {
    session: sessionOf('one', { title: 'Fix the flaky login test', live: true }),
    forkKind: null,
    atTurn: null,
    children: [
      { session: sessionOf('two', { title: 'Try it with a fake clock' }), forkKind: 'prefix', atTurn: 2, children: [] },
      {
        session: sessionOf('three', { agent: 'codex', title: '日本語 in Codex', branch: 'offshoot/fork/three' }),
        forkKind: 'seed',
        atTurn: 3,
        children: [],
      },
    ],
  },
]

const sideOf = (name: string) => ({ name, tree: 't', root: '/repo', notCovered: [] })

/** Two forks of one session: one file differs in two places, one is new, one is a picture. */
export const comparison: CompareOverlay = {
  kind: 'compare',
  sides: ['Try it with a fake clock', '日本語 in Codex'],
  costs: {
    sharedTurns: 2,
    sides: [
      {
        agent: 'claude',
        sessionId: 'two',
        turns: 4,
        usage: { inputTokens: 412_300, cachedInputTokens: 380_000, outputTokens: 9120 },
        workedMs: 192_000,
      },
      { agent: 'codex', sessionId: 'three', turns: 1, usage: null, workedMs: 4_320_000 },
    ],
  },
  diff: {
    files: [
      { path: 'src/clock.ts', status: 'M', added: 2, removed: 1 },
      { path: 'src/new.ts', status: 'A', added: 1, removed: 0 },
      { path: 'logo.png', status: 'M', added: null, removed: null },
    ],
    added: 3,
    removed: 1,
    patch: [
      'diff --git a/src/clock.ts b/src/clock.ts',
      '--- a/src/clock.ts',
      '+++ b/src/clock.ts',
      '@@ -1,3 +1,4 @@ export function now() {',
      ' // The one clock, which everything that needs the time is handed so that tests can stop it and move it on.',
      '-const tick = 100',
      '+const tick = 250 // 日本語',
      '+const late = tick * 2',
      ' export { tick }',
      'diff --git a/src/new.ts b/src/new.ts',
      'new file mode 100644',
      '--- /dev/null',
      '+++ b/src/new.ts',
      '@@ -0,0 +1 @@',
      '+\tdone()\u001b[31m',
      'diff --git a/logo.png b/logo.png',
      'Binary files a/logo.png and b/logo.png differ',
      '',
    ].join('\n'),
    from: sideOf('claude:two@4'),
    to: sideOf('codex:three@1'),
  },
  problem: null,
  top: 0,
  shift: 0,
}

export function workerOf(name: string, more: Partial<Worker> = {}): Worker {
  const pane = { kind: 'terminal', terminal: 'tmux', terminalId: '%5', pid: 42 } as const
  const running = { sessionId: 'one', state: 'running', cwd: '/repo', createdAt: now - 600_000 } as const
  return makeWorker({ id: `id-${name}`, name, ...pane, ...running, ...more })
}

/** A key pressed at a time: the state and the effects of it. */
export function press(state: TuiState, name: string, at = now): ReturnType<typeof update> {
  const text = [...name].length === 1 ? name : name === 'space' ? ' ' : ''
  return update(state, { kind: 'key', key: { name, text }, at })
}

/** One after the other; the effects of all. */
export function pressAll(state: TuiState, names: readonly string[], at = now): ReturnType<typeof update> {
  let step: ReturnType<typeof update> = { state, effects: [] }
  for (const name of names) {
    const next = press(step.state, name, at)
    step = { state: next.state, effects: [...step.effects, ...next.effects] }
  }
  return step
}

export function shown(state: TuiState): Tab {
  const tab = state.tabs.find(({ id }) => id === state.shown)
  if (tab === undefined) throw new Error('no tab is shown')
  return tab
}
