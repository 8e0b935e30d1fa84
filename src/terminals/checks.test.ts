import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { exec } from '../lib/exec.ts'
import { checkTerminals } from './checks.ts'
import type { Probe, Terminal } from './terminal.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'offshoot-terms-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const absent: Probe = { installed: false, version: null, inside: false, problem: 'not found' }

/** Only its probe is asked. */
function terminal(probe: Probe): Terminal {
  return { id: 'wezterm', label: 'x', probe: async () => probe } as Partial<Terminal> as Terminal
}

async function rows(
  options: { path?: string; wezterm?: Probe; iterm2?: Probe; platform?: string; term?: string; socket?: string } = {},
) {
  const vars = {
    PATH: options.path ?? '/nowhere',
    TMUX_TMPDIR: folder,
    ...(options.term === undefined ? {} : { TERM_PROGRAM: options.term }),
  }
  const checks = await checkTerminals({
    tmux: { exec, vars, ...(options.socket === undefined ? {} : { socket: options.socket }) },
    wezterm: terminal(options.wezterm ?? absent),
    iterm2: terminal(options.iterm2 ?? absent),
    platform: options.platform ?? 'linux',
    vars,
  })
  return Object.fromEntries(checks.map(({ id, state, message, fix }) => [id, [state, message, fix]]))
}

function fakeTmux(version: string): string {
  const bin = join(folder, 'bin')
  mkdirSync(bin, { recursive: true })
  writeFileSync(
    join(bin, 'tmux'),
    `#!/bin/sh\n[ "$1" = -V ] && { echo "tmux ${version}"; exit 0; }\necho "no server running" >&2; exit 1\n`,
  )
  chmodSync(join(bin, 'tmux'), 0o755)
  return `${bin}:/bin:/usr/bin`
}

describe('tmux', () => {
  test('not to have it is fine', async () => {
    expect((await rows()).tmux).toEqual(['ok', expect.stringContaining('not on PATH'), null])
  })

  test.each([
    ['2.9a', 'warn', /too old/],
    ['3.1', 'warn', /too old/],
    ['3.2', 'warn', /has just ended/],
    ['3.3a', 'warn', /has just ended/],
    ['3.4', 'ok', /^tmux 3\.4$/],
    ['3.10', 'ok', /^tmux 3\.10$/],
    ['next-3.6', 'ok', /next-3\.6/],
    ['master', 'ok', /master/],
    ['openbsd-7.6', 'ok', /openbsd/],
  ])('%s: %s', async (version, state, message) => {
    const { tmux, ...rest } = await rows({ path: fakeTmux(version) })
    expect(tmux?.[0]).toBe(state)
    expect(tmux?.[1]).toMatch(message)
    expect(rest['tmux-escape-time']).toBeUndefined()
  })

  test('a real server that holds Esc back, and one that does not', async () => {
    const socket = join(folder, 's')
    const tmux = (...args: string[]) => execFileSync('tmux', ['-S', socket, '-f', '/dev/null', ...args])
    tmux('new-session', '-d', '-x', '80', '-y', '24', '--', 'env', 'sleep', '60')
    try {
      tmux('set-option', '-s', 'escape-time', '500')
      const path = process.env.PATH ?? ''
      expect((await rows({ path, socket }))['tmux-escape-time']).toEqual([
        'warn',
        expect.stringContaining('500 ms'),
        expect.stringContaining('escape-time 10'),
      ])
      tmux('set-option', '-s', 'escape-time', '10')
      expect((await rows({ path, socket }))['tmux-escape-time']).toBeUndefined()
    } finally {
      tmux('kill-server')
    }
  })
})

test('WezTerm: absent, there, not running, in trouble where one stands', async () => {
  const there: Probe = { installed: true, version: '20240203', inside: false, problem: null }
  expect((await rows()).wezterm?.[0]).toBe('ok')
  expect((await rows({ wezterm: there })).wezterm).toEqual(['ok', 'WezTerm 20240203', null])
  expect((await rows({ wezterm: { ...there, problem: 'does not run' } })).wezterm?.[0]).toBe('ok')
  expect((await rows({ wezterm: { ...there, inside: true, problem: 'no socket' } })).wezterm).toEqual([
    'warn',
    expect.stringContaining('no socket'),
    expect.stringContaining('wezterm cli list'),
  ])
})

test('iTerm2: on a Mac only, and asked only where one stands in it', async () => {
  const denied: Probe = { installed: true, version: null, inside: true, problem: 'Not authorized (-1743)' }
  expect((await rows({ iterm2: denied })).iterm2).toBeUndefined()
  expect((await rows({ platform: 'darwin', iterm2: denied })).iterm2?.[0]).toBe('ok')
  expect((await rows({ platform: 'darwin', term: 'iTerm.app', iterm2: denied })).iterm2).toEqual([
    'warn',
    expect.stringContaining('-1743'),
    expect.stringContaining('Automation'),
  ])
})
