// WezTerm by its documented command line: a strict stand-in whose panes really run.
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { exec } from '../../src/lib/exec.ts'
import { createTerminals } from '../../src/terminals/index.ts'
import type { OpenPane, PaneRef, Terminal } from '../../src/terminals/terminal.ts'
import { removeFolder } from '../../src/terminals/until.testkit.ts'
import { endServer, launcher, node, requireTmux } from './lib.ts'
import { runStandInConformance } from './stand-in-conformance.ts'
import { createStandIn, type StandIn } from './stand-ins.ts'

beforeAll(requireTmux)

const path = process.env.PATH ?? ''

describe('as every terminal', () => runStandInConformance('wezterm', 'wezterm'))

describe('of its own', () => {
  let root: string
  let standIn: StandIn
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'offshoot-wezterm-'))
    standIn = createStandIn(root, 'wezterm')
    roots.push(root)
  })
  const roots: string[] = []
  afterAll(async () => {
    for (const folder of roots) {
      endServer(folder)
      await removeFolder(folder)
    }
  })

  const create = (vars: Record<string, string> = {}): Terminal => {
    const all = { PATH: `${standIn.bin}:${path}`, HOME: root, ...vars }
    return createTerminals({ exec, vars: all, folder: join(root, 'jobs'), node, launcher }).get('wezterm')
  }
  let count = 0
  const open = (terminal: Terminal, pane: Partial<OpenPane> = {}) => {
    count += 1
    return terminal.open({ argv: ['cat'], cwd: root, env: {}, unset: [], title: '-t; #(x)', tag: `t${count}`, ...pane })
  }
  const verbs = () => (standIn.calls() as string[][]).map((call) => call.slice(2))

  it('opens a tab beside ours, a window or a split', async () => {
    const terminal = create({ WEZTERM_PANE: '7' })
    const job = join(root, 'jobs')
    const first = await open(terminal)
    expect(verbs()).toContainEqual(['spawn', '--pane-id', '7', '--cwd', root, '--', node, launcher, join(job, first.tag)])
    const second = await open(terminal, { where: 'session' })
    expect(verbs()).toContainEqual(['spawn', '--new-window', '--cwd', root, '--', node, launcher, join(job, second.tag)])
    const third = await open(terminal, { where: 'split' })
    expect(verbs()).toContainEqual(['split-pane', '--pane-id', '7', '--cwd', root, '--', node, launcher, join(job, third.tag)])
    expect(standIn.told('title')).toBe('-t; #(x)')
    expect(first.server).toBe(join(root, 'gui-sock'))
    expect(standIn.violations()).toBe('')
  })

  it('goes on without the socket of a window that is closed', async () => {
    const terminal = create({ WEZTERM_UNIX_SOCKET: join(root, 'stale') })
    expect((await terminal.probe()).problem).toBeNull()
    const pane = await open(terminal)
    expect(pane.server).toBe(join(root, 'gui-sock'))
    expect((await terminal.status(pane)).state).toBe('running')
  })

  it('leaves a pane alone that has the same id in another window', async () => {
    const terminal = create()
    const pane = await open(terminal)
    standIn.tell('other-tty', '/dev/pts/9999')
    expect((await terminal.status(pane)).state).toBe('gone')
    await expect(terminal.paste(pane, 'x')).rejects.toMatchObject({ code: 'pane_gone' })
    await expect(terminal.key(pane, 'enter')).rejects.toMatchObject({ code: 'pane_gone' })
    await terminal.close(pane)
    expect(verbs().some(([verb]) => verb === 'kill-pane' || verb === 'send-text')).toBe(false)
    standIn.tell('other-tty', null)
    await terminal.close(pane)
  })

  it('takes panes of a window that was closed for gone', async () => {
    const terminal = create()
    const pane: PaneRef = { ...(await open(terminal)), server: join(root, 'closed') }
    expect((await terminal.status(pane)).state).toBe('gone')
    await expect(terminal.paste(pane, 'x')).rejects.toMatchObject({ code: 'pane_gone' })
  })

  it('says whether the pane is seen', async () => {
    const terminal = create()
    const pane = await open(terminal)
    expect(await terminal.focus(pane)).toEqual({ shown: true, command: null })
    expect(standIn.told('focused')).toBe(pane.id)
  })

  const texts: [string, string, RegExp][] = [
    ['failed to connect to Socket("/x"): connecting to /x', 'terminal_unavailable', /No WezTerm is running/],
    [
      'no default unix domain is configured and WEZTERM_UNIX_SOCKET is not set in the environment',
      'terminal_unavailable',
      /No WezTerm is running/,
    ],
    ['Please install the same version of wezterm on both the client and server!', 'terminal_unavailable', /another version/],
    ['--pane-id was not specified and $WEZTERM_PANE is not set in the environment', 'terminal_unavailable', /no window/],
    ["Unable to spawn x because it doesn't exist on the filesystem and was not found in PATH", 'tool_missing', /Unable to spawn/],
    ['something new', 'failed', /^wezterm refused: something new$/],
  ]
  it.each(texts)('explains "%s"', async (words, code, message) => {
    const terminal = create()
    standIn.say(`10:11:12.345  ERROR  wezterm > ${words}; terminating`)
    await expect(open(terminal, { tag: 'refused' })).rejects.toMatchObject({ code, message: expect.stringMatching(message) })
    expect((await terminal.probe()).problem).toMatch(message)
    standIn.say(null)
    const pane = await open(terminal, { tag: 'refused' }) // nothing was left behind
    await terminal.close(pane)
  })

  it('says that it is not installed', async () => {
    const vars = { PATH: '/nowhere', HOME: root }
    const terminal = createTerminals({ exec, vars, folder: join(root, 'jobs'), node, launcher }).get('wezterm')
    expect(await terminal.probe()).toMatchObject({ installed: false, version: null, problem: expect.stringMatching(/not found/) })
  })
})
