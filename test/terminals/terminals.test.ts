// Which terminal is used, and the one that is none: a command for the person to run.
import { execFileSync, spawn } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { exec } from '../../src/lib/exec.ts'
import { createTerminals } from '../../src/terminals/index.ts'
import { removeFolder, until } from '../../src/terminals/until.testkit.ts'
import { launcher, node } from './lib.ts'

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'offshoot-terminals-'))
})
afterEach(() => removeFolder(root))

const create = (vars: Record<string, string> = {}) =>
  createTerminals({
    exec,
    vars: { PATH: process.env.PATH ?? '', HOME: root, ...vars },
    folder: join(root, 'jobs'),
    node,
    launcher,
  })

describe('choosing', () => {
  /** A PATH on which only these programs are. */
  function only(programs: Record<string, string>): string {
    const bin = join(root, 'bin')
    mkdirSync(bin)
    for (const [name, script] of Object.entries(programs))
      writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 })
    return bin
  }
  const chosen = async (vars: Record<string, string>) => (await create(vars).choose()).id

  test('takes the one we are in; tmux first, since it keeps the words of the one around it', async () => {
    expect(await chosen({ TMUX: '/s,1,0', WEZTERM_PANE: '1', ITERM_SESSION_ID: 'w0t0p0:X' })).toBe('tmux')
    expect(await chosen({ WEZTERM_PANE: '1' })).toBe('wezterm')
    expect(await chosen({ ITERM_SESSION_ID: 'w0t0p0:X', TERM_PROGRAM: 'iTerm.app' })).toBe('iterm2')
  })
  test('takes tmux elsewhere, and print where there is none', async () => {
    expect(await chosen({ ITERM_SESSION_ID: 'stale', TERM_PROGRAM: 'vscode', PATH: only({ tmux: 'echo tmux 3.4' }) })).toBe(
      'tmux',
    )
    expect(await chosen({ PATH: '/nowhere' })).toBe('print')
  })
  test('takes the one that is named, or says why it cannot', async () => {
    const terminals = create({ PATH: '/nowhere', WEZTERM_PANE: '1' })
    expect((await terminals.choose('print')).id).toBe('print')
    for (const id of ['tmux', 'wezterm', 'iterm2'] as const) {
      await expect(terminals.choose(id)).rejects.toMatchObject({ code: 'terminal_unavailable' })
    }
    expect(terminals.list().map(({ id }) => id)).toEqual(['tmux', 'wezterm', 'iterm2', 'print'])
  })
})

describe('print', () => {
  const pane = (argv: string[]) => ({ argv, cwd: root, env: { WORD: "it's" }, unset: [], title: 'x', tag: 'one' })

  test('gives a command, and knows what became of it', async () => {
    const terminals = create()
    const print = terminals.get('print')
    const ref = await print.open(pane(['sh', '-c', 'read x; echo "$WORD $x"; exit 4']))
    expect(await print.status(ref)).toMatchObject({ state: 'running', pid: null, inputBlocked: true })
    const { shown, command } = await print.focus(ref)
    expect([shown, command]).toEqual([false, [node, launcher, ref.job]])
    const child = spawn(node, [launcher, ref.job], { stdio: ['pipe', 'pipe', 'inherit'] })
    const said = new Promise<string>((done) => child.stdout.setEncoding('utf8').once('data', done))
    await until('the start', async () => (await print.status(ref)).pid)
    expect(await print.focus(ref)).toEqual({ shown: false, command: null })
    child.stdin.end('hello\n')
    expect(await said).toBe("it's hello\n")
    await until('the end', async () => (await print.status(ref)).exitStatus === 4)
    await print.close(ref)
    await terminals.forget(ref)
    expect(existsSync(ref.job)).toBe(false)
  })
  test('does not reach into the terminal of a person', async () => {
    const print = create().get('print')
    const ref = await print.open(pane(['true']))
    for (const act of [() => print.paste(ref, 'x'), () => print.key(ref, 'enter'), () => print.read(ref)]) {
      await expect(act()).rejects.toMatchObject({ code: 'refused' })
    }
    await expect(print.open(pane(['true']))).rejects.toMatchObject({ code: 'file_exists' })
  })
  test('takes one whose launcher was killed for gone', async () => {
    const print = create().get('print')
    const ref = await print.open(pane(['sleep', '600']))
    const child = spawn(node, [launcher, ref.job], { stdio: 'ignore' })
    const pid = await until('the start', async () => (await print.status(ref)).pid)
    const ended = new Promise((done) => child.on('exit', done))
    child.kill('SIGKILL')
    await ended
    process.kill(pid, 'SIGKILL')
    await until('the end', async () => (await print.status(ref)).state === 'gone')
  })
})

test('a program that may not be run is none', async () => {
  const program = join(root, 'program')
  writeFileSync(program, '#!/bin/sh\n')
  chmodSync(program, 0o644)
  const open = (argv: string[]) => create().get('print').open({ argv, cwd: root, env: {}, unset: [], title: 'x', tag: 'one' })
  await expect(open([program])).rejects.toMatchObject({ code: 'tool_missing' })
  execFileSync('chmod', ['755', program])
  expect((await open(['./program'])).id).toBe('one')
})
