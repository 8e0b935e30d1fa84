// Codex rollouts with the line types and fields of 0.166 (paginated): turns with reasoning, shell commands, patches, and the
// events that say the same things once more.
import type { Json } from './claude.ts'
import type { Random } from './random.ts'

export interface CodexOptions {
  readonly id: string
  readonly cwd: string
  readonly startedAt: number
  readonly turns: number
  readonly outputCharacters?: number
}

export function* codexSession(random: Random, options: CodexOptions): Generator<Json> {
  const { id, cwd } = options
  const outputCharacters = options.outputCharacters ?? 1500
  let at = options.startedAt
  let ordinal = 0
  const line = (type: string, payload: Json): Json => {
    at += random.int(5, 3000)
    ordinal += 1
    return { timestamp: new Date(at).toISOString(), ordinal: ordinal - 1, type, payload }
  }
  const event = (type: string, more: Json): Json => line('event_msg', { type, ...more })
  const seconds = (): number => Math.floor(at / 1000)

  yield line('session_meta', {
    session_id: id,
    id,
    timestamp: new Date(at).toISOString(),
    cwd,
    originator: 'codex-tui',
    cli_version: '0.166.0',
    source: 'cli',
    thread_source: 'user',
    model_provider: 'openai',
    base_instructions: { text: random.prose(12_000) },
    history_mode: 'paginated',
    git: { commit_hash: random.hex(40), branch: 'main' },
  })
  for (let turn = 1; turn <= options.turns; turn += 1) {
    const turnId = random.uuid()
    const passthrough = (kinds: string[]): Json => ({
      internal_chat_message_metadata_passthrough: { turn_id: turnId, content_item_kinds: kinds },
    })
    const item = (payload: Json): Json =>
      event('item_completed', { thread_id: id, turn_id: turnId, item: payload, started_at_ms: at, completed_at_ms: at })
    yield event('task_started', { turn_id: turnId, root_turn_id: turnId, started_at: seconds(), model_context_window: 258_400 })
    if (turn === 1) {
      const text = `<environment_context>\n  <cwd>${cwd}</cwd>\n</environment_context>`
      yield line('response_item', {
        type: 'message',
        role: 'user',
        content: [{ type: 'input_text', text }],
        ...passthrough(['environments.environment_context']),
      })
      yield line('world_state', { full: true, state: { model: 'gpt-5.5', host_skills: { body: random.prose(2000) } } })
    }
    yield line('turn_context', {
      turn_id: turnId,
      cwd,
      approval_policy: 'never',
      sandbox_policy: { type: 'danger-full-access' },
      model: 'gpt-5.5',
      summary: 'none',
    })
    const prompt = random.prose(random.int(20, 400))
    yield line('response_item', {
      type: 'message',
      id: `msg_${random.uuid()}`,
      role: 'user',
      content: [{ type: 'input_text', text: prompt }],
      ...passthrough(['user.text']),
    })
    yield item({ type: 'UserMessage', id: random.uuid(), content: [{ type: 'text', text: prompt, text_elements: [] }] })
    for (let calls = random.int(0, 4); calls > 0; calls -= 1) {
      const callId = `call_${random.hex(24)}`
      const command = random.prose(60)
      const output = random.code(random.int(50, 2 * outputCharacters))
      const reasoning = random.prose(random.int(50, 600))
      yield item({ type: 'Reasoning', id: `rs_${random.hex(20)}`, summary_text: [reasoning], raw_content: [] })
      yield line('response_item', {
        type: 'reasoning',
        id: `rs_${random.hex(20)}`,
        summary: [{ type: 'summary_text', text: reasoning }],
        content: null,
        encrypted_content: random.hex(800),
      })
      yield line('response_item', {
        type: 'function_call',
        id: `fc_${random.hex(20)}`,
        name: 'exec_command',
        arguments: JSON.stringify({ cmd: command }),
        call_id: callId,
      })
      yield item({
        type: 'CommandExecution',
        id: callId,
        command: ['/bin/bash', '-lc', command],
        cwd: `file://${cwd}`,
        status: 'completed',
        aggregated_output: output,
        exit_code: 0,
      })
      yield line('response_item', {
        type: 'function_call_output',
        call_id: callId,
        output: `Process exited with code 0\nOutput:\n${output}`,
      })
      const usage = {
        input_tokens: random.int(400, 90_000),
        cached_input_tokens: 0,
        output_tokens: random.int(10, 900),
        total_tokens: 1000,
      }
      yield event('token_count', {
        info: { total_token_usage: usage, last_token_usage: usage, model_context_window: 258_400 },
        rate_limits: null,
      })
    }
    const text = random.prose(random.int(100, 2500))
    const messageId = `msg_${random.hex(20)}`
    yield item({ type: 'AgentMessage', id: messageId, content: [{ type: 'Text', text }] })
    yield line('response_item', {
      type: 'message',
      status: 'completed',
      id: messageId,
      role: 'assistant',
      content: [{ type: 'output_text', text, annotations: [] }],
      ...passthrough(['unknown']),
    })
    yield event('task_complete', {
      turn_id: turnId,
      last_agent_message: text,
      started_at: seconds(),
      completed_at: seconds(),
      duration_ms: 900,
    })
  }
}

/** `sessions/YYYY/MM/DD/rollout-<time>-<id>.jsonl` */
export function codexPath(id: string, startedAt: number): string {
  const time = new Date(startedAt).toISOString()
  return `sessions/${time.slice(0, 10).replaceAll('-', '/')}/rollout-${time.slice(0, 19).replaceAll(':', '-')}-${id}.jsonl`
}
