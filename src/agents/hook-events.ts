// The one door for the hook program: a payload of any agent to its event, and an event to the turn it speaks of. Nothing here
// may load an agent's reader: the hook pays for every import.
import type { AgentId } from '../model/session.ts'
import { parseClaudeEvent } from './claude/hook-event.ts'
import {
  findEndedTurn as findEndedLine,
  findLastCommand,
  findPromptLine,
  findPromptsSince,
  findPromptWithUuid,
  needsWhole,
  notWritten,
  type PromptLine,
} from './claude/prompt-line.ts'
import { parseCodexEvent } from './codex/hook-event.ts'
import type { CommandBehind, HookEvent, TurnName, WrittenPrompt } from './hooks.ts'

/** `payload`: the parsed JSON a hook was given. Total: `null` for whatever is no event to act on. */
export function parseHookEvent(agent: AgentId, payload: unknown): HookEvent | null {
  return agent === 'claude' ? parseClaudeEvent(payload) : parseCodexEvent(payload)
}

/** Id of the event's turn as everywhere else; `null` while the transcript does not tell (it may not be written yet). */
export function findTurnId(agent: AgentId, event: Pick<HookEvent, 'turnKey' | 'transcriptPath'>): string | null {
  const { turnKey, transcriptPath } = event
  if (agent === 'codex' || turnKey === null) return turnKey
  return transcriptPath === null ? null : (findPromptLine(transcriptPath, turnKey)?.uuid ?? null)
}

/**
 * The turn whose answer the event says has ended, as the transcript's chain has it: the answer to a `!` command in Claude Code belongs to the
 * turn it follows, whatever the event is named by. `isAgain`: an answer under the event's key has ended before. `unwritten` while the
 * transcript does not hold the answer; `null` where it does not tell.
 */
export async function findEndedTurn(
  agent: AgentId,
  { turnKey, transcriptPath }: Pick<HookEvent, 'turnKey' | 'transcriptPath'>,
  isAgain: boolean,
): Promise<TurnName | 'unwritten' | null> {
  if (agent === 'codex') return turnKey === null ? null : { id: turnKey, key: turnKey }
  if (transcriptPath === null) return null
  const found = findEndedLine(transcriptPath, turnKey, isAgain)
  return found === notWritten ? 'unwritten' : nameTurn(transcriptPath, found)
}

/**
 * The last command of the user's behind the last turn; Codex makes a turn of each. `untold`: only one of whose end no hook was told.
 */
export async function findCommandBehind(
  agent: AgentId,
  transcriptPath: string | null,
  untold: boolean,
): Promise<CommandBehind | null> {
  if (agent === 'codex' || transcriptPath === null) return null
  const command = findLastCommand(transcriptPath, untold)
  const turn = command === null ? null : await nameTurn(transcriptPath, command.turn)
  return command === null || turn === null ? null : { turn, writtenAt: command.writtenAt }
}

/** Loads the reader only where the newest lines do not tell: after a compaction that kept messages. */
async function nameTurn(path: string, found: PromptLine | typeof needsWhole | null): Promise<TurnName | null> {
  if (found !== needsWhole) return found === null ? null : { id: found.uuid, key: found.promptId }
  const { findLastTurn } = await import('./claude/last-turn.ts')
  const id = await findLastTurn(path)
  return id === null ? null : { id, key: findPromptWithUuid(path, id)?.promptId ?? null }
}

/**
 * Prompts the transcript got since that time, newest first: Claude Code 2.1.325 tells of one typed ahead under the name of the turn that
 * still runs, and of its start not at all. Codex tells of each turn.
 */
export function findWrittenPrompts(agent: AgentId, transcriptPath: string | null, since: number): WrittenPrompt[] {
  return agent === 'codex' || transcriptPath === null ? [] : findPromptsSince(transcriptPath, since)
}
