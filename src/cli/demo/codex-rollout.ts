// Writes a Codex session file as version 0.166 does (paginated): numbered lines, turns between task_started and
// task_complete, and forks that refer to their parent's file instead of copying it.
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fakeUuid } from './fake-uuid.ts'

export interface Command {
  readonly cmd: string
  readonly output: string
  readonly exitCode: number
}

export interface CodexRollout {
  turn(prompt: string, commands: readonly Command[], answer: string): void
  interruptedTurn(prompt: string): void
  /** The agent's own fork, after everything so far. */
  fork(threadId: string): CodexRollout
  write(codexHome: string): string
}

export interface RolloutOptions {
  readonly threadId: string
  readonly cwd: string
  readonly startedAt: number
}

interface Base {
  readonly threadId: string
  readonly ordinal: number
  readonly bytes: number
}

const model = 'gpt-5.5'

export function createCodexRollout({ threadId, cwd, startedAt }: RolloutOptions, base?: Base): CodexRollout {
  const lines: string[] = []
  let at = startedAt
  let ordinal = base?.ordinal ?? 0
  let items = 0
  const nextItem = () => {
    items += 1
    return items
  }
  const time = () => new Date(at).toISOString()
  const add = (type: string, payload: object) => {
    lines.push(`${JSON.stringify({ timestamp: time(), ordinal, type, payload })}\n`)
    ordinal += 1
    at += 3_000
  }
  const event = (payload: object) => add('event_msg', payload)
  const item = (turnId: string, content: object) =>
    event({ type: 'item_completed', thread_id: threadId, turn_id: turnId, item: content })

  const forked = base && {
    forked_from_id: base.threadId,
    forked_from_ordinal_exclusive: base.ordinal,
    history_base: { thread_id: base.threadId, end_ordinal_exclusive: base.ordinal, end_byte_offset: base.bytes },
  }
  add('session_meta', {
    session_id: threadId,
    id: threadId,
    ...forked,
    timestamp: time(),
    cwd,
    originator: 'codex-tui',
    cli_version: '0.166.0',
    source: 'cli',
    thread_source: 'user',
    model_provider: 'openai',
    history_mode: 'paginated',
    git: { branch: 'main' },
  })

  const openTurn = (prompt: string) => {
    at += 60_000
    const turnId = fakeUuid(threadId, 0xa000 + ordinal)
    event({ type: 'task_started', turn_id: turnId, root_turn_id: turnId, started_at: Math.floor(at / 1000) })
    add('turn_context', { turn_id: turnId, cwd, model, approval_policy: 'on-request' })
    const id = `msg_${threadId.slice(-4)}_${nextItem()}`
    const meta = { turn_id: turnId, content_item_kinds: ['user.text'], content_item_metadata: [{ provenance: { type: 'user' } }] }
    add('response_item', {
      type: 'message',
      id,
      role: 'user',
      content: [{ type: 'input_text', text: prompt }],
      internal_chat_message_metadata_passthrough: meta,
    })
    item(turnId, { type: 'UserMessage', id: `item_${items}`, content: [{ type: 'text', text: prompt }] })
    return turnId
  }

  return {
    turn(prompt, commands, answer) {
      const turnId = openTurn(prompt)
      for (const { cmd, output, exitCode } of commands) {
        const callId = `call_${threadId.slice(-4)}_${nextItem()}`
        add('response_item', {
          type: 'function_call',
          id: `fc_${items}`,
          name: 'exec_command',
          arguments: JSON.stringify({ cmd }),
          call_id: callId,
        })
        item(turnId, {
          type: 'CommandExecution',
          id: callId,
          command: ['bash', '-lc', cmd],
          cwd,
          status: 'completed',
          aggregated_output: output,
          exit_code: exitCode,
        })
        add('response_item', {
          type: 'function_call_output',
          call_id: callId,
          output: `Process exited with code ${exitCode}\nOutput:\n${output}`,
        })
      }
      const id = `msg_${threadId.slice(-4)}_${nextItem()}`
      item(turnId, { type: 'AgentMessage', id, content: [{ type: 'Text', text: answer }] })
      add('response_item', {
        type: 'message',
        id,
        role: 'assistant',
        status: 'completed',
        content: [{ type: 'output_text', text: answer }],
      })
      event({
        type: 'task_complete',
        turn_id: turnId,
        root_turn_id: turnId,
        last_agent_message: answer,
        completed_at: Math.floor(at / 1000),
      })
    },
    interruptedTurn(prompt) {
      const turnId = openTurn(prompt)
      event({ type: 'turn_aborted', turn_id: turnId, reason: 'interrupted' })
    },
    fork: (newId) =>
      createCodexRollout(
        { threadId: newId, cwd, startedAt: at },
        { threadId, ordinal, bytes: Buffer.byteLength(lines.join('')) },
      ),
    write(codexHome) {
      const [day = '', clock = ''] = new Date(startedAt).toISOString().slice(0, 19).split('T')
      const name = `rollout-${day}T${clock.replaceAll(':', '-')}-${threadId}.jsonl`
      const path = join(codexHome, 'sessions', ...day.split('-'), name)
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, lines.join(''), { mode: 0o600 })
      return path
    },
  }
}
