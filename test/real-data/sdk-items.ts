// The messages the SDK gives, as items of the shared oracle, and the rules for what it sees differently from us.
import { isObject } from '../../src/lib/jsonl.ts'
import { type Rule, type SeenItem, stableJson } from '../real/lib/history.ts'
import type { SdkMessage } from './sdk.ts'

/** The CLI writes a line per block; the lines of one message are put together where the first of them stands. */
export function fromSdk(messages: readonly SdkMessage[]): SeenItem[] {
  const items: SeenItem[] = []
  const told = new Set<string>()
  for (const { message } of messages) {
    const { id } = message
    if (id !== undefined && told.has(id)) continue
    if (id !== undefined) told.add(id)
    const lines = id === undefined ? [message] : messages.flatMap((other) => (other.message.id === id ? [other.message] : []))
    const blocks = lines.flatMap(({ content }) => blocksOf(content))
    const isAnswer = id !== undefined || message.model !== undefined
    const made = message.model === '<synthetic>' ? { name: synthetic } : {}
    const thinking = blocks.flatMap((block) => (block.type === 'thinking' ? textIn(block.thinking) : []))
    const texts = isAnswer ? blocks.flatMap((block) => (block.type === 'text' ? textIn(block.text) : [])) : userTexts(blocks)
    if (thinking.length > 0) items.push({ role: 'thinking', text: thinking.join('\n\n') })
    if (isAnswer) items.push(...answerItems(texts, made))
    items.push(...blocks.flatMap(callsIn), ...blocks.flatMap(resultsIn))
    if (!isAnswer && texts.length > 0) items.push({ role: 'user', text: texts.join('\n') })
  }
  return items
}

/** Blank blocks are items of their own, so that a rule can take out exactly those. */
function answerItems(texts: readonly string[], made: { readonly name?: string }): SeenItem[] {
  const words = texts.filter((text) => !isBlank(text))
  const joined = words.length > 0 ? [words.join('\n\n')] : []
  return [...texts.filter(isBlank), ...joined].map((text) => ({ role: 'assistant', text, ...made }))
}

function isBlank(text: string): boolean {
  return text.trim() === ''
}

const synthetic = '<synthetic>'
type SdkBlock = Record<string, unknown>

function blocksOf(content: unknown): SdkBlock[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }]
  return Array.isArray(content) ? content.filter(isObject) : []
}

function textIn(text: unknown): string[] {
  return typeof text === 'string' && text !== '' ? [text] : []
}

function userTexts(blocks: readonly SdkBlock[]): string[] {
  return blocks.flatMap(({ type, text }) => {
    if (type === 'tool_result') return []
    return type === 'text' ? textIn(text) : [`[${String(type)}]`]
  })
}

function callsIn({ type, id, name, input }: SdkBlock): SeenItem[] {
  if (!String(type).endsWith('tool_use') || typeof id !== 'string') return []
  return [{ role: 'tool_call', text: stableJson(input), name: String(name), callId: id }]
}

function resultsIn({ type, tool_use_id, content }: SdkBlock): SeenItem[] {
  if (!String(type).endsWith('tool_result') || typeof tool_use_id !== 'string') return []
  return [{ role: 'tool_result', text: userTexts(blocksOf(content)).join('\n'), callId: tool_use_id }]
}

/** A user message to the SDK that we do not take for the words of a user. */
export function isInjected(item: SeenItem, ours: readonly SeenItem[]): boolean {
  if (item.role !== 'user') return false
  const roles = new Set(ours.filter(({ text }) => text === item.text).map(({ role }) => role))
  return roles.has('system') && !roles.has('user') && !roles.has('summary')
}

/** In the order in which they are applied; each takes out only what must differ. */
export const sdkRules: readonly Rule[] = [
  {
    name: 'made-up answer',
    reason:
      'The SDK shows what the CLI wrote in the name of the model: failures of the API are not sent, so our context lacks them.',
    side: 'received',
    apply(item, _index, _all, other) {
      if (item.name !== synthetic) return item
      const { name: _, ...plain } = item
      return other.some(({ role, text }) => role === 'assistant' && text === item.text) ? plain : undefined
    },
  },
  {
    name: 'blank block',
    reason: 'Both CLIs leave out blocks of an answer that contain only white space when they resume; the SDK shows them.',
    side: 'received',
    apply: (item) => (item.role === 'assistant' && isBlank(item.text) ? undefined : item),
  },
  {
    name: 'unanswered call',
    reason: 'A call without a result is dropped or closed by the CLI when it resumes, so our context lacks it; the SDK shows it.',
    side: 'received',
    apply(item, _index, all, other) {
      const isAnswered = () => all.some(({ role, callId }) => role === 'tool_result' && callId === item.callId)
      const isOurs = () => other.some(({ role, callId }) => role === 'tool_call' && callId === item.callId)
      return item.role === 'tool_call' && !isAnswered() && !isOurs() ? undefined : item
    },
  },
  {
    name: 'second result',
    reason: 'A call that is answered twice was answered by its first result.',
    side: 'received',
    apply(item, index, all) {
      const isFirst = () => all.findIndex(({ role, callId }) => role === 'tool_result' && callId === item.callId) === index
      return item.role === 'tool_result' && !isFirst() ? undefined : item
    },
  },
  {
    name: 'result without its call',
    reason: 'A session that goes on from another one may begin with the result of a call made there; the CLI does not send it.',
    side: 'received',
    apply(item, _index, all) {
      const hasCall = () => all.some(({ role, callId }) => role === 'tool_call' && callId === item.callId)
      return item.role === 'tool_result' && !hasCall() ? undefined : item
    },
  },
  {
    name: 'injected lines to the SDK',
    reason:
      'Lines of type user that no user typed (output of local commands, marks of interruption) are `system` here and user messages ' +
      'to the SDK: the check of prompts says which kind each of them is.',
    side: 'received',
    apply: (item, _index, _all, other) => (isInjected(item, other) ? undefined : item),
  },
  {
    name: 'system messages',
    reason: 'Attachments, lines of type system and lines marked as meta are messages here, and none to the SDK.',
    side: 'ours',
    apply: (item) => (item.role === 'system' ? undefined : item),
  },
  {
    name: 'summary to the SDK',
    reason: 'The summary of a compaction is a user message to the SDK.',
    side: 'ours',
    apply: (item) => (item.role === 'summary' ? { ...item, role: 'user' } : item),
  },
]
