// The steps of what is under way, each with its undo, written before it runs. An empty journal means nothing was cut off.
import type { Database } from './open.ts'

export interface JournalStep {
  readonly forkId: string
  readonly position: number
  readonly step: string
  /** How to take it back. JSON. */
  readonly undo: unknown
  readonly done: boolean
}

interface Row {
  forkId: string
  position: number
  step: string
  undo: string
  done: number
}

const columns = 'fork_id AS forkId, position, step, undo, done'

export function createJournalTable(db: Database) {
  const open = db.prepare<[], { forkId: string }>('SELECT fork_id AS forkId FROM journal GROUP BY fork_id ORDER BY MIN(at)')
  const of = db.prepare<[string], Row>(`SELECT ${columns} FROM journal WHERE fork_id = ? ORDER BY position`)
  const begin = db.prepare<[string, number, string, string, number]>(
    'INSERT OR REPLACE INTO journal (fork_id, position, step, undo, done, at) VALUES (?, ?, ?, ?, 0, ?)',
  )
  const setUndo = db.prepare<[string, string, number]>('UPDATE journal SET undo = ? WHERE fork_id = ? AND position = ?')
  const finish = db.prepare<[string, number]>('UPDATE journal SET done = 1 WHERE fork_id = ? AND position = ?')
  const remove = db.prepare<[string, number]>('DELETE FROM journal WHERE fork_id = ? AND position = ?')
  const clear = db.prepare<[string]>('DELETE FROM journal WHERE fork_id = ?')
  return {
    /** Forks that are being made or undone, or were when something cut them off; the oldest first. */
    openForks: (): string[] => open.all().map(({ forkId }) => forkId),
    stepsOf: (forkId: string): JournalStep[] =>
      of.all(forkId).map(({ undo, done, ...row }) => ({ ...row, undo: JSON.parse(undo) as unknown, done: done === 1 })),
    begin(forkId: string, position: number, step: string, undo: unknown, at: number): void {
      begin.run(forkId, position, step, JSON.stringify(undo ?? null), at)
    },
    setUndo(forkId: string, position: number, undo: unknown): void {
      setUndo.run(JSON.stringify(undo ?? null), forkId, position)
    },
    finish(forkId: string, position: number): void {
      finish.run(forkId, position)
    },
    /** Taken back. */
    remove(forkId: string, position: number): void {
      remove.run(forkId, position)
    },
    clear(forkId: string): void {
      clear.run(forkId)
    },
  }
}
