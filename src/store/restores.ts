// Restores, each with the ref of the state before it: what `undo` brings back.
import type { Database } from './open.ts'

export interface RestoreRecord {
  readonly id: string
  /** `restoring` and `undoing` were cut off when they are still that later on. */
  readonly state: 'restoring' | 'restored' | 'undoing' | 'undone'
  readonly root: string
  readonly commonDir: string
  readonly safetyRef: string
  /** The address or object it was restored from, as the person gave it. */
  readonly source: string
  /** The state that was restored: what was done since shows against it. */
  readonly targetTree: string
  readonly paths: readonly string[]
  readonly createdAt: number
  readonly undoneAt: number | null
}

/** Unless its own process is still at it. */
export function isCutOff({ state }: Pick<RestoreRecord, 'state'>): boolean {
  return state === 'restoring' || state === 'undoing'
}

type Row = Omit<RestoreRecord, 'paths'> & { paths: string }

const columns = `id, state, root, common_dir AS commonDir, safety_ref AS safetyRef, source, target_tree AS targetTree, paths,
  created_at AS createdAt, undone_at AS undoneAt`

export function createRestoreTable(db: Database) {
  const all = db.prepare<[], Row>(`SELECT ${columns} FROM restores ORDER BY created_at DESC, id`)
  const one = db.prepare<[string], Row>(`SELECT ${columns} FROM restores WHERE id = ?`)
  const put = db.prepare(
    `INSERT OR REPLACE INTO restores (id, state, root, common_dir, safety_ref, source, target_tree, paths, created_at, undone_at)
     VALUES (@id, @state, @root, @commonDir, @safetyRef, @source, @targetTree, @paths, @createdAt, @undoneAt)`,
  )
  const remove = db.prepare<[string]>('DELETE FROM restores WHERE id = ?')
  return {
    /** Newest first. */
    all: (): RestoreRecord[] => all.all().map(toRecord),
    cutOff: (): RestoreRecord[] => all.all().filter(isCutOff).map(toRecord),
    get(id: string): RestoreRecord | null {
      const row = one.get(id)
      return row === undefined ? null : toRecord(row)
    },
    put(record: RestoreRecord): void {
      put.run({ ...record, paths: JSON.stringify(record.paths) })
    },
    remove(id: string): void {
      remove.run(id)
    },
  }
}

function toRecord(row: Row): RestoreRecord {
  return { ...row, paths: JSON.parse(row.paths) as string[] }
}
