// What only tmux can do wrong, against a real one: foreign and dead panes, modes, other servers, the person's options.
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Exec, exec } from '../../src/lib/exec.ts'
import { createTerminals } from '../../src/terminals/index.ts'
import type { OpenPane, PaneRef, Terminal } from '../../src/terminals/terminal.ts'
import { createTmux } from '../../src/terminals/tmux.ts'
import { removeFolder, until } from '../../src/terminals/until.testkit.ts'
import { endServer, launcher, node, requireTmux, socketIn, tmuxIn } from './lib.ts'

beforeAll(requireTmux)

let root: string
let count = 0
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'offshoot-tmux-')))
})
afterEach(async () => {
  endServer(root)
  await removeFolder(root)
})

const path = process.env.PATH ?? ''
const create = (vars: Record<string, string> = {}, run: Exec = exec): Terminal =>
  createTerminals({
    ...{ exec: run, folder: join(root, 'jobs'), node, launcher },
    vars: { PATH: path, HOME: root, ...vars },
    tmux: { socket: socketIn(root), config: '/dev/null' },
  }).get('tmux')
const open = (terminal: Terminal, pane: Partial<OpenPane> = {}) => {
  count += 1
  return terminal.open({ argv: ['cat'], cwd: root, env: {}, unset: [], title: 'a pane', tag: `tag-${count}`, ...pane })
}
const tmux = (...args: string[]) => tmuxIn(root, ...args)
const paneOf = (target: string) => tmux('display-message', '-p', '-t', target, '#{pane_id}').trim()
const insideOf = (target: string) => {
  const [server, session] = tmux('display-message', '-p', '-t', target, '#{pid} #{session_id}').trim().split(' ')
  return { TMUX: `${socketIn(root)},${server},${session?.slice(1)}`, TMUX_PANE: paneOf(target) }
}
const screenShows = (terminal: Terminal, pane: PaneRef, text: string) =>
  until(`"${text}" on the screen`, async () => (await terminal.read(pane)).lines.some((line) => line.includes(text)))
const isUp = () => tmux('display-message', '-p', '#{pid}').trim() !== ''

describe('a pane that is not ours', () => {
  test('is not touched though it has the id of one of ours from before a restart', async () => {
    const terminal = create()
    const pane = await open(terminal)
    endServer(root)
    await until('the end', async () => (await terminal.status(pane)).state === 'exited')
    tmux('new-session', '-d', '-s', 'theirs', '--', 'cat')
    expect(paneOf('=theirs:')).toBe(pane.id)
    const stale = { ...pane, job: join(root, 'no-job') } // even where nothing tells that ours has ended
    await expect(terminal.paste(stale, 'x')).rejects.toMatchObject({ code: 'pane_gone' })
    await expect(terminal.key(stale, 'enter')).rejects.toMatchObject({ code: 'pane_gone' })
    await expect(terminal.read(stale)).rejects.toMatchObject({ code: 'pane_gone' })
    await expect(terminal.focus(stale)).rejects.toMatchObject({ code: 'pane_gone' })
    await terminal.close(stale)
    expect((await terminal.status(stale)).state).toBe('gone')
    expect(tmux('capture-pane', '-p', '-t', '=theirs:').trim()).toBe('')
    expect(tmux('list-buffers')).toBe('')
  })
  test('is not touched without our tag, nor with another one', async () => {
    const terminal = create()
    const pane = await open(terminal)
    tmux('set-option', '-p', '-t', pane.id, '@offshoot_worker', 'another')
    await expect(terminal.paste(pane, 'x')).rejects.toMatchObject({ code: 'pane_gone' })
    tmux('set-option', '-p', '-t', pane.id, '-u', '@offshoot_worker')
    await expect(terminal.key(pane, 'ctrl-c')).rejects.toMatchObject({ code: 'pane_gone' })
    await terminal.close(pane)
    expect(tmux('list-panes', '-a', '-F', '#{pane_id}').trim()).toBe(pane.id)
  })
})

test('a pane is not taken for closed while its launcher marks it', async () => {
  const real = join(path.split(':').find((folder) => existsSync(join(folder, 'tmux'))) ?? '', 'tmux')
  const bin = join(root, 'bin')
  mkdirSync(bin)
  // What the launcher calls: it marks the pane late, and starts the agent later still.
  writeFileSync(join(bin, 'tmux'), `#!/bin/sh\nsleep 0.9\n'${real}' "$@"\nstatus=$?\nsleep 1\nexit $status\n`, { mode: 0o755 })
  let isHeld = false
  const held: Exec = async (program, args, options) => {
    const result = await exec(program === 'tmux' ? real : program, args, options)
    const id = args[args.indexOf('-t') + 1] ?? ''
    if (isHeld || !args.includes('display-message') || !/^%\d+$/.test(id)) return result
    isHeld = true
    await until('the mark', () => tmux('show-options', '-pqv', '-t', id, '@offshoot_worker').trim() !== '')
    return result // as it was before
  }
  const terminal = create({ PATH: `${bin}:${path}` }, held)
  expect((await terminal.status(await open(terminal))).state).toBe('running')
  expect(isHeld).toBe(true)
})

describe('a dead pane', () => {
  test('is kept when the agent failed, can be read, and does not take the server down with it', async () => {
    const terminal = create()
    const pane = await open(terminal, { argv: ['sh', '-c', 'echo what went wrong; exit 3'] })
    tmux('new-session', '-d', '-s', 'theirs', '--', 'cat')
    await until('the dead pane', () => tmux('display-message', '-p', '-t', pane.id, '#{pane_dead}').trim() === '1')
    expect((await terminal.read(pane)).lines.join()).toContain('what went wrong')
    await expect(terminal.paste(pane, 'x')).rejects.toMatchObject({ code: 'worker_ended' })
    // Also where our own notes do not say so: tmux 3.3a dies of such a paste.
    const unknown = { ...pane, job: join(root, 'no-job') }
    await expect(terminal.paste(unknown, 'x')).rejects.toMatchObject({ code: 'worker_ended' })
    await expect(terminal.key(unknown, 'enter')).rejects.toMatchObject({ code: 'worker_ended' })
    expect(await terminal.status(unknown)).toMatchObject({ state: 'exited', exitStatus: 3 })
    expect(isUp()).toBe(true)
    expect(tmux('list-buffers')).toBe('')
    await terminal.close(pane)
    expect(tmux('list-panes', '-a', '-F', '#{session_name}').trim()).toBe('theirs')
  })
  test('closes by itself when the agent ended well', async () => {
    tmux('new-session', '-d', '-s', 'theirs', '--', 'cat')
    const terminal = create()
    const pane = await open(terminal, { argv: ['true'] })
    await until('the pane to close', () => !tmux('list-panes', '-a', '-F', '#{pane_id}').split('\n').includes(pane.id))
    expect(await terminal.status(pane)).toMatchObject({ state: 'exited', exitStatus: 0 })
  })
  test('and its server may be gone the moment it is closed', async () => {
    const endsFirst: Exec = async (program, args, options) => {
      if (args.some((word) => word.includes('kill-pane'))) endServer(root)
      return exec(program, args, options)
    }
    const terminal = create({}, endsFirst)
    const pane = await open(terminal)
    await terminal.close(pane)
    expect((await terminal.status(pane)).state).toBe('exited')
  })
  test('goes when five newer ones are there, but only one of this home', async () => {
    const terminal = create()
    tmux('new-session', '-d', '-s', 'theirs', '--', 'cat')
    tmux('set-option', '-p', '-t', '=theirs:', 'remain-on-exit', 'on')
    tmux('set-option', '-p', '-t', '=theirs:', '@offshoot_worker', 'of-another-home')
    tmux('send-keys', '-t', '=theirs:', 'C-d')
    const panes: PaneRef[] = []
    for (let made = 0; made < 7; made += 1) {
      const pane = await open(terminal, { argv: ['false'] })
      await until('the dead pane', () => tmux('display-message', '-p', '-t', pane.id, '#{pane_dead}').trim() === '1')
      panes.push(pane)
    }
    await open(terminal)
    const left = tmux('list-panes', '-a', '-F', '#{pane_dead} #{pane_id}').trim().split('\n').sort()
    expect(left.filter((line) => line.startsWith('1'))).toEqual(['1 %0', ...panes.slice(-5).map(({ id }) => `1 ${id}`)].sort())
  })
  test('tells what killed the launcher itself', async () => {
    const terminal = create()
    const pane = await open(terminal)
    const { launcherPid } = JSON.parse(readFileSync(join(pane.job, 'started.json'), 'utf8'))
    process.kill(launcherPid, 'SIGKILL')
    const status = await until('the end', async () =>
      [await terminal.status(pane)].find(({ state, signal }) => state === 'exited' && signal),
    )
    expect(status).toMatchObject({ exitStatus: null, signal: 'SIGKILL' })
  })
  test('of a server that was killed is known too: its agent is told to hang up', async () => {
    const terminal = create()
    const pane = await open(terminal, { argv: ['sleep', '600'] })
    process.kill(pane.serverPid ?? 0, 'SIGKILL')
    const status = await until('the end', async () => [await terminal.status(pane)].find(({ state }) => state === 'exited'))
    expect(status.signal).toBe('SIGHUP')
    const again = await open(terminal) // a stale socket is no hindrance
    expect((await terminal.status(again)).state).toBe('running')
  })
})

describe('input', () => {
  test('leaves copy mode first', async () => {
    const terminal = create()
    const pane = await open(terminal)
    tmux('copy-mode', '-t', pane.id)
    expect((await terminal.status(pane)).inputBlocked).toBe(false)
    await terminal.key(pane, 'enter')
    tmux('copy-mode', '-t', pane.id)
    await terminal.paste(pane, 'through')
    await screenShows(terminal, pane, 'through')
    expect(tmux('display-message', '-p', '-t', pane.id, '#{pane_in_mode}').trim()).toBe('0')
  })
  test('is refused where it is switched off, or would reach other panes', async () => {
    const terminal = create()
    const pane = await open(terminal)
    tmux('select-pane', '-d', '-t', pane.id)
    expect((await terminal.status(pane)).inputBlocked).toBe(true)
    await expect(terminal.paste(pane, 'x')).rejects.toMatchObject({
      code: 'refused',
      hint: expect.stringMatching(/select-pane -e/),
    })
    tmux('select-pane', '-e', '-t', pane.id)
    tmux('set-option', '-w', '-t', pane.id, 'synchronize-panes', 'on')
    expect((await terminal.status(pane)).inputBlocked).toBe(true)
    await expect(terminal.key(pane, 'enter')).rejects.toMatchObject({
      code: 'refused',
      hint: expect.stringMatching(/synchronize/),
    })
    expect(tmux('list-buffers')).toBe('')
  })
})

describe('where it opens', () => {
  test('outside: in a session of its own, and the command to attach', async () => {
    const terminal = create()
    const pane = await open(terminal, { title: '=x:y.z #(touch y) $1', cwd: root })
    const told = tmux(
      'display-message',
      '-p',
      '-t',
      pane.id,
      '#{session_name}|#{window_name}|#{session_path}|#{window_width}',
    ).trim()
    expect(told).toBe(`offshoot-x-y-z-touch-y-1-${pane.tag}|=x:y.z #(touch y) $1|${root}|200`)
    const command = ['tmux', '-S', socketIn(root), 'attach-session', '-t', `=offshoot-x-y-z-touch-y-1-${pane.tag}`]
    expect(await terminal.focus(pane)).toEqual({ shown: false, command })
    const nested = create({ TMUX: '/elsewhere/tmux,1,0', TMUX_PANE: '%0' })
    expect(await nested.focus(pane)).toEqual({ shown: false, command: ['env', '-u', 'TMUX', ...command] })
    expect((await nested.probe()).inside).toBe(false)
  })
  test('inside: in a window or a split of that session, without changing what is looked at', async () => {
    tmux('new-session', '-d', '-s', 'mine', '--', 'cat')
    const terminal = create(insideOf('=mine:'))
    expect((await terminal.probe()).inside).toBe(true)
    const first = await open(terminal)
    const second = await open(terminal, { where: 'split' })
    const third = await open(terminal, { where: 'session' })
    const sessionOf = (pane: PaneRef) =>
      tmux('display-message', '-p', '-t', pane.id, '#{session_name} #{window_index} #{window_panes}').trim()
    expect([sessionOf(first), sessionOf(second)]).toEqual(['mine 1 1', 'mine 0 2'])
    expect(sessionOf(third)).toBe(`offshoot-a-pane-${third.tag} 0 1`)
    expect(tmux('display-message', '-p', '-t', '=mine:', '#{window_index} #{pane_id}').trim()).toBe('0 %0')
    // Nothing was done to the person's own pane.
    expect(tmux('show-options', '-p', '-t', '%0')).toBe('')
  })
  test('inside, with somebody looking: they are switched there', async () => {
    tmux('new-session', '-d', '-s', 'mine', '--', 'cat')
    // A pane of another tmux is the terminal they look at it through.
    const outer = join(root, 'outer')
    mkdirSync(outer)
    const attach = ['env', '-u', 'TMUX', 'tmux', '-u', '-S', socketIn(root), 'attach-session', '-t', '=mine']
    tmuxIn(outer, 'new-session', '-d', '-s', 'around', '--', ...attach)
    try {
      await until('the client', () => tmux('list-clients', '-F', '#{client_name}') !== '')
      const terminal = create(insideOf('=mine:'))
      const pane = await open(terminal, { where: 'session' })
      expect(await terminal.focus(pane)).toEqual({ shown: true, command: null })
      expect(tmux('list-clients', '-F', '#{session_name}').trim()).toBe(`offshoot-a-pane-${pane.tag}`)
    } finally {
      endServer(outer)
    }
  })
  test('in a session of its own where the pane we stood in is gone', async () => {
    tmux('new-session', '-d', '-s', 'mine', '--', 'cat')
    const pane = await open(create({ ...insideOf('=mine:'), TMUX_PANE: '%77' }))
    expect(tmux('display-message', '-p', '-t', pane.id, '#{session_name}')).toMatch(/^offshoot-/)
  })
  test("on tmux' own default server, of this TMUX_TMPDIR, when none is named", async () => {
    const vars = { PATH: path, HOME: root, TMUX_TMPDIR: root }
    const terminal = createTmux({ exec, vars, folder: join(root, 'jobs'), node, launcher, config: '/dev/null' })
    const pane = await open(terminal)
    try {
      expect(pane.server).toBe(join(root, `tmux-${process.getuid?.()}`, 'default'))
      expect((await terminal.status(pane)).state).toBe('running')
    } finally {
      await terminal.close(pane)
    }
  })
})

test("no option of the person's server or sessions is changed, and no variable of ours stays there", async () => {
  tmux('new-session', '-d', '-s', 'mine', '--', 'cat')
  const options = () =>
    ['-s', '-g', '-gw'].map((scope) => tmux('show-options', scope)).join('\n') + tmux('show-options', '-t', '=mine:')
  const before = options()
  const terminal = create({ ...insideOf('=mine:'), SECRET: 'sesame' })
  const pane = await open(terminal, { env: { KEY: 'sesame' } })
  await terminal.paste(pane, 'x')
  await terminal.close(pane)
  expect(options()).toBe(before)
  expect(tmux('show-environment', '-g') + tmux('show-environment', '-t', '=mine:')).not.toContain('sesame')
})

test('a server that we start does not inherit what the agent must not', async () => {
  const terminal = create({ CLAUDECODE: '1', OFFSHOOT_INTERNAL: '1', LANG: 'C.UTF-8' })
  await open(terminal, { unset: ['CLAUDECODE'] })
  const names = tmux('show-environment', '-g')
    .split('\n')
    .map((line) => line.split('=')[0])
  expect(names).toContain('LANG')
  expect(names).not.toContain('CLAUDECODE')
  expect(names).not.toContain('OFFSHOOT_INTERNAL')
})

describe('a tmux that cannot be used', () => {
  const fake = (script: string) => {
    const bin = join(root, 'bin')
    mkdirSync(bin)
    writeFileSync(join(bin, 'tmux'), `#!/bin/sh\n${script}\n`, { mode: 0o755 })
    return createTmux({ exec, vars: { PATH: `${bin}:${path}` }, folder: join(root, 'jobs'), node, launcher })
  }
  test('is too old', async () => {
    const terminal = fake('echo tmux 3.1c')
    expect(await terminal.probe()).toMatchObject({ installed: true, version: '3.1c', problem: expect.stringMatching(/too old/) })
    await expect(open(terminal)).rejects.toMatchObject({ code: 'terminal_unavailable', message: expect.stringMatching(/3\.2/) })
  })
  test.each(['3.2', '3.3a', 'next-3.6', 'master', 'openbsd-7.6'])('is not this one: %s', async (version) => {
    expect(await fake(`echo tmux ${version}`).probe()).toMatchObject({ version, problem: null })
  })
  test('is not installed', async () => {
    const terminal = createTmux({ exec, vars: { PATH: '/nowhere' }, folder: join(root, 'jobs'), node, launcher })
    expect(await terminal.probe()).toMatchObject({ installed: false, problem: expect.stringMatching(/not installed/) })
  })
  test('has a socket whose path is too long', async () => {
    const socket = join(root, 'x'.repeat(120))
    const terminal = createTmux({ exec, vars: { PATH: path }, socket, folder: join(root, 'jobs'), node, launcher })
    await expect(open(terminal)).rejects.toMatchObject({
      code: 'terminal_unavailable',
      message: expect.stringMatching(/too long/),
    })
    expect(readdirSync(join(root, 'jobs'))).toEqual([])
  })
})

describe('in a systemd service', () => {
  const inService = (bin: string) => {
    const [cgroup, booted] = [join(root, 'cgroup'), join(root, 'booted')]
    writeFileSync(cgroup, '0::/user.slice/user-1000.slice/user@1000.service/app.slice/offshoot.service\n')
    mkdirSync(booted)
    const vars = { PATH: bin, HOME: root }
    const options = { exec, vars, socket: socketIn(root), config: '/dev/null', folder: join(root, 'jobs'), node, launcher }
    return createTmux({ ...options, serviceFiles: { cgroup, booted } })
  }
  const bin = (script: string) => {
    mkdirSync(join(root, 'bin'))
    writeFileSync(join(root, 'bin', 'systemd-run'), `#!/bin/sh\n${script}\n`, { mode: 0o755 })
    return `${join(root, 'bin')}:${path}`
  }
  test('a server is started in a scope of its own, panes on one that runs are not', async () => {
    const terminal = inService(bin(`echo "$@" >> '${root}/ran'\nwhile [ "$1" != -- ]; do shift; done; shift; exec "$@"`))
    const pane = await open(terminal)
    expect((await terminal.status(pane)).state).toBe('running')
    const ran = readFileSync(join(root, 'ran'), 'utf8')
    expect(ran).toMatch(/^--user --scope --quiet --collect -- tmux -u /)
    await open(terminal)
    expect(readFileSync(join(root, 'ran'), 'utf8')).toBe(ran)
  })
  test('and says what to do where there can be none', async () => {
    const terminal = inService(bin('echo "Failed to connect to bus: No medium found" >&2; exit 1'))
    await expect(open(terminal)).rejects.toMatchObject({
      code: 'terminal_unavailable',
      message: expect.stringMatching(/would end with it \(Failed to connect to bus/),
      hint: expect.stringMatching(/tmux new-session -d/),
    })
    expect(existsSync(socketIn(root))).toBe(false)
  })
})

describe('looking at many panes', () => {
  test('takes one call for all of them; a mark changes with what is written, and only that one', async () => {
    const calls: string[][] = []
    const counting: typeof exec = (program, args, options) => {
      calls.push([program, ...args])
      return exec(program, args, options)
    }
    const vars = { PATH: path, HOME: root }
    const place = { folder: join(root, 'jobs'), node, launcher, socket: socketIn(root), config: '/dev/null' }
    const terminal = createTmux({ exec: counting, vars, ...place })
    const panes = [await open(terminal), await open(terminal), await open(terminal, { argv: ['sleep', '600'] })]
    const [first, second] = panes as [PaneRef, PaneRef]
    const glance = async () => (await terminal.glance?.(panes)) ?? new Map()
    calls.length = 0
    const before = await glance()
    expect(calls).toHaveLength(1)
    expect([...before.keys()]).toEqual(panes.map(({ tag }) => tag))
    for (const { status } of before.values()) expect(status).toMatchObject({ state: 'running', pid: expect.any(Number) })
    calls.length = 0
    expect(await terminal.view?.(first)).toMatchObject({ status: { state: 'running' }, screen: { lines: expect.any(Array) } })
    expect(calls).toHaveLength(1)

    await until('the second to pass', async () => Math.floor(Date.now() / 1000) > Number(before.get(first.tag)?.mark) + 1)
    await terminal.paste(first, 'something new')
    await until('another mark', async () => (await glance()).get(first.tag)?.mark !== before.get(first.tag)?.mark)
    expect((await glance()).get(second.tag)?.mark).toBe(before.get(second.tag)?.mark)
    expect((await terminal.view?.(first))?.screen?.lines.join()).toContain('something new')

    await terminal.close(first)
    const after = await glance()
    expect(after.get(first.tag)?.status.state).toBe('exited')
    expect(after.get(second.tag)?.status.state).toBe('running')
    expect(await terminal.view?.(first)).toMatchObject({ status: { state: 'exited' }, screen: null })
    endServer(root)
    await until('the end', async () => [...(await glance()).values()].every(({ status }) => status.state !== 'running'))
  })

  test('a server that does not answer ends no pane', async () => {
    const terminal = create()
    const pane = await open(terminal)
    const silent: typeof exec = async () => ({ stdout: '', stderr: '', exitCode: null, missing: false, timedOut: true }) as never
    const place = { folder: join(root, 'jobs'), node, launcher, socket: socketIn(root), config: '/dev/null' }
    const deaf = createTmux({ exec: silent, vars: { PATH: path }, ...place })
    for (const ask of [deaf.status(pane), deaf.view?.(pane), deaf.glance?.([pane])]) {
      await expect(ask).rejects.toMatchObject({ code: 'timed_out' })
    }
    expect((await terminal.status(pane)).state).toBe('running')
  })
})
