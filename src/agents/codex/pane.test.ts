import { spawn } from 'node:child_process'
import { mkdirSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { AgentEnv } from '../agent-env.ts'
import { useHomes } from './home.testkit.ts'
import { pane } from './pane.ts'
import { codexHome } from './rollout-files.ts'

const newHome = useHomes()
const sessionId = '01a1dfc2-a1f2-77c1-9103-7e276dd947ea'
const now = Date.parse('2026-11-15T16:00:00Z')
const idle = ['› Ask Codex to do anything', '', '  GPT-5.5 default · /w', '']

function see(
  env: AgentEnv,
  pane_: { screen?: readonly string[]; title?: string; pid?: number | null; sessionId?: string | null },
) {
  return pane.look(env, { pid: process.pid, sessionId: null, screen: idle, title: 'codex | work', ...pane_ })
}

/** A rollout whose last turn is open or closed, written so long ago. */
function withTurn(event: string, agoMs: number): AgentEnv {
  const env = { ...newHome(), now: () => now }
  const folder = join(codexHome(env), 'sessions', '2026', '11', '15')
  mkdirSync(folder, { recursive: true })
  const path = join(folder, `rollout-2026-11-15T15-00-00-${sessionId}.jsonl`)
  writeFileSync(path, `{"timestamp":"x","type":"event_msg","payload":{"type":"${event}","turn_id":"t"}}\n`)
  utimesSync(path, new Date(now - agoMs), new Date(now - agoMs))
  return env
}

describe('look', () => {
  it('goes by title and screen where nothing else is known', () => {
    const env = newHome()
    expect(see(env, {})).toEqual({ state: 'idle', question: null, composer: '', from: 'screen' })
    expect(see(env, { title: '⠧ codex | work' })).toMatchObject({ state: 'busy', composer: '' })
    expect(see(env, { title: '[ . ] Action Required | work' })).toMatchObject({ state: 'waiting', composer: null })
    expect(see(env, { screen: [] })).toMatchObject({ state: 'starting' })
    const early = ['› Ask Codex to do anything', '', '  ? for shortcuts']
    expect(see(env, { screen: early, title: 'host' })).toMatchObject({ state: 'starting' })
    expect(see(env, { screen: idle, title: 'host' })).toMatchObject({ state: 'idle' })
  })

  it("is sure where the thread's own file agrees", () => {
    expect(see(withTurn('task_complete', 0), { sessionId })).toMatchObject({ state: 'idle', from: 'registry' })
    const open = withTurn('task_started', 500)
    expect(see(open, { sessionId })).toMatchObject({ state: 'busy', from: 'registry' })
    expect(see(open, { sessionId, title: '⠧ codex | work' })).toMatchObject({ state: 'busy', from: 'registry' })
    // Left behind by one that was killed.
    expect(see(withTurn('task_started', 60_000), { sessionId })).toMatchObject({ state: 'idle', from: 'screen' })
  })

  it('is starting while nobody holds the lock of the thread', () => {
    const env = withTurn('task_complete', 0)
    const locks = join(codexHome(env), 'thread-writer-locks')
    mkdirSync(locks)
    writeFileSync(join(locks, `${sessionId}.lock`), '')
    const expected = process.platform === 'linux' ? 'starting' : 'idle'
    expect(see(env, { sessionId }).state).toBe(expected)
  })

  it('has ended with its process', async () => {
    const child = spawn(process.execPath, ['-e', ''])
    await new Promise((resolve) => child.once('exit', resolve))
    expect(see(newHome(), { pid: child.pid ?? 0 })).toEqual({ state: 'ended', question: null, composer: null, from: 'registry' })
    const left = ['To continue this session, run:', '  codex resume x']
    expect(see(newHome(), { pid: null, screen: left })).toMatchObject({ state: 'ended' })
  })
})

describe('literal', () => {
  it.each([
    ['plain\r\ntext ', 'plain\ntext'],
    ['/status', ' /status'],
    ['see @file', 'see @file '],
    ['@', '@ '],
    ['/x $y', ' /x $y '],
    ['a@b.c', 'a@b.c'],
    ['not ! at the start', 'not ! at the start'],
  ])('%j', (prompt, typed) => expect(pane.literal(prompt)).toBe(typed))

  it.each(['!ls', ' \n !ls', '', ' \n'])('refuses %j', (prompt) => {
    expect(() => pane.literal(prompt)).toThrow(expect.objectContaining({ code: 'usage' }))
  })
})

describe('settingFlags', () => {
  const flags = pane.settingFlags ?? (() => [])
  const settings = { model: null, mcpConfig: null, policy: 'own', allow: [] } as const

  it('leaves Codex as the person has set it up, unless told', () => {
    expect(flags(settings)).toEqual([])
    expect(flags({ ...settings, model: '-x; y' })).toEqual(['--model=-x; y'])
    expect(flags({ ...settings, policy: 'ask' })).toEqual(['--ask-for-approval=on-request', '--sandbox=read-only'])
    expect(flags({ ...settings, policy: 'accept_edits' })).toEqual(['--ask-for-approval=on-request', '--sandbox=workspace-write'])
    expect(flags({ ...settings, policy: 'deny' })).toEqual(['--ask-for-approval=never', '--sandbox=read-only'])
  })

  it('names MCP servers in one word each', () => {
    const file = join(newHome().home, 'mcp.json')
    writeFileSync(file, JSON.stringify({ mcpServers: { own: { command: 'a "b"', args: ['-x', 'ä\n'], env: { K: '${K}' } } } }))
    expect(flags({ ...settings, mcpConfig: file })).toEqual([
      '--config=mcp_servers.own={"command"="a \\"b\\"","args"=["-x","ä\\n"],"env_vars"=["K"]}',
    ])
  })
})
