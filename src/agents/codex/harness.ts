// What of a message the person and the agent said and did, without what Codex itself puts in: instructions, AGENTS.md, permissions,
// environment. Pure.
import type { Message } from '../../model/session.ts'

/** A person's own shell lines, reports of subagents and an interruption: said and done, though Codex wrote them down. */
const kept = /^\s*<(?:user_shell_command|subagent_notification|turn_aborted)\b/

/** Old versions put these before the prompt, in one message. */
const injected =
  /^\s*(?:# AGENTS\.md instructions[^\n]*\s*<INSTRUCTIONS>[\s\S]*?<\/INSTRUCTIONS>|<(environment_context|user_instructions|permissions instructions|skills_instructions|collaboration_mode)>[\s\S]*?<\/\1>)\s*/

export function withoutHarness(message: Message): Message | null {
  const { role, text } = message
  if (role === 'system') return kept.test(text) ? { ...message, role: 'user', text: shortened(text) } : null
  if (role !== 'user') return message
  let said = text
  while (injected.test(said)) said = said.replace(injected, '')
  return said === '' && text !== '' ? null : { ...message, text: said }
}

/** Codex explains to the model at length what an interruption means. */
function shortened(text: string): string {
  return /^\s*<turn_aborted/.test(text) ? '[Request interrupted by user]' : text
}
