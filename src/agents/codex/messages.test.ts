import { describe, expect, it } from 'vitest'
import { findSession, placeSample, Rollout, readAll, readMessages, show, useHomes } from './home.testkit.ts'

const newHome = useHomes()

async function messagesOf(rollout: Rollout) {
  const env = newHome()
  return readMessages(rollout.place(env), env)
}

const call = (callId: string, fields = {}) => ({ call_id: callId, name: 'exec_command', arguments: '{"cmd":"ls"}', ...fields })

describe('messages', () => {
  it('of a real turn with reasoning, a command and a patch', async () => {
    const env = newHome()
    const file = findSession(env, placeSample(env.home, '02-exec-4turns-shell-patch.jsonl'))
    const messages = await readMessages(file, env)
    expect(messages.map(({ role }) => role).join(' ')).toBe(
      'system system user assistant user tool assistant user tool assistant user assistant',
    )
    expect(messages[5]).toMatchObject({
      id: 'call_0003',
      thinking: 'mock reasoning summary',
      tool: { name: 'exec_command', arguments: { cmd: 'echo hello-from-shell; ls' }, exitCode: 0, callId: 'call_0003' },
    })
    expect(messages[5]?.tool?.output).toContain('Output:\nhello-from-shell\n')
    expect(messages[8]?.tool).toMatchObject({ name: 'apply_patch', exitCode: 0 })
    expect(messages[8]?.tool?.arguments).toMatch(/^\*\*\* Begin Patch/)
  })

  it('tell injected texts from prompts by their kinds', async () => {
    const env = newHome()
    const file = findSession(env, placeSample(env.home, '13-hook-context-and-stop-block.jsonl'))
    expect(show(await readMessages(file, env)).map((line) => line.slice(0, 32))).toEqual([
      'system: <skills_instructions>\n##',
      'system: # AGENTS.md instructions',
      'user: hookctx prompt',
      'system: CTX-FROM-HOOK',
      'assistant: MOCK n=5 u=2 req=0100',
      'system: <hook_prompt hook_run_id',
      'assistant: MOCK n=7 u=3 req=0101',
    ])
  })

  it('keep the order of parallel calls, each with its own output', async () => {
    const messages = await messagesOf(
      new Rollout()
        .start('a')
        .prompt('go')
        .item('function_call', call('one'))
        .item('function_call', call('two'))
        .item('function_call_output', { call_id: 'two', output: 'second' })
        .item('function_call_output', { call_id: 'one', output: 'first' })
        .says('assistant', 'done')
        .end('a'),
    )
    expect(show(messages).slice(1)).toEqual([
      'tool exec_command({"cmd":"ls"}) -> first',
      'tool exec_command({"cmd":"ls"}) -> second',
      'assistant: done',
    ])
  })

  it('keep parallel calls together when read up to one of them', async () => {
    const env = newHome()
    const file = new Rollout()
      .start('a')
      .item('function_call', call('one'))
      .item('function_call', call('two'))
      .item('function_call_output', { call_id: 'one', output: 'first' })
      .item('function_call_output', { call_id: 'two', output: 'second' })
      .item('function_call', call('three'))
      .item('function_call_output', { call_id: 'three', output: 'third' })
      .end('a')
      .place(env)
    const ids = async (messageId: string) => (await readMessages(file, env, { upTo: { messageId } })).map(({ id }) => id)
    expect(await ids('one')).toEqual(['one', 'two'])
    expect(await ids('three')).toEqual(['one', 'two', 'three'])
  })

  it('leave a call open that was never answered, and hold back nothing for it', async () => {
    const messages = await messagesOf(
      new Rollout().start('a').prompt('go').item('function_call', call('one')).start('b').prompt('again').end('b'),
    )
    expect(show(messages)).toEqual(['user: go', 'tool exec_command({"cmd":"ls"}) -> null', 'user: again'])
  })

  it('take the exit code from the command, else from the output', async () => {
    const command = { type: 'CommandExecution', id: 'one', aggregated_output: '"exit_code":9', exit_code: 3 }
    const wrapped = JSON.stringify({ output: 'text', metadata: { exit_code: 7 } })
    const messages = await messagesOf(
      new Rollout()
        .start('a')
        .item('function_call', call('one'))
        .event('item_completed', { thread_id: 't', turn_id: 'a', item: command })
        .item('function_call_output', { call_id: 'one', output: 'no word of it' })
        .item('function_call', call('two'))
        .item('function_call_output', {
          call_id: 'two',
          output: 'Chunk ID: 1\nWall time: 1 seconds\nProcess exited with code 2\nOutput:\n',
        })
        .item('function_call', call('three'))
        .item('function_call_output', { call_id: 'three', output: wrapped })
        .item('function_call', call('four'))
        .item('function_call_output', { call_id: 'four', output: 'it said: Exit code: 5' })
        .end('a'),
    )
    expect(messages.map(({ tool }) => tool?.exitCode)).toEqual([3, 2, 7, null])
    expect(messages.map(({ tool }) => tool?.failed)).toEqual([true, true, true, null])
    expect(messages[2]?.tool?.output).toBe('text')
  })

  const item = (type: string, status: string) => ['item_completed', { item: { type, id: 'one', status } }] as const
  const rejected = 'CreateProcess { message: "Rejected(\\"rejected by user\\")" }'
  it.each<[string, readonly [string, Record<string, unknown>] | null, unknown, boolean | null]>([
    ['a command a person refused', null, `exec_command failed: ${rejected}`, true],
    ['the same in 0.142', null, `exec_command failed for \`touch b\`: ${rejected}`, true],
    ['a turn that was ended', null, 'Wall time: 0.1 seconds\naborted by user', true],
    ['the same in 0.142', null, 'aborted by user after 0.1s', true],
    ['a patch that does not fit', null, 'apply_patch verification failed: Failed to read file', true],
    ['a tool there is not', null, 'unsupported call: mcp__probenone', true],
    ['a patch a person refused', item('FileChange', 'declined'), 'patch rejected by user', true],
    ['the same in 0.142', ['patch_apply_end', { call_id: 'one', success: false }], 'anything', true],
    ['a refused tool of an MCP server', item('McpToolCall', 'failed'), [{ type: 'input_text', text: 'no' }], true],
    ['the same in 0.142', ['mcp_tool_call_end', { call_id: 'one', result: { Err: 'no' } }], 'no', true],
    ['an MCP server that says so', ['mcp_tool_call_end', { call_id: 'one', result: { Ok: { is_error: true } } }], 'no', true],
    ['an MCP call that worked', ['mcp_tool_call_end', { call_id: 'one', result: { Ok: { content: [] } } }], 'yes', false],
    ['the same in 0.166', item('McpToolCall', 'completed'), 'yes', false],
    ['a command without an exit code', item('CommandExecution', 'declined'), 'no', true],
    ['a result that tells of itself', null, { content: 'no', success: false }, true],
    ['a patch that was made', null, 'Exit code: 0\nWall time: 0 seconds\nOutput:\n', false],
    ['an output that says nothing', null, 'Plan updated', null],
  ])('tell whether it failed: %s', async (_, event, output, failed) => {
    const rollout = new Rollout().start('a').item('function_call', call('one'))
    if (event !== null) rollout.event(...event)
    const [message] = await messagesOf(rollout.item('function_call_output', { call_id: 'one', output }).end('a'))
    expect(message?.tool?.failed).toBe(failed)
  })

  it('know the other kinds of calls', async () => {
    const messages = await messagesOf(
      new Rollout()
        .start('a')
        .item('local_shell_call', { call_id: 'one', action: { type: 'exec', command: ['ls'] } })
        .item('function_call_output', { call_id: 'one', output: { content: 'files', success: true } })
        .item('web_search_call', { id: 'ws_1', action: { query: 'x' } })
        .item('function_call', call('two', { arguments: 'not json' }))
        .item('function_call_output', { call_id: 'two', output: [{ type: 'input_text', text: 'seen' }, { type: 'input_image' }] })
        .end('a'),
    )
    expect(show(messages)).toEqual([
      'tool local_shell({"type":"exec","command":["ls"]}) -> files',
      'tool web_search({"query":"x"}) -> ',
      'tool exec_command("not json") -> seen\n[image]',
    ])
  })

  it('put one word in place of a picture', async () => {
    const content = [
      { type: 'input_text', text: '<image name=[Image #1] path="/repo/picture.png">' },
      { type: 'input_image', image_url: 'data:image/png;base64,AAAA' },
      { type: 'input_text', text: '</image>' },
      { type: 'input_text', text: 'What is <image>?' },
    ]
    const passthrough = { content_item_kinds: ['user.text', 'user.image', 'user.text', 'user.text'] }
    const prompt = { role: 'user', content, internal_chat_message_metadata_passthrough: passthrough }
    expect(show(await messagesOf(new Rollout().start('a').item('message', prompt)))).toEqual(['user: [image]\nWhat is <image>?'])
  })

  it('show thinking with what it led to, never what is encrypted', async () => {
    const messages = await messagesOf(
      new Rollout()
        .start('a')
        .item('reasoning', { summary: [], content: null, encrypted_content: 'SECRET' })
        .item('reasoning', { summary: [{ type: 'summary_text', text: 'first' }], encrypted_content: 'SECRET' })
        .item('reasoning', { summary: [{ type: 'summary_text', text: 'second' }] })
        .says('assistant', 'so')
        .says('assistant', 'on')
        .end('a'),
    )
    expect(messages.map(({ thinking }) => thinking)).toEqual(['first\n\nsecond', undefined])
    expect(JSON.stringify(messages)).not.toContain('SECRET')
  })

  it('tell of an error once', async () => {
    const messages = await messagesOf(
      new Rollout()
        .start('a')
        .prompt('go')
        .event('error', { message: 'boom' })
        .end('a', { error: { message: 'boom' } }),
    )
    expect(show(messages)).toEqual(['user: go', 'error: boom'])
  })

  it('name what they do not understand', async () => {
    const env = newHome()
    const file = new Rollout()
      .turn('a')
      .line('new_type', {})
      .event('new_event')
      .item('new_item')
      .item('function_call_output', { call_id: 'nobody', output: '' })
      .raw(
        '{"timestamp":"2026-11-15T06:47:41.000Z","ordinal":9,"type":"response_item","payload":{"type":"message","role":"assistant","cont',
      )
      .place(env)
    const skipped = (await readAll(file, env)).flatMap((entry) => (entry.kind === 'skipped' ? [entry.reason] : []))
    expect(skipped).toEqual([
      'unknown:new_type',
      'unknown:event_msg/new_event',
      'unknown:response_item/new_item',
      'dangling',
      'invalid',
    ])
  })
})
