import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { AgentEnv } from '../agent-env.ts'
import { pane } from './pane.ts'
import { readScreen } from './pane-screen.ts'

const rule = '─'.repeat(40)
const composer = (...lines: string[]) => ['● Answer', '', rule, ...lines, rule, '  ? for shortcuts']
/** As 2.1.197 draws it; 2.1.325 says the same with a tip above. */
const permission = [
  '❯ do it',
  rule,
  ' Bash command',
  '',
  '   touch x.txt',
  '',
  ' Do you want to proceed?',
  ' ❯ 1. Yes',
  '   2. Yes, and always allow access to work/ from this project',
  '   3. No',
  '',
  ' Esc to cancel · Tab to amend',
]
const trust = [
  rule,
  ' Accessing workspace:',
  ' /a/b',
  ' Quick safety check',
  ' ❯ No, exit',
  '   Yes, I trust this folder',
  ' Enter to confirm · Esc to cancel',
]

describe('readScreen', () => {
  it.each([
    [composer('❯\u00a0'), { state: 'idle', composer: '' }],
    [composer('❯'), { state: 'idle', composer: '' }],
    [composer('❯\u00a0Try "fix the tests"'), { state: 'idle', composer: '' }],
    [composer('❯\u00a0Try "this" please'), { state: 'idle', composer: 'Try "this" please' }],
    [composer('❯\u00a0hello  '), { state: 'idle', composer: 'hello' }],
    [composer('❯\u00a0one', '  two', '    three'), { state: 'idle', composer: 'one\ntwo\n  three' }],
    [composer('❯\u00a0[Pasted text #1 +30 lines]'), { state: 'idle', composer: '[Pasted text #1 +30 lines]' }],
    [composer('! ls'), { state: 'idle', composer: '! ls' }],
    [[...composer('❯\u00a0'), '  esc to interrupt'], { state: 'busy', composer: '' }],
    [permission, { state: 'waiting', composer: null, question: 'Bash command touch x.txt Do you want to proceed?' }],
    [trust, { state: 'dialog', composer: null, question: 'Accessing workspace: /a/b Quick safety check' }],
    [['  Settings  Status', ' Esc to cancel'], { state: 'dialog', composer: null }],
    [['', ''], { state: 'starting', composer: null, question: null }],
    [[], { state: 'starting', composer: null, question: null }],
    // Words of a dialog in the conversation are none.
    [['● Do you want to proceed? Esc to cancel', ...composer('❯\u00a0x')], { state: 'idle', composer: 'x' }],
  ])('%j', (lines, found) => {
    expect(readScreen(lines)).toMatchObject(found)
  })
})

describe('look', () => {
  let home: string
  let env: AgentEnv
  const screen = composer('❯\u00a0')

  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'offshoot-pane-'))
    mkdirSync(join(home, '.claude', 'sessions'), { recursive: true })
    env = { home, vars: {}, now: () => 100_000 }
  })
  afterEach(() => rmSync(home, { recursive: true, force: true }))

  function register(entry: object, pid = process.pid): void {
    writeFileSync(
      join(home, '.claude', 'sessions', `${pid}.json`),
      JSON.stringify({ pid, sessionId: 's1', startedAt: 0, ...entry }),
    )
  }
  const look = (lines: readonly string[] = screen, sessionId: string | null = null, pid: number | null = process.pid) =>
    pane.look(env, { pid, sessionId, screen: lines, title: '' })

  it.each([
    [{ status: 'idle' }, screen, { state: 'idle', composer: '', from: 'registry' }],
    [{ status: 'busy' }, screen, { state: 'busy', from: 'registry' }],
    [{ status: 'shell' }, screen, { state: 'busy', from: 'registry' }],
    [{ status: 'waiting', waitingFor: 'permission prompt' }, permission, { state: 'waiting', from: 'registry' }],
    [{ status: 'waiting', waitingFor: 'permission prompt' }, screen, { state: 'waiting', question: 'permission prompt' }],
    [{ status: 'waiting', waitingFor: 'dialog open' }, permission, { state: 'waiting' }],
    [{ status: 'waiting', waitingFor: 'dialog open' }, trust, { state: 'dialog' }],
    // The screen is ahead of the registry: an Enter sent now would answer.
    [{ status: 'busy' }, permission, { state: 'waiting', from: 'screen' }],
    [{ status: 'idle' }, trust, { state: 'dialog', from: 'screen' }],
    [{ status: 'idle' }, [...screen, '  esc to interrupt'], { state: 'busy', composer: '', from: 'screen' }],
    // Not told yet, and never told.
    [{ startedAt: 99_000 }, screen, { state: 'starting', from: 'screen' }],
    [{ startedAt: 1000 }, screen, { state: 'idle', from: 'screen' }],
  ])('%j', (entry, lines, found) => {
    register(entry)
    expect(look(lines)).toMatchObject(found)
  })

  it('goes by the screen where there is no entry, but not to say that it is ready when one has to come', () => {
    expect(look()).toMatchObject({ state: 'idle', from: 'screen' })
    expect(look(screen, 's1')).toMatchObject({ state: 'starting', from: 'screen' })
    expect(look(trust, 's1')).toMatchObject({ state: 'dialog', from: 'screen' })
    expect(look([], null, null)).toMatchObject({ state: 'starting', from: 'screen' })
  })

  it('finds the entry by the session where the process is not known', () => {
    register({ status: 'busy' })
    expect(look(screen, 's1', null)).toMatchObject({ state: 'busy', from: 'registry' })
    expect(look(screen, 's2', null)).toMatchObject({ state: 'starting', from: 'screen' })
  })

  it('finds the entry of a process below the one in the pane', async () => {
    const child = spawn('sleep', ['60'])
    try {
      register({ status: 'busy' }, child.pid)
      expect(look()).toMatchObject({ state: 'busy', from: 'registry' })
    } finally {
      child.kill('SIGKILL')
    }
  })

  it('takes no other process of the same number for it', () => {
    const stat = readFileSync('/proc/self/stat', 'utf8')
    const begun = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]
    register({ status: 'busy', procStart: begun })
    expect(look()).toMatchObject({ state: 'busy' })
    register({ status: 'busy', procStart: '1' })
    expect(look()).toMatchObject({ state: 'idle', from: 'screen' })
  })

  it('knows the end of a process', async () => {
    const child = spawn('true')
    await new Promise((resolve) => child.on('close', resolve))
    expect(look(screen, 's1', child.pid)).toEqual({ state: 'ended', question: null, composer: null, from: 'registry' })
  })
})

describe('literal', () => {
  it.each([
    ['hello', 'hello'],
    ['!ls', ' !ls'],
    ['-p', '-p'],
    ['ends \\', 'ends \\ '],
    ['a\r\nb\rc', 'a\nb\nc'],
    ['/etc/hosts is wrong', '/etc/hosts is wrong'],
    ['//x', '//x'],
    ['exit the loop', 'exit the loop'],
  ])('%j', (prompt, text) => {
    expect(pane.literal(prompt)).toBe(text)
  })

  it.each(['/status', ' /clear x', '\n/a', '/', 'exit', ' Quit\n', ':q', ':wq!', '', ' \n'])('%j is refused', (prompt) => {
    expect(() => pane.literal(prompt)).toThrow(expect.objectContaining({ code: 'usage' }))
  })
})

it('carries settings as flags of one word each', () => {
  const settings = { model: '-x y', mcpConfig: '/a b.json', policy: 'allow_list', allow: ['Bash(ls:*)', 'Read'] } as const
  expect(pane.settingFlags?.(settings)).toEqual([
    '--model=-x y',
    '--mcp-config=/a b.json',
    '--permission-mode=dontAsk',
    '--allowedTools=Bash(ls:*)',
    '--allowedTools=Read',
  ])
  expect(pane.settingFlags?.({ model: null, mcpConfig: null, policy: 'own', allow: [] })).toEqual([])
  expect(pane.settingFlags?.({ model: null, mcpConfig: null, policy: 'ask', allow: [] })).toEqual(['--permission-mode=default'])
})
