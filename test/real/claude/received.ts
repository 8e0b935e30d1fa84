// A request of Claude Code as items of the shared oracle, and the rules for what the CLI puts into a request that is no message
// of the conversation.
import type { Rule, SeenItem } from '../lib/history.ts'
import { stableJson } from '../lib/history.ts'
import { type ApiMessage, type Block, blocksOf, withoutReminders } from './messages-api.ts'

export function fromMessages(messages: readonly ApiMessage[]): SeenItem[] {
  return messages.flatMap((message) => blocksOf(message).map((block) => fromBlock(message.role, block)))
}

function fromBlock(role: ApiMessage['role'], block: Block): SeenItem {
  switch (block.type) {
    case 'text':
      return { role: role === 'system' ? 'system' : role, text: block.text }
    case 'thinking':
      return { role: 'thinking', text: block.thinking }
    case 'tool_use':
      return { role: 'tool_call', text: stableJson(block.input), name: block.name, callId: block.id }
    case 'tool_result':
      return { role: 'tool_result', text: resultText(block.content), callId: block.tool_use_id }
  }
}

function resultText(content: string | readonly Block[] | undefined): string {
  if (content === undefined) return ''
  if (typeof content === 'string') return content
  return content.map((block) => (block.type === 'text' ? block.text : `[${block.type}]`)).join('\n')
}

export const claudeRules: readonly Rule[] = [
  {
    name: 'system entries',
    reason:
      'Entries of role system (environment, agent list, hook context) are rendered from attachment lines; we call those system.',
    side: 'received',
    apply: (item) => (item.role === 'system' ? undefined : item),
  },
  {
    name: 'reminders',
    reason:
      'Text in <system-reminder> is added by the CLI to whatever message stands there; it changes with date and git status.',
    side: 'received',
    apply(item) {
      const text = withoutReminders(item.text)
      if (text === item.text.trim()) return item
      return text === '' && item.role === 'user' ? undefined : { ...item, text }
    },
  },
]
