// A request of Claude Code as items of the shared oracle, and the rules for what the CLI puts into a request that is no message
// of the conversation.
import type { Rule, SeenItem } from '../lib/history.ts'
import { stableJson } from '../lib/history.ts'
import { type ApiMessage, type Block, blocksOf, hasReminder, withoutReminders } from './messages-api.ts'

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
    case 'tool_addition':
      return { role: 'system', text: block.tool.name }
    case 'tool_result':
      return { role: 'tool_result', text: resultText(block.content), callId: block.tool_use_id }
    default:
      // Images and the like, which the stand-in's own conversations do not hold.
      return { role: role === 'system' ? 'system' : role, text: `[${(block as { type: string }).type}]` }
  }
}

function resultText(content: string | readonly Block[] | undefined): string {
  if (content === undefined) return ''
  if (typeof content === 'string') return content
  return content.map((block) => (block.type === 'text' ? block.text : `[${block.type}]`)).join('\n')
}

const steering =
  /The user sent a new message while you were working:\n([\s\S]*?)\n\n(?:IMPORTANT: After completing|This is how Claude Code)/
const closers = ['Continue from where you left off.', 'No response requested.']
const interruptedResult = '[Tool call interrupted: the session ended before'

/** In the order in which they are applied; each takes out only what must differ. */
export const claudeRules: readonly Rule[] = [
  {
    name: 'steering envelope',
    reason:
      'A prompt typed while the agent worked is kept as an attachment and sent inside a sentence that says so (2.1.197: role system).',
    side: 'received',
    apply(item) {
      const prompt = item.role === 'user' || item.role === 'system' ? steering.exec(item.text)?.[1] : undefined
      return prompt === undefined ? item : { role: 'user', text: prompt }
    },
  },
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
      'Text in <system-reminder> is added by the CLI to whatever user message stands there; it changes with date and git status.',
    side: 'both',
    apply(item) {
      if ((item.role !== 'user' && item.role !== 'summary') || !hasReminder(item.text)) return item
      const text = withoutReminders(item.text)
      return text === '' ? undefined : { ...item, text }
    },
  },
  {
    name: 'reminders behind a result',
    reason:
      'Where a result is the first user message left after a compaction, 2.1.325 adds its reminder to the text of the result.',
    side: 'received',
    apply(item, _index, _all, other) {
      if (item.role !== 'tool_result' || !hasReminder(item.text)) return item
      const text = withoutReminders(item.text)
      const ours = other.find(({ role, callId }) => role === 'tool_result' && callId === item.callId)
      return ours?.text.trim() === text ? { ...item, text: ours.text } : item
    },
  },
  {
    name: 'joining newline',
    reason:
      'Neighbouring user messages become one on the wire; each but the last then ends in a newline. One that ended in a newline ' +
      'before (a seed does) may be the last.',
    side: 'received',
    apply(item, _index, _all, other) {
      if (item.role !== 'user' || !item.text.endsWith('\n')) return item
      return other.some(({ role, text }) => (role === 'user' || role === 'system') && text === item.text)
        ? item
        : { ...item, text: item.text.slice(0, -1) }
    },
  },
  {
    name: 'lost call',
    reason:
      'A call that was open when the session died is left out by 2.1.197 and sent with a made-up result by 2.1.325; the file has no ' +
      'result until it is resumed, and our reading leaves the call out.',
    side: 'received',
    apply(item, _index, all, other) {
      const isAnswer = ({ role, callId }: SeenItem) => role === 'tool_result' && callId === item.callId
      const madeUp = all.some((one) => isAnswer(one) && one.text.startsWith(interruptedResult))
      return item.callId !== undefined && madeUp && !other.some(isAnswer) ? undefined : item
    },
  },
  {
    name: 'closer',
    reason:
      'A history that ends in a user message is closed with these words on resume; the file has them only afterwards. What a local ' +
      'command printed is no such message to the CLI, and stands behind them.',
    side: 'received',
    apply(item, index, all, other) {
      const upToPrompt = all.slice(index, -1)
      const isCloser = ({ text }: SeenItem) => closers.includes(text)
      const isEnd = (each: SeenItem) => isCloser(each) || each.text.startsWith('<local-command-stdout>')
      if (!isCloser(item) || upToPrompt.length === 0 || !upToPrompt.every(isEnd)) return item
      // Attachments may be written behind the words.
      const ours = other.slice(0, -1).filter((each) => each.role !== 'system' || all.some(({ text }) => text === each.text))
      return ours.slice(-upToPrompt.length).some(({ text }) => text === item.text) ? item : undefined
    },
  },
  {
    name: 'injected lines',
    reason:
      'Some lines that no person typed (hook feedback, local commands) go to the model as user messages; we call them system.',
    side: 'ours',
    apply(item, _index, _all, other) {
      if (item.role !== 'system') return item
      return other.some(({ role, text }) => role === 'user' && text === item.text) ? { ...item, role: 'user' } : undefined
    },
  },
  {
    name: 'summary',
    reason: 'The summary of a compaction goes to the model as a user message.',
    side: 'ours',
    apply: (item) => (item.role === 'summary' ? { ...item, role: 'user' } : item),
  },
]

/** The same for a child held against its parent. */
export const forkRules: readonly Rule[] = [
  ...claudeRules,
  {
    name: 'tool output files',
    reason: 'Long outputs lie in files of the session, named by absolute path; a fork has its own copies.',
    side: 'both',
    apply(item) {
      if (!item.text.includes('/tool-results/')) return item
      const text = item.text.replace(/[\w./-]+\/tool-results\//g, '<session>/tool-results/')
      return text === item.text ? item : { ...item, text }
    },
  },
]
