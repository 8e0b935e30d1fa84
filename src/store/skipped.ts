// Lines that were not understood, counted per session and reason: what `doctor` names.
import type { Database } from './open.ts'

export interface SkippedTotal {
  readonly agent: string
  readonly reason: string
  readonly count: number
  readonly sessions: number
}

export function createSkippedTable(db: Database) {
  const clear = db.prepare<[number]>('DELETE FROM skipped WHERE session_key = ?')
  const insert = db.prepare<[number, string, number]>('INSERT INTO skipped (session_key, reason, count) VALUES (?, ?, ?)')
  const select = db.prepare<[number], { reason: string; count: number }>(
    'SELECT reason, count FROM skipped WHERE session_key = ?',
  )
  const totals = db.prepare<[], SkippedTotal>(
    `SELECT s.agent, k.reason, SUM(k.count) AS count, COUNT(*) AS sessions
     FROM skipped k JOIN sessions s ON s.key = k.session_key GROUP BY s.agent, k.reason ORDER BY count DESC, k.reason`,
  )
  return {
    replace(sessionKey: number, skipped: Readonly<Record<string, number>>): void {
      clear.run(sessionKey)
      for (const [reason, count] of Object.entries(skipped)) insert.run(sessionKey, reason, count)
    },
    of(sessionKey: number): Record<string, number> {
      return Object.fromEntries(select.all(sessionKey).map(({ reason, count }) => [reason, count]))
    },
    totals: (): SkippedTotal[] => totals.all(),
  }
}
