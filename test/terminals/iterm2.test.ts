// iTerm2 by its documented AppleScript: a strict stand-in for osascript whose sessions really run.
import { mkdirSync, mkdtempSync, readFileSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { exec } from '../../src/lib/exec.ts'
import { createTerminals } from '../../src/terminals/index.ts'
import { iterm2Scripts } from '../../src/terminals/iterm2-scripts.ts'
import type { OpenPane, Terminal } from '../../src/terminals/terminal.ts'
import { removeFolder } from '../../src/terminals/until.testkit.ts'
import { endServer, launcher, node, requireTmux } from './lib.ts'
import { runStandInConformance } from './stand-in-conformance.ts'
import { createStandIn, type StandIn } from './stand-ins.ts'

beforeAll(requireTmux)

const path = process.env.PATH ?? ''

describe('as every terminal', () => runStandInConformance('iterm2', 'osascript'))

describe('of its own', () => {
  let root: string
  let standIn: StandIn
  const roots: string[] = []
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'offshoot-iterm2-'))
    standIn = createStandIn(root, 'osascript')
    roots.push(root)
  })
  afterAll(async () => {
    for (const folder of roots) {
      endServer(folder)
      await removeFolder(folder)
    }
  })

  const create = (folder = join(root, 'jobs'), bin = standIn.bin): Terminal => {
    const vars = { PATH: `${bin}:${path}`, HOME: root, NODE_OPTIONS: '' }
    return createTerminals({ exec, vars, folder, node, launcher }).get('iterm2')
  }
  const open = (terminal: Terminal, pane: Partial<OpenPane> = {}) =>
    terminal.open({ argv: ['cat'], cwd: root, env: { KEY: 'secret' }, unset: [], title: '-t "; \\', tag: 'one', ...pane })
  const calls = () => standIn.calls() as { script: string; values: string[] }[]

  it('opens a tab, a window or a split, with nothing but the path of its script as the command', async () => {
    const terminal = create()
    const scripts = { window: 'openTab', session: 'openWindow', split: 'openSplit' } as const
    for (const where of ['window', 'session', 'split'] as const) {
      const pane = await open(terminal, { where, tag: where })
      const script = join(root, 'jobs', where, 'run')
      expect(calls()).toContainEqual({ script: iterm2Scripts[scripts[where]], values: [script, '=-t "; \\'] })
      expect(statSync(script).mode & 0o777).toBe(0o700)
      expect(readFileSync(script, 'utf8')).toBe(
        `#!/bin/sh\nunset NODE_OPTIONS\nexec '${node}' '${launcher}' '${join(root, 'jobs', where)}'\n`,
      )
      await terminal.close(pane)
    }
    expect(standIn.violations()).toBe('')
  })

  it('quotes a path with blanks, and refuses one that could mean something to iTerm2', async () => {
    mkdirSync(join(root, 'My Files'))
    const blank = create(join(root, 'My Files', 'jobs'))
    const pane = await open(blank)
    expect(calls()[0]?.values[0]).toBe(`"${join(root, 'My Files', 'jobs', 'one', 'run')}"`)
    expect((await blank.status(pane)).state).toBe('running')
    for (const odd of ['$$x$$', 'a"b', 'a\\nb', "it's"]) {
      await expect(open(create(join(root, odd)))).rejects.toMatchObject({ code: 'terminal_unavailable' })
    }
  })

  it('puts the marks of a paste around the text, in pieces that no character is cut by', async () => {
    const terminal = create()
    const pane = await open(terminal)
    await terminal.paste(pane, `x${'🌱'.repeat(20_000)}`)
    const written = calls().filter(({ script }) => script === iterm2Scripts.write)
    const pieces = written.map(({ values: [id, text = ''] }) => {
      expect(id).toBe(pane.id)
      return text.slice(1)
    })
    expect(pieces.length).toBeGreaterThan(2)
    expect(pieces.every((piece) => piece.length <= 16_000 && !piece.includes('\ufffd'))).toBe(true)
    expect(pieces.join('')).toBe(`\u001b[200~x${'🌱'.repeat(20_000)}\u001b[201~`)
  })

  it('has scripts that hold no value: all come as arguments', () => {
    for (const script of Object.values(iterm2Scripts)) {
      expect(
        script.match(/"[^"]*"/g)?.filter((text) => !['"iTerm2"', '"ok"', '"ok "', '"gone"', '"not running"'].includes(text)),
      ).toEqual([])
    }
  })

  it('brings the session before the person', async () => {
    const terminal = create()
    const pane = await open(terminal)
    expect(await terminal.focus(pane)).toEqual({ shown: true, command: null })
    expect(standIn.told('focused')).toMatch(/^%\d+$/)
  })

  it('does not start iTerm2', async () => {
    const terminal = create()
    const pane = await open(terminal)
    standIn.tell('not-running', '')
    expect(await terminal.probe()).toMatchObject({ problem: expect.stringMatching(/not running/) })
    await expect(open(terminal, { tag: 'two' })).rejects.toMatchObject({
      code: 'terminal_unavailable',
      message: 'iTerm2 is not running.',
    })
    expect((await terminal.status(pane)).state).toBe('gone')
    await terminal.close(pane)
  })

  const texts: [string, string, RegExp, RegExp][] = [
    [
      '45:52: execution error: Not authorized to send Apple events to iTerm. (-1743)',
      'terminal_unavailable',
      /does not let offshoot control iTerm2/,
      /Privacy & Security > Automation/,
    ],
    [
      '0:1: execution error: iTerm2 got an error: Application isn’t running. (-600)',
      'terminal_unavailable',
      /not running/,
      /Open it/,
    ],
    ['5:6: syntax error: Expected end of line but found identifier. (-2741)', 'terminal_unavailable', /not installed/, /Install/],
    ['0:1: execution error: something new (-1)', 'failed', /something new/, /doctor/],
  ]
  it.each(texts)('explains "%s"', async (words, code, message, hint) => {
    const terminal = create()
    standIn.say(words)
    await expect(open(terminal)).rejects.toMatchObject({
      code,
      message: expect.stringMatching(message),
      hint: expect.stringMatching(hint),
    })
    expect((await terminal.probe()).problem).toMatch(message)
    standIn.say(null)
    await terminal.close(await open(terminal)) // nothing was left behind
  })

  it('says that it is for macOS where there is no osascript', async () => {
    const vars = { PATH: '/nowhere', HOME: root }
    const terminal = createTerminals({ exec, vars, folder: join(root, 'jobs'), node, launcher }).get('iterm2')
    expect(await terminal.probe()).toMatchObject({ installed: false, problem: expect.stringMatching(/macOS only/) })
  })
})
