import { describe, expect, it } from 'vitest'
import { EventReader, type OutputLine, outcomeOf } from './headless-events.ts'

const own = { parent_tool_use_id: null }
const assistant = (id: string, uuid: string, block: object): OutputLine => ({
  ...own,
  type: 'assistant',
  uuid,
  message: { id, model: 'm', content: [block] },
})
const text = (said: string) => ({ type: 'text', text: said })
const use = (id: string) => ({ type: 'tool_use', id, name: 'Bash', input: { command: 'x' } })
const stop: OutputLine = { ...own, type: 'stream_event', event: { type: 'message_stop' } }

function read(...lines: OutputLine[]) {
  const reader = new EventReader()
  return lines.flatMap((line) => reader.read(line))
}

describe('EventReader', () => {
  it('tells a message whole, under the id of its last line, before its calls', () => {
    expect(
      read(assistant('m1', 'u1', text('a')), assistant('m1', 'u2', use('t1')), assistant('m1', 'u3', use('t2')), stop),
    ).toEqual([
      { kind: 'message', messageId: 'u3', text: 'a' },
      { kind: 'tool_call', callId: 't1', tool: 'Bash', arguments: { command: 'x' } },
      { kind: 'tool_call', callId: 't2', tool: 'Bash', arguments: { command: 'x' } },
    ])
  })

  it('tells it once, though nothing says that it is over', () => {
    const two = read(assistant('m1', 'u1', text('a')), assistant('m2', 'u2', text('b')), { type: 'result' })
    expect(two).toEqual([
      { kind: 'message', messageId: 'u1', text: 'a' },
      { kind: 'message', messageId: 'u2', text: 'b' },
    ])
  })

  it('streams text and thoughts, not those of subagents', () => {
    const delta = (more: object, parent: string | null = null): OutputLine => ({
      type: 'stream_event',
      parent_tool_use_id: parent,
      event: { type: 'content_block_delta', delta: more },
    })
    const lines = [
      delta({ type: 'thinking_delta', thinking: 'hm' }),
      delta({ type: 'text_delta', text: 'a' }),
      delta({ type: 'text_delta', text: 'sub' }, 't1'),
      delta({ type: 'input_json_delta', partial_json: '{' }),
      { ...assistant('m9', 'u9', text('sub')), parent_tool_use_id: 't1' },
    ]
    expect(read(...lines, stop)).toEqual([
      { kind: 'thinking', delta: 'hm' },
      { kind: 'text', delta: 'a' },
    ])
  })

  it('tells results with exit codes where they are known', () => {
    const result = (block: object, more: object = {}): OutputLine => ({
      ...own,
      type: 'user',
      message: { content: [{ type: 'tool_result', tool_use_id: 't1', ...block }] },
      ...more,
    })
    const done = { stdout: 'hi', stderr: '', interrupted: false }
    expect(read(result({ content: 'hi' }, { tool_use_result: done }))).toEqual([
      { kind: 'tool_result', callId: 't1', output: 'hi', exitCode: 0, failed: false },
    ])
    expect(read(result({ content: 'Exit code 3\nno', is_error: true }))).toMatchObject([{ exitCode: 3, failed: true }])
    expect(read(result({ content: [text('a'), text('b')] }))).toMatchObject([{ output: 'a\nb', exitCode: null }])
    const later = { ...done, backgroundTaskId: 'b1' }
    expect(read(result({ content: 'runs' }, { tool_use_result: later }))).toMatchObject([{ exitCode: null }])
    expect(read({ ...own, type: 'user', message: { content: 'a prompt' } })).toEqual([])
  })

  it('does not tell an error of the API as if the model had said it', () => {
    expect(
      read(
        {
          ...assistant('m1', 'u1', text('API Error')),
          message: { id: 'm1', model: '<synthetic>', content: [text('API Error')] },
        },
        stop,
      ),
    ).toEqual([])
  })

  it('notices servers that are not there, and compactions', () => {
    const servers = [{ name: 'a', status: 'failed' }, { name: 'b', status: 'connected' }, 3]
    expect(read({ type: 'system', subtype: 'init', mcp_servers: servers })).toEqual([
      { kind: 'notice', text: 'MCP server a: failed' },
    ])
    expect(read({ type: 'system', subtype: 'compact_boundary' })).toMatchObject([{ kind: 'notice' }])
    expect(read({ type: 'system', subtype: 'whatever' }, { type: 'rate_limit_event' }, {})).toEqual([])
  })
})

describe('outcomeOf', () => {
  it.each([
    [{ subtype: 'success', is_error: false }, 'complete', null],
    [{ subtype: 'success', is_error: true, result: 'API Error: 400 x' }, 'failed', 'API Error: 400 x'],
    [{ subtype: 'error_during_execution', is_error: true, terminal_reason: 'aborted_tools' }, 'interrupted', null],
    [{ subtype: 'error_during_execution', is_error: true, errors: ['[ede_diagnostic] x', 'No session'] }, 'failed', 'No session'],
    [{ subtype: 'error_max_turns', is_error: true }, 'failed', 'Claude Code ended the turn: error_max_turns'],
    [{}, 'failed', 'Claude Code ended the turn: undefined'],
  ])('%j', (line, outcome, error) => {
    expect(outcomeOf(line)).toEqual({ outcome, error })
  })
})
