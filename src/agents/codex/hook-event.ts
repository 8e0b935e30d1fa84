// What Codex writes to a hook's stdin, or gives `notify` as its last argument, as a neutral event. Loaded by the hook program,
// so it imports next to nothing.
import { isObject } from '../../lib/jsonl.ts'
import { eventOf } from '../hook-payload.ts'
import type { HookEvent } from '../hooks.ts'

const kinds: ReadonlyMap<unknown, HookEvent['kind']> = new Map([
  ['UserPromptSubmit', 'prompt'],
  ['Stop', 'turn_end'],
  ['Interrupt', 'interrupt'],
  ['SessionEnd', 'session_end'],
])

/** `null` for anything that is no event of ours, whatever it is. */
export function parseCodexEvent(payload: unknown): HookEvent | null {
  if (!isObject(payload)) return null
  if (payload.type === 'agent-turn-complete') return parseNotification(payload)
  const kind = kinds.get(payload.hook_event_name)
  if (kind === undefined) return null
  return eventOf(kind, {
    sessionId: payload.session_id,
    transcriptPath: payload.transcript_path,
    cwd: payload.cwd,
    turnKey: payload.turn_id,
    prompt: payload.prompt,
  })
}

function parseNotification(fields: Readonly<Record<string, unknown>>): HookEvent | null {
  const inputs = fields['input-messages']
  const prompt: unknown = Array.isArray(inputs) ? inputs.at(-1) : undefined
  // The terminal UI of 0.166 has a thread of its own make a title; it is no session and has no file.
  if (typeof prompt === 'string' && prompt.startsWith(titlePrompt)) return null
  return eventOf('turn_end', {
    sessionId: fields['thread-id'],
    transcriptPath: null,
    cwd: fields.cwd,
    turnKey: fields['turn-id'],
    prompt,
  })
}

const titlePrompt = 'Generate a concise, single-line task title'
