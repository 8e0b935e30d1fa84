// What the stand-in received, as the items both sides of the oracle are compared in, and the rules for what must differ.

import type { Entry } from '../../../src/agents/reading.ts'
import { isObject } from '../../../src/lib/jsonl.ts'
import { fromEntries, type Rule, type SeenItem, stableJson } from '../lib/history.ts'
import { isCompaction, type WireItem } from './answer.ts'
import type { LoggedRequest } from './api.ts'

const summaryStart = 'Another language model started to solve this problem'
const contextStart =
  /^(# AGENTS\.md instructions|<(environment_context|permissions instructions|skills_instructions|collaboration_mode)\b)/
const baseStart = /^You are (Codex|a coding agent running in the Codex CLI)\b/
const injectedStart = /^<(turn_aborted|user_shell_command|hook_prompt|subagent_notification)\b/

/** The conversation a request carries in front of its newest prompt. `prompts` are known to be a person's words. */
export function historyBefore(input: readonly WireItem[], prompts: ReadonlySet<string>): SeenItem[] {
  const promptAt = input.findLastIndex((item) => item.role === 'user')
  return input.slice(0, promptAt).flatMap((item) => {
    const said = fromItem(item)
    return item.role === 'user' ? said.map((one) => (prompts.has(one.text) ? { ...one, role: 'user' as const } : one)) : said
  })
}

/**
 * The request that carried a turn's prompt first. None for a turn that was compacted after its prompt: what it was sent then is
 * no longer what the model sees.
 */
export function promptRequest(requests: readonly LoggedRequest[], turnId: string): LoggedRequest | undefined {
  const ofTurn = requests.filter((request) => request.turnId === turnId)
  const first = ofTurn.findIndex(({ input }) => !isCompaction(input))
  return ofTurn.slice(first).some(({ input }) => isCompaction(input)) ? undefined : ofTurn[first]
}

function fromItem(item: WireItem): SeenItem[] {
  const callId = String(item.call_id)
  switch (item.type) {
    case 'message':
      return [{ role: roleOf(item), text: joined(item.content) }]
    case 'reasoning':
      return [{ role: 'thinking', text: joined(item.summary) }]
    case 'function_call':
      return [{ role: 'tool_call', name: String(item.name), callId, text: stableJson(JSON.parse(String(item.arguments))) }]
    case 'custom_tool_call':
      return [{ role: 'tool_call', name: String(item.name), callId, text: stableJson(item.input) }]
    case 'tool_search_call':
      return [{ role: 'tool_call', name: 'tool_search', callId, text: stableJson(item.arguments) }]
    case 'function_call_output':
    case 'custom_tool_call_output':
      return [{ role: 'tool_result', callId, text: joined(item.output) }]
    case 'tool_search_output':
      return [{ role: 'tool_result', callId, text: JSON.stringify(item.tools) }]
    default:
      throw new Error(`the API received an item nobody here knows: ${JSON.stringify(item)}`)
  }
}

/** Texts of the CLI itself under the role `user` are `system` to us. */
function roleOf(item: WireItem): SeenItem['role'] {
  if (item.role === 'assistant') return 'assistant'
  const text = joined(item.content)
  if (item.role !== 'user' || contextStart.test(text) || injectedStart.test(text)) return 'system'
  return text.startsWith(summaryStart) ? 'summary' : 'user'
}

/** A picture is sent between two texts that mark it; to us it is one word. */
function joined(content: unknown): string {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return ''
  const texts = content.map((part) => (isObject(part) && typeof part.text === 'string' ? part.text : '[image]'))
  return texts.filter((text, at) => !(isMark(text) && (texts[at - 1] === '[image]' || texts[at + 1] === '[image]'))).join('\n')
}

function isMark(text: string): boolean {
  return /^<image\b[^>]*>$|^<\/image>$/.test(text)
}

/** Our reader's entries, with what Codex itself said, which the shared conversion leaves out. */
export async function fromReader(entries: AsyncIterable<Entry>): Promise<SeenItem[]> {
  return (await itemsByEntry(entries)).flatMap(({ items }) => items)
}

/** What stands in front of a turn's prompt. */
export async function beforePrompt(entries: AsyncIterable<Entry>, turnId: string, prompt: string): Promise<SeenItem[]> {
  const all = await itemsByEntry(entries)
  const isPrompt = (entry: Entry) =>
    entry.kind === 'message' && entry.message.turnId === turnId && entry.message.role === 'user' && entry.message.text === prompt
  const end = all.findLastIndex(({ entry }) => isPrompt(entry))
  if (end === -1) throw new Error(`the prompt of turn ${turnId} was not read: ${prompt}`)
  return all.slice(0, end).flatMap(({ items }) => items)
}

async function itemsByEntry(entries: AsyncIterable<Entry>): Promise<{ entry: Entry; items: SeenItem[] }[]> {
  const all: { entry: Entry; items: SeenItem[] }[] = []
  for await (const entry of entries) {
    const isSystem = entry.kind === 'message' && entry.message.role === 'system'
    all.push({ entry, items: isSystem ? [{ role: 'system', text: entry.message.text }] : await fromEntries(only(entry)) })
  }
  return all
}

async function* only(entry: Entry): AsyncGenerator<Entry> {
  yield entry
}

export const codexRules: readonly Rule[] = [
  {
    name: 'base instructions',
    reason: '0.166 sends the instructions of the model as the first item; they stand in session_meta, not in the conversation.',
    side: 'received',
    apply: (item, index) => (index === 0 && item.role === 'system' && baseStart.test(item.text) ? undefined : item),
  },
  {
    name: 'context of the session',
    reason: 'Folder, date, permissions and AGENTS.md are said again by each CLI run for where it runs now; they are no message.',
    side: 'both',
    apply: (item) => (item.role === 'system' && contextStart.test(item.text) ? undefined : item),
  },
  {
    name: 'closing of open calls',
    reason: 'A call whose result was never written is answered "aborted" by the CLI, as the API refuses an open call.',
    side: 'received',
    apply: (item) => (item.role === 'tool_result' && item.text === 'aborted' ? undefined : item),
  },
]
