// The one door for the hook program: a payload of any agent to its event, and an event to the turn it speaks of. Nothing here
// may load an agent's reader: the hook pays for every import.
import type { AgentId } from '../model/session.ts'
import { parseClaudeEvent } from './claude/hook-event.ts'
import { findPromptLine } from './claude/prompt-line.ts'
import { parseCodexEvent } from './codex/hook-event.ts'
import type { HookEvent } from './hooks.ts'

/** `payload`: the parsed JSON a hook was given. Total: `null` for whatever is no event to act on. */
export function parseHookEvent(agent: AgentId, payload: unknown): HookEvent | null {
  return agent === 'claude' ? parseClaudeEvent(payload) : parseCodexEvent(payload)
}

/** Id of the event's turn as everywhere else; `null` while the transcript does not tell (it may not be written yet). */
export function findTurnId(agent: AgentId, event: Pick<HookEvent, 'turnKey' | 'transcriptPath'>): string | null {
  const { turnKey, transcriptPath } = event
  if (agent === 'codex' || turnKey === null) return turnKey
  return transcriptPath === null ? null : findPromptLine(transcriptPath, turnKey)
}
