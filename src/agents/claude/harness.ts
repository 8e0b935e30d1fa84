// What of a message the person and the agent said and did, without what Claude Code itself puts in: reminders, skills, listings,
// environment, notes of its own commands. Pure.
import type { Message } from '../../model/session.ts'
import { isInterruption, wordsOf } from './words.ts'

/** A person's own shell lines with their output, and reports of background agents: said and done, though the CLI wrote them down. */
const kept = /^\s*<(?:bash-input|bash-stdout|bash-stderr|task-notification)>/

export function withoutHarness(message: Message): Message | null {
  const { role, text, tool } = message
  if (role === 'system') return kept.test(text) || isInterruption(text) ? { ...message, role: 'user' } : null
  const said = withoutReminders(role === 'user' ? wordsOf(text) : text)
  if (tool === undefined) return said === '' && text !== '' ? null : { ...message, text: said }
  const output = tool.output === null ? null : withoutReminders(tool.output)
  return { ...message, text: said, tool: { ...tool, output } }
}

const open = '<system-reminder>'
const close = '</system-reminder>'

/** Those that stand before or behind the text. One in the middle may be part of a file that was read. */
function withoutReminders(text: string): string {
  if (!text.includes(close)) return text
  let rest = text
  for (let end = reminderEnd(rest); end !== -1; end = reminderEnd(rest)) rest = rest.slice(end).trimStart()
  for (let start = reminderStart(rest); start !== -1; start = reminderStart(rest)) rest = rest.slice(0, start).trimEnd()
  return rest
}

/** Behind a reminder that the text begins with; -1 without one. */
function reminderEnd(text: string): number {
  const end = text.trimStart().startsWith(open) ? text.indexOf(close) : -1
  return end === -1 ? -1 : end + close.length
}

/** Where a reminder that the text ends with starts; -1 without one. */
function reminderStart(text: string): number {
  return text.trimEnd().endsWith(close) ? text.lastIndexOf(open) : -1
}
