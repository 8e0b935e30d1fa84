// What Claude Code writes to a hook's stdin, as a neutral event. Loaded by the hook program, so it imports next to nothing.
import { isObject } from '../../lib/jsonl.ts'
import type { HookEvent } from '../agent.ts'
import { eventOf } from '../hook-payload.ts'

const kinds: Readonly<Record<string, HookEvent['kind']>> = {
  UserPromptSubmit: 'prompt',
  Stop: 'turn_end',
  SessionEnd: 'session_end',
}

/** `null` for anything that is no event of ours, whatever it is. */
export function parseClaudeEvent(payload: unknown): HookEvent | null {
  if (!isObject(payload)) return null
  const kind = kinds[String(payload.hook_event_name)]
  if (kind === undefined) return null
  return eventOf(kind, {
    sessionId: payload.session_id,
    transcriptPath: payload.transcript_path,
    cwd: payload.cwd,
    turnKey: payload.prompt_id,
    prompt: payload.prompt,
  })
}
