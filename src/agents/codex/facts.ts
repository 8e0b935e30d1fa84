// What the lines say of the session as a whole, besides its turns.
import { systemText } from '../../lib/system-text.ts'
import { type RolloutRecord, textOrNull } from './lines.ts'
import { textOf } from './prompts.ts'

export interface Facts {
  cwd: string | null
  model: string | null
  contextWindow: number | null
  name: string | null
  /** Newest time of its own lines, as written: ISO times in UTC compare as text. */
  updatedAt: string | null
  isEmpty: boolean
  skipped: Record<string, number>
}

/** Up to 0.29 only what the model is told of its environment names the folder. */
const environmentFolder = /^\s*<environment_context>\s*<cwd>(\/[^<\n]*)<\/cwd>/

export function noFacts(): Facts {
  return { cwd: null, model: null, contextWindow: null, name: null, updatedAt: null, isEmpty: true, skipped: {} }
}

/** `own` is false for inherited lines: a fork stands in its own folder, but goes on with its parent's model. */
export function noteFacts(facts: Facts, record: RolloutRecord, own: boolean): void {
  facts.isEmpty = false
  const { type } = record
  if (own) noteTime(facts, record)
  if (type === 'turn_context' || (type === 'session_meta' && own && facts.cwd === null)) {
    facts.cwd = (own ? systemText(record.payload?.cwd) : null) ?? facts.cwd
    facts.model = systemText(record.payload?.model) ?? facts.model
  } else if (own && facts.cwd === null && type === 'response_item' && record.subtype === 'message') {
    facts.cwd = systemText(environmentFolder.exec(textOf(record.payload?.content))?.[1])
  } else if (type === 'event_msg' && record.subtype === 'task_started') {
    const window = record.payload?.model_context_window
    facts.contextWindow = typeof window === 'number' && Number.isSafeInteger(window) && window > 0 ? window : facts.contextWindow
  } else if (type === 'event_msg' && record.subtype === 'thread_name_updated' && own) {
    facts.name = textOrNull(record.payload?.thread_name) ?? facts.name
  }
}

function noteTime(facts: Facts, { timestamp }: RolloutRecord): void {
  if (timestamp !== null && (facts.updatedAt === null || timestamp > facts.updatedAt)) facts.updatedAt = timestamp
}

export function countSkipped(facts: Facts, reason: string): void {
  facts.skipped[reason] = (facts.skipped[reason] ?? 0) + 1
}
