// Codex puts thread, turn and repository into `_meta` of every tool call (0.142 and 0.166).
import { isObject } from '../../lib/jsonl.ts'
import { systemText } from '../../lib/system-text.ts'
import type { CallSite } from '../call-site.ts'

export function readCodexCall(meta: Readonly<Record<string, unknown>>): CallSite | null {
  const turn = asObject(meta['x-codex-turn-metadata'])
  const sessionId = [meta.threadId, turn.thread_id, turn.session_id].find((id) => typeof id === 'string')
  if (typeof sessionId !== 'string') return null
  // One key: the top of the work tree its folder lies in. Absent outside git.
  const [root] = Object.keys(asObject(turn.workspaces))
  return {
    agent: 'codex',
    sessionId,
    turnId: typeof turn.turn_id === 'string' ? turn.turn_id : null,
    cwd: systemText(root),
  }
}

/** A header of the same name carries it as text. */
function asObject(value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value === 'string') {
    try {
      return asObject(JSON.parse(value))
    } catch {
      return {} // from outside: not what Codex writes
    }
  }
  return isObject(value) ? value : {}
}
