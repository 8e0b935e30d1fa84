import { describe, expect, test } from 'vitest'
import type { Exec } from '../lib/exec.ts'
import { createTmuxServer, escapeFormat, escapeWord } from './tmux-server.ts'

describe('words', () => {
  test.each([
    [';', '\\;'],
    ['x;', 'x\\;'],
    ['e\\;', 'e\\\\;'],
    ['a;b', 'a;b'],
    ['x;\n', 'x;\n'],
    ['', ''],
  ])('%j reaches tmux as %j', (word, escaped) => expect(escapeWord(word)).toBe(escaped))
  test('formats are doubled', () => expect(escapeFormat('#(touch x) ##{pid}')).toBe('##(touch x) ####{pid}'))
})

const answer = (stderr: string, rest = {}) => ({ stdout: '', stderr, exitCode: 1, missing: false, timedOut: false, ...rest })

describe('errors', () => {
  const codeOf = async (result: ReturnType<typeof answer>) =>
    createTmuxServer({ exec: async () => result, vars: {} })
      .ask([['x']])
      .catch((error: { code: string }) => error.code)
  test.each([
    ['no server running on /tmp/x', 'pane_gone'],
    ['error connecting to /tmp/x (No such file or directory)', 'pane_gone'],
    ["can't find pane: %9", 'pane_gone'],
    ['server exited unexpectedly', 'pane_gone'],
    ['error connecting to /tmp/x (File name too long)', 'terminal_unavailable'],
    ['command new-session: unknown flag -Q', 'terminal_unavailable'],
    ['unknown command: x', 'terminal_unavailable'],
    ['duplicate session: x', 'failed'],
    ['', 'failed'],
  ])('%s', async (words, code) => expect(await codeOf(answer(words))).toBe(code))
  test('not installed, and not answering', async () => {
    expect(await codeOf(answer('', { missing: true, exitCode: null }))).toBe('terminal_unavailable')
    expect(await codeOf(answer('', { timedOut: true, exitCode: null }))).toBe('timed_out')
  })
})

describe('which server', () => {
  async function flagsOf(vars: Record<string, string>, socket?: string) {
    const calls: { args: readonly string[]; env: object }[] = []
    const exec: Exec = async (_, args, { env }) => {
      calls.push({ args, env })
      return answer('', { exitCode: 0 })
    }
    const server = createTmuxServer({ exec, vars, ...(socket === undefined ? {} : { socket }) })
    await server.ask([['a', 'b;'], ['c']])
    return { server, ...calls[0] }
  }
  test('the one around us, unless told', async () => {
    const vars = { TMUX: '/tmp/a,b/default,123,4', TMUX_PANE: '%5', HOME: '/h' }
    const inside = await flagsOf(vars)
    expect(inside.args).toEqual(['-u', '-S', '/tmp/a,b/default', 'a', 'b\\;', ';', 'c'])
    expect(inside.env).toEqual({ HOME: '/h' })
    expect(inside.server.inside).toEqual({ pane: '%5' })
    const told = await flagsOf(vars, '/tmp/other')
    expect(told.args?.slice(0, 3)).toEqual(['-u', '-S', '/tmp/other'])
    expect([told.server.inside, told.server.nested]).toEqual([null, true])
  })
  test("tmux' own default outside, and where $TMUX is nonsense", async () => {
    for (const vars of [{}, { TMUX: '' }, { TMUX: 'x' }]) {
      const { args, server } = await flagsOf(vars)
      expect(args?.slice(0, 3)).toEqual(['-u', '-L', 'default'])
      expect([server.inside, server.nested]).toEqual([null, false])
    }
  })
})
