import { describe, expect, it } from 'vitest'
import { innerCommand } from './headless-items.ts'
import { TurnReader } from './headless-turn.ts'

const command = (status: string, more = {}) => {
  return { type: 'commandExecution', id: 'c1', command: "/bin/bash -lc 'ls -l'", cwd: '/w', status, ...more }
}

describe('TurnReader', () => {
  it('prefers all that a command said to what was streamed of it, and keeps that where the rest is missing', () => {
    for (const [aggregatedOutput, output] of [
      ['one\ntwo\n', 'one\ntwo\n'],
      [null, 'two\n'],
    ]) {
      const reader = new TurnReader('t')
      expect(reader.read('item/started', { item: command('inProgress') })).toEqual([
        { kind: 'tool_call', callId: 'c1', tool: 'exec_command', arguments: { command: 'ls -l', cwd: '/w' } },
      ])
      reader.read('item/commandExecution/outputDelta', { itemId: 'c1', delta: 'two\n' })
      const item = command('completed', { aggregatedOutput, exitCode: 0 })
      expect(reader.read('item/completed', { item })).toEqual([
        { kind: 'tool_result', callId: 'c1', output, exitCode: 0, failed: false },
      ])
      expect(reader.openCalls.size).toBe(0)
    }
  })

  it('tells of a call that only its end told of, and closes those a cut off turn left open', () => {
    const reader = new TurnReader('t')
    const item = {
      type: 'mcpToolCall',
      id: 'm',
      server: 's',
      tool: 'x',
      arguments: { a: 1 },
      status: 'failed',
      error: { message: 'no' },
    }
    expect(reader.read('item/completed', { item }).map(({ kind }) => kind)).toEqual(['tool_call', 'tool_result'])
    reader.read('item/started', { item: command('inProgress') })
    expect(reader.cutOffEvents()).toEqual([{ kind: 'tool_result', callId: 'c1', output: '', exitCode: null, failed: true }])
    expect(reader.cutOffEvents()).toEqual([])
  })

  it('gives thoughts once, streamed or whole', () => {
    const reader = new TurnReader('t')
    const done = (id: string) =>
      reader.read('item/completed', { item: { type: 'reasoning', id, summary: ['a', 'b'], content: [] } })
    expect(done('r1')).toEqual([{ kind: 'thinking', delta: 'a\n\nb' }])
    reader.read('item/reasoning/summaryTextDelta', { itemId: 'r2', delta: 'a' })
    expect(done('r2')).toEqual([])
  })

  it('adds up the answers of a turn, each report once', () => {
    const reader = new TurnReader('t')
    expect(reader.usageEvents()).toEqual([])
    const last = { inputTokens: 10, cachedInputTokens: 4, outputTokens: 2 }
    for (const totalTokens of [112, 112, 124]) {
      reader.read('thread/tokenUsage/updated', { tokenUsage: { last, total: { totalTokens } } })
    }
    const usage = { inputTokens: 20, cachedInputTokens: 8, outputTokens: 4 }
    expect(reader.usageEvents()).toEqual([{ kind: 'usage', usage }])
  })

  it('tells of faults that are tried again, and keeps the one that is not', () => {
    const reader = new TurnReader('t')
    expect(reader.read('error', { error: { message: 'once more' }, willRetry: true })).toEqual([
      { kind: 'notice', text: 'once more' },
    ])
    expect([reader.read('error', { error: { message: 'over' }, willRetry: false }), reader.fault]).toEqual([[], 'over'])
    const failed = { threadId: 'x', name: 'web', status: 'failed', error: 'refused' }
    expect(reader.read('mcpServer/startupStatus/updated', failed)).toHaveLength(1)
    for (const params of [{}, { item: 7 }, { item: { type: 'userMessage', id: 'u' } }, { delta: null }]) {
      for (const method of ['item/started', 'item/completed', 'something/else'])
        expect(() => reader.read(method, params)).not.toThrow()
    }
  })
})

describe('innerCommand', () => {
  it.each([
    ["/bin/bash -lc 'touch made'", 'touch made'],
    [`/usr/bin/zsh -c "it's \\$HOME"`, "it's $HOME"],
    ['bash -lc ls', 'ls'],
    ['git status', 'git status'],
    ["bash script.sh -c 'x'", "bash script.sh -c 'x'"],
    ["bash -lc 'a' ; bash -lc 'b'", "bash -lc 'a' ; bash -lc 'b'"],
    ["sudo bash -lc 'a'", "sudo bash -lc 'a'"],
  ])('%s', (whole, inner) => expect(innerCommand(whole)).toBe(inner))
})
