// What a compaction leaves of the conversation: the history that Codex recorded in its place, or, in files from before it was
// recorded, the prompts so far and the summary, as Codex rebuilds it.
import { isObject } from '../../lib/jsonl.ts'
import type { Message } from '../../model/session.ts'
import { type RolloutRecord, textOrNull } from './lines.ts'
import { answerCall, buildMessage, thinkingOf } from './messages.ts'
import { roleOf } from './prompts.ts'
import { isToolCall, isToolOutput } from './record-types.ts'
import type { MadeMessage } from './turn-state.ts'

export function replacementMessages(
  compacted: RolloutRecord,
  turnId: string,
  prompts: readonly Message[],
  summary: readonly MadeMessage[] = [],
): Message[] {
  const items: unknown = compacted.payload?.replacement_history
  const at = compacted.time
  if (!Array.isArray(items)) {
    return [
      ...prompts.map((message) => ({ ...message, turnId })),
      ...summary.map((made) => buildMessage(made, turnId, undefined, '', 'context')),
    ]
  }
  const messages: Message[] = []
  let thinking = ''
  for (const [index, item] of items.entries()) {
    if (!isObject(item)) continue
    const type = textOrNull(item.type) ?? ''
    const make = (id: string | null, role: Message['role'], text?: string) => {
      const made = { row: -1, id: id ?? `${turnId}.compacted.${index + 1}`, role, at, lead: false }
      const thinks = role === 'assistant' || role === 'tool'
      messages.push(buildMessage(text === undefined ? made : { ...made, text }, turnId, item, thinks ? thinking : '', 'context'))
      if (thinks) thinking = ''
    }
    if (type === 'message') make(textOrNull(item.id), roleOf(item))
    else if (isToolCall(type)) make(textOrNull(item.call_id) ?? textOrNull(item.id), 'tool')
    else if (type === 'reasoning') thinking = thinkingOf(item)
    // The summary of a hosted compaction is encrypted: it is there, but cannot be shown.
    else if (type === 'compaction' || type === 'compaction_summary') make(textOrNull(item.id), 'summary', '')
    else if (isToolOutput(type)) {
      const index = messages.findLastIndex(({ tool }) => tool?.callId === item.call_id && tool?.output === null)
      const call = messages[index]
      if (call?.tool !== undefined) messages[index] = { ...call, tool: answerCall(call.tool, item, undefined) }
    }
  }
  return messages
}

/** Codex keeps 20,000 tokens of prompts, the newest ones, at about four bytes a token. */
const keptCharacters = 80_000

export function keptPrompts(): { add(message: Message): void; all(): readonly Message[] } {
  const messages: Message[] = []
  let characters = 0
  return {
    add(message) {
      messages.push(message)
      characters += message.text.length
      while (characters > keptCharacters && messages.length > 1) characters -= messages.shift()?.text.length ?? 0
    },
    all: () => messages,
  }
}
