import pc from 'picocolors'
import { expect, test } from 'vitest'
import { contextBar, groupDigits } from '../../lib/text/context-bar.ts'
import { widthOf } from '../../lib/text/width.ts'
import type { CodeSource, Plan } from '../../model/fork.ts'
import { makePlan, session } from './plan.testkit.ts'
import { formatPlan } from './plan-page.ts'

const page = (plan: Plan, columns = Number.POSITIVE_INFINITY, rows?: number) =>
  formatPlan(plan, session, { colors: pc.createColors(false), columns, now: 120_000, ...(rows === undefined ? {} : { rows }) })

test('everything a fork is going to do stands on the page', () => {
  expect(page(makePlan({ pendingPrompt: 'Sort it.' })).join('\n')).toBe(`Fork of Give every task a due date.

  agent      claude, claude-opus-5-5
  source     claude:60309e1e-84b8-4be1-9d3f-0d43f7b4e6a7
             Give every task a due date.
  turn       2 · 2m ago · Write tests for it and run them.
  turns      2 kept, 1 dropped
  strategy   prefix: Claude Code itself can fork only at the tip
  context    [########------------] 42 %  84,000 of 200,000 tokens (as the agent recorded)
  price      0.034 USD with the prompt cache, 0.34 USD without
  code       now: 1 changed file and 1 untracked file, on top of 7b94e9447448
             changed (carried):
               todo.mjs
             untracked (carried):
               ideas.md
             left behind:
               node_modules/
  workspace  /home/me/.offshoot/worktrees/todo/abcdefgh
  branch     offshoot/session/abcdefgh
  prompt     Sort it.

Steps
  1. Make the workspace.
  2. Write a session.`)
})

test('a seed shows its model and what is left out of it', () => {
  const seed = { droppedMessages: 12, droppedCharacters: 18_712 }
  const text = page(makePlan({ strategy: 'seed', model: null, seed })).join('\n')
  expect(text).toContain('agent      claude, its default model\n')
  expect(text).toContain("left out   18,712 characters that the agent's harness put in, 12 whole messages among them\n")
  const little = page(makePlan({ strategy: 'seed', seed: { droppedMessages: 0, droppedCharacters: 40 } })).join('\n')
  expect(little).toContain("left out   40 characters that the agent's harness put in\n")
  const none = page(makePlan({ strategy: 'seed', seed: { droppedMessages: 0, droppedCharacters: 0 } })).join('\n')
  expect(none).not.toContain('left out')
})

test('warnings come with what to do about them, blockers apart', () => {
  const lines = page(
    makePlan({
      warnings: [{ code: 'context_over', message: 'The fork has 300000 tokens.' }],
      confirm: ['context_over'],
      blockers: [{ code: 'turn_running', message: 'Turn 3 is still running.' }],
    }),
  )
  expect(lines).toContain(
    '  ! context_over: The fork has 300000 tokens. Fork at an earlier turn, or use --strategy seed and --allow-cut.',
  )
  expect(lines).toContain('  x turn_running: Turn 3 is still running.')
})

test('ten files are named, the rest counted', () => {
  const dirtyFiles = Array.from({ length: 13 }, (_, at) => `file-${at}`)
  const text = page(makePlan({ code: { ...makePlan().code, dirtyFiles } })).join('\n')
  expect(text).toContain('file-9\n               and 3 more\n')
  expect(text).not.toContain('file-10')
})

test.each([
  [{ mode: 'none' as const, commit: null }, 'none: the files where the session ran'],
  [{ mode: 'head' as const }, 'head: clean at 7b94e9447448'],
  [{ mode: 'now' as const, dirtyFiles: [], untracked: [] }, 'now: nothing uncommitted, on top of 7b94e9447448'],
  [
    { mode: 'turn' as const, from: from('snapshot') },
    'turn: as turn 2 left it, 1 changed file and 1 untracked file, on top of 7b94e9447448',
  ],
  [{ mode: 'turn' as const, from: from('late', { moment: 'start' }) }, 'turn: as turn 2 found it or a little later'],
  [
    { mode: 'turn' as const, from: from('reconstructed') },
    'turn: as turn 2 left it, not captured but put together anew, on top of 7b94',
  ],
  [
    { mode: 'turn' as const, from: from('nearest_commit', { turnId: null, turnNumber: 0 }) },
    'turn: not captured; 7b94e9447448 is the nearest commit to the code before the first prompt',
  ],
])('code %j', (code, words) => {
  expect(page(makePlan({ code: { ...makePlan().code, ...code } })).join('\n')).toContain(words)
})

function from(kind: CodeSource['kind'], changes: Partial<CodeSource> = {}): CodeSource {
  return { kind, turnId: 'turn-2', turnNumber: 2, moment: 'end', tree: null, ...changes }
}

test('what is not known is not made up', () => {
  const tokens = { estimate: 1234, source: 'tokenizer' as const, contextWindow: null, contextWindowSource: null, percent: null }
  const text = page(makePlan({ tokens, cost: null, turn: null, cut: { kind: 'start' }, workspace: null })).join('\n')
  expect(text).toContain('1,234 tokens (estimated by a tokenizer); how many fit is not known')
  expect(text).toContain('turn       none: before the first prompt')
  expect(text).toContain('workspace  none: it runs in place')
  expect(text).not.toContain('price')
})

test('fits a narrow terminal, and leaves out the steps of a page that is too long', () => {
  const plan = makePlan({ warnings: [{ code: 'dirty', message: 'The work tree has many changed files. '.repeat(5) }] })
  for (const line of page(plan, 60)) expect(widthOf(line)).toBeLessThanOrEqual(60)
  expect(page(plan, 60, 100)).toContain('Steps')
  expect(page(plan, 60, 24)).not.toContain('Steps')
})

test('escape sequences of a transcript do not reach the terminal', () => {
  const text = page(makePlan({ title: 'a\u001b[31mb', pendingPrompt: '\u001b]0;x\u0007y' })).join('\n')
  expect(text).not.toContain('\u001b')
})

test.each([
  [0, '[--------------------] 0 %'],
  [0.4, '[#-------------------] < 1 %'],
  [80, '[################----] 80 %'],
  [100, '[####################] 100 %'],
  [142.5, '[####################] 143 %'],
])('%d %% as a bar', (percent, bar) => {
  expect(contextBar(percent)).toBe(bar)
})

test('digits in groups', () => {
  expect([0, 999, 1000, 1234567].map(groupDigits)).toEqual(['0', '999', '1,000', '1,234,567'])
})

test('names that a session or a folder gives are cleaned', () => {
  const hostile = 'claude\u001b]52;c;cHduZWQ=\u0007\u202e\n  price      free'
  const lines = page(makePlan({ model: hostile, cwd: `/home/me/${hostile}` }))
  expect(lines.join('\n')).not.toContain('\u001b')
  expect(lines).toContain('  agent      claude, claude price free')
  expect(lines).toContain('  folder     /home/me/claude price free')
})
