import { expect, test } from 'vitest'
import type { Size, TuiState } from '../state.ts'
import {
  blocked,
  comparison,
  forkOverlay,
  keys,
  now,
  press,
  pressAll,
  request,
  roots,
  sessionOf,
  start,
  tabOf,
  turnOf,
  update,
  warned,
  withOverlay,
  withTab,
  workerOf,
} from '../states.testkit.ts'
import { plain, styledWidth } from '../text/wrap-styled.ts'
import { colorDepth, createPaint } from '../theme.ts'
import { draftOf } from '../update/draft.ts'
import { drawFrame } from './frame.ts'

const dark = createPaint('dark', '256')
const answer = {
  ...tabOf().transcript,
  turns: [1, 2, 3].map((number) => turnOf(number)),
}
const patch =
  'diff --git a/src/a.ts b/src/a.ts\n--- a/src/a.ts\n+++ b/src/a.ts\n@@ -1,2 +1,2 @@\n-const a = 1\n+const a = 2\n same\n'
const results = [
  {
    session: sessionOf('one', { title: 'Fix the flaky login test' }),
    turn: { id: 't2', number: 2 },
    text: 'we found that the login test waits for a clock that never ticks',
    marks: [[18, 28]] as const,
  },
  {
    session: sessionOf('two', { agent: 'codex', title: '日本語のタイトル' }),
    turn: null,
    text: 'login',
    marks: [[0, 5]] as const,
  },
].map(({ session, turn, text, marks }, at) => ({
  rank: at + 1,
  score: 0.91 - at / 4,
  session,
  turn,
  snippet: { text, marks },
  canFork: true,
}))
const running = pressAll(withTab({ ...tabOf(), composer: { ...tabOf().composer, draft: draftOf('and now the docs') } }), [
  'enter',
]).state
const streamed = (
  [
    { kind: 'started', sessionId: 'one', turnId: null, model: null },
    { kind: 'message', messageId: null, text: 'I will look at the docs first.' },
    { kind: 'tool_call', callId: 'k', tool: 'Bash', arguments: { command: 'ls docs' } },
    { kind: 'tool_output', callId: 'k', delta: 'cli.md\nmcp.md\n' },
    { kind: 'text', delta: 'There are **two** pages' },
  ] as const
).reduce((state, event) => update(state, { kind: 'run', tabId: 'claude:one', event, at: now + 3000 }).state, running)
const searching = { ...start().sessions, query: draftOf('login test'), typing: true, results, selected: 0 }

const labelled = update(withTab(), {
  kind: 'labelled',
  session: { agent: 'claude', sessionId: 'one' },
  label: 'the 速い one',
  at: now,
}).state
const partly = { sessions: 90, indexedSessions: 41, turns: 1, chunks: 1, complete: false, running: true, model: '', embedded: 1 }

const screens: Readonly<Record<string, TuiState>> = {
  sessions: start(),
  search: { ...start(), sessions: searching },
  'part of the index': { ...start(), sessions: searching, index: partly },
  'nothing found': { ...start(), sessions: { ...searching, results: [], notes: ['Nothing is about this.'] } },
  'first run': { ...start(), sessions: { ...start().sessions, items: [], scope: 'all' } },
  'first run in a repository': { ...start(), sessions: { ...start().sessions, items: [] } },
  'no sessions here': { ...start(), sessions: { ...start().sessions, items: [], elsewhere: 12 } },
  'none of this agent': { ...start(), sessions: { ...start().sessions, items: [], agent: 'codex', scope: 'all', elsewhere: 1 } },
  tab: withTab({ ...tabOf(), transcript: answer }),
  'tab unfolded': pressAll(withTab(), ['tab', 'space']).state,
  'tab with notes': withTab({
    ...tabOf(),
    transcript: {
      ...answer,
      messages: [
        ...answer.messages,
        {
          id: 's1',
          turnId: 't3',
          role: 'system',
          text: '<system-reminder>\nA hook says\nthree lines\n</system-reminder>',
          at: now,
        },
        { id: 's2', turnId: 't3', role: 'system', text: ' \n', at: now },
      ],
    },
  }),
  'running tab': streamed,
  completion: pressAll(withTab(), ['/']).state,
  backtrack: pressAll(withTab(), ['esc', 'up']).state,
  'fork dialog': withOverlay(forkOverlay()),
  'fork with warnings': withOverlay(forkOverlay({ plan: warned, selected: 1 })),
  'fork scrolled': withOverlay(forkOverlay({ plan: warned, top: 100 })),
  'fork blocked': withOverlay(forkOverlay({ plan: blocked })),
  permission: update(streamed, { kind: 'run', tabId: 'claude:one', event: { kind: 'permission', request }, at: now + 4000 })
    .state,
  palette: pressAll(withTab(), ['ctrl+p', 'f', 'o']).state,
  help: press(withTab(), 'f1').state,
  tree: withOverlay({ kind: 'tree', roots, selected: 1, top: 0, marked: ['claude:one'] }),
  workers: {
    ...withOverlay({ kind: 'workers', selected: 0 }),
    workers: [
      workerOf('ada', { state: 'waiting', permission: request }),
      workerOf('bob', { agent: 'codex', kind: 'headless', terminal: null, state: 'idle' }),
    ],
  },
  diff: withOverlay({ kind: 'diff', title: 'Turn 3', patch, top: 0 }),
  'labelled sessions': press(labelled, 'alt+0').state,
  'labelled tab': labelled,
  'labelled tree': update(withOverlay({ kind: 'tree', roots, selected: 1, top: 0, marked: [] }), {
    kind: 'labelled',
    session: { agent: 'claude', sessionId: 'two' },
    label: 'a label that is longer than a list has room for',
    at: now,
  }).state,
  compare: withOverlay(comparison),
  'compare further down': withOverlay({ ...comparison, top: 14, shift: 20 }),
  'compare without code': withOverlay({ ...comparison, diff: null, problem: 'No turn of claude:two was captured.' }),
  confirm: withOverlay({
    kind: 'confirm',
    title: 'Bring back 2 files in /repo',
    lines: ['src/a.ts  +1 -2', 'src/b.ts  +3 -0'],
    note: 'What is there now can be brought back by offshoot undo.',
    effect: { kind: 'restore', plan: { root: '/repo', changes: [], refused: [], warnings: [], seen: null } },
  }),
  ask: pressAll(withOverlay(forkOverlay({ selected: 3 })), ['e', 'M', 'y']).state,
  'many tabs': {
    ...withTab(),
    tabs: [tabOf(), ...Array.from({ length: 12 }, (_, at) => ({ ...tabOf(), id: `claude:${at}`, title: `Tab number ${at}` }))],
    shown: 'claude:11',
  },
}
const sizes: readonly Size[] = [
  { columns: 60, rows: 16 },
  { columns: 100, rows: 30 },
  { columns: 200, rows: 60 },
]
const at = (state: TuiState, size: Size) => update(state, { kind: 'resize', ...size, at: state.now }).state

test.each(Object.keys(screens).flatMap((name) => sizes.map((size) => [name, size.columns, size.rows] as const)))(
  '%s at %dx%d fills the screen and no more',
  (name, columns, rows) => {
    const lines = drawFrame(at(screens[name] ?? start(), { columns, rows }), keys, dark)
    expect(lines).toHaveLength(rows)
    for (const { text } of lines) expect(styledWidth(text)).toBeLessThanOrEqual(columns)
  },
)

test.each(Object.keys(screens).flatMap((name) => sizes.map((size) => [name, size] as const)))(
  '%s as it looks at %o',
  async (name, size) => {
    const lines = drawFrame(at(screens[name] ?? start(), size), keys, dark).map(({ text }) => plain(text).trimEnd())
    const file = `./snapshots/${name.replaceAll(' ', '-')}-${size.columns}x${size.rows}.txt`
    await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot(file)
  },
)

test('without colours nothing is left but bold, dim, inverse and underline', () => {
  const none = createPaint('dark', colorDepth({ NO_COLOR: '1', TERM: 'xterm-256color' }))
  for (const state of Object.values(screens)) {
    for (const { text } of drawFrame(state, keys, none)) {
      // biome-ignore lint/suspicious/noControlCharactersInRegex: our own styles are looked at
      for (const [, codes = ''] of text.matchAll(/\u001b\[([\d;]*)m/g)) {
        for (const code of codes.split(';')) expect(['1', '2', '4', '7', '22', '24', '27']).toContain(code)
      }
    }
  }
})

test('every style is closed where its line ends', () => {
  for (const state of Object.values(screens)) {
    for (const { text } of drawFrame(state, keys, dark)) {
      const open = new Set<string>()
      // biome-ignore lint/suspicious/noControlCharactersInRegex: as above
      for (const [, codes = ''] of text.matchAll(/\u001b\[([\d;]*)m/g)) {
        if (/38;5/.test(codes)) open.add('39')
        if (/48;5/.test(codes)) open.add('49')
        if (/(^|;)39($|;)/.test(codes)) open.delete('39')
        if (/(^|;)49($|;)/.test(codes)) open.delete('49')
      }
      expect([...open]).toEqual([])
    }
  }
})

test('a window that is too small says so, at any size', () => {
  for (const size of [
    { columns: 59, rows: 30 },
    { columns: 100, rows: 15 },
    { columns: 3, rows: 1 },
  ]) {
    const lines = drawFrame(at(start(), size), keys, dark)
    expect(lines).toHaveLength(size.rows)
    for (const { text } of lines) expect(styledWidth(text)).toBeLessThanOrEqual(size.columns)
  }
})
