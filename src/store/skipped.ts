// Lines that were not understood, counted per session and reason: what `doctor` names.
import type { AgentId } from '../model/session.ts'
import type { Database } from './open.ts'

/** What one session holds of one reason. */
export interface SkippedLines {
  readonly agent: AgentId
  readonly sessionId: string
  readonly reason: string
  readonly count: number
  /** Turns of the session's dead branches. */
  readonly deadTurns: number
}

export function createSkippedTable(db: Database) {
  const clear = db.prepare<[number]>('DELETE FROM skipped WHERE session_key = ?')
  const insert = db.prepare<[number, string, number]>('INSERT INTO skipped (session_key, reason, count) VALUES (?, ?, ?)')
  const select = db.prepare<[number], { reason: string; count: number }>(
    'SELECT reason, count FROM skipped WHERE session_key = ?',
  )
  const any = db.prepare<[string, string, string], object>(
    'SELECT 1 FROM skipped k JOIN sessions s ON s.key = k.session_key WHERE s.agent = ? AND s.id = ? AND k.reason = ? LIMIT 1',
  )
  const all = db.prepare<[], SkippedLines>(
    `SELECT s.agent, s.id AS sessionId, k.reason, k.count,
       (SELECT COUNT(*) FROM turns t WHERE t.session_key = s.key AND t.number IS NULL) AS deadTurns
     FROM skipped k JOIN sessions s ON s.key = k.session_key ORDER BY k.count DESC, k.reason, s.id`,
  )
  return {
    replace(sessionKey: number, skipped: Readonly<Record<string, number>>): void {
      clear.run(sessionKey)
      for (const [reason, count] of Object.entries(skipped)) insert.run(sessionKey, reason, count)
    },
    of(sessionKey: number): Record<string, number> {
      return Object.fromEntries(select.all(sessionKey).map(({ reason, count }) => [reason, count]))
    },
    has: (agent: AgentId, sessionId: string, reason: string): boolean => any.get(agent, sessionId, reason) !== undefined,
    /** Most first. */
    all: (): SkippedLines[] => all.all(),
  }
}
