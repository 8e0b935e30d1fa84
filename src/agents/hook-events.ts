// The one door for the hook program: a payload of any agent to its event, and an event to the turn it speaks of. Nothing here
// may load an agent's reader: the hook pays for every import.
import type { AgentId } from '../model/session.ts'
import { parseClaudeEvent } from './claude/hook-event.ts'
import { findPromptLine, findPromptsSince } from './claude/prompt-line.ts'
import { parseCodexEvent } from './codex/hook-event.ts'
import type { HookEvent, WrittenPrompt } from './hooks.ts'

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

/**
 * Prompts the transcript got since that time, newest first: Claude Code 2.1.325 tells of one typed ahead under the name of the turn that
 * still runs, and of its start not at all. Codex tells of each turn.
 */
export function findWrittenPrompts(agent: AgentId, transcriptPath: string | null, since: number): WrittenPrompt[] {
  return agent === 'codex' || transcriptPath === null ? [] : findPromptsSince(transcriptPath, since)
}
