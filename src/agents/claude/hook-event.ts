// What Claude Code writes to a hook's stdin, as a neutral event. Loaded by the hook program, so it imports next to nothing.
import { isObject } from '../../lib/jsonl.ts'
import { eventOf } from '../hook-payload.ts'
import type { HookEvent } from '../hooks.ts'

const kinds: ReadonlyMap<unknown, HookEvent['kind']> = new Map([
  ['UserPromptSubmit', 'prompt'],
  ['Stop', 'turn_end'],
  ['SessionEnd', 'session_end'],
])

/** `null` for anything that is no event of ours, whatever it is. */
export function parseClaudeEvent(payload: unknown): HookEvent | null {
  if (!isObject(payload)) return null
  const kind = kinds.get(payload.hook_event_name)
  if (kind === undefined) return null
  const event = eventOf(kind, {
    sessionId: payload.session_id,
    transcriptPath: payload.transcript_path,
    cwd: payload.cwd,
    // At the end of a session it is that of `/exit`, which is no turn.
    turnKey: kind === 'session_end' ? null : payload.prompt_id,
    prompt: payload.prompt,
  })
  return event?.kind === 'prompt' && isReport(event.prompt) ? { ...event, continues: true } : event
}

/** 2.1.325 has a background task's end begin a prompt of its own; the transcript counts it to the turn that started the task. */
function isReport(prompt: string | null): boolean {
  return prompt?.startsWith('<task-notification>') ?? false
}
