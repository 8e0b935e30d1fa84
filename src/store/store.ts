// The store as the rest of offshoot sees it: one object per noun, and a transaction around what belongs together.
import { createArchiveTable } from './archive.ts'
import { createCaptureTable } from './captures.ts'
import { isDamage, nameFullDisk } from './faults.ts'
import { createForkSeedTable } from './fork-seeds.ts'
import { createForkTable } from './forks.ts'
import { createJournalTable } from './journal.ts'
import { createLabelTable } from './labels.ts'
import { withLazyStatements } from './lazy-statements.ts'
import { createMetaTable } from './meta.ts'
import { busyTimeoutMs, type Database, databasePath, openDatabase, refuseNewer } from './open.ts'
import { createPushTable } from './pushes.ts'
import { repairDatabase } from './repair.ts'
import { createRepositoryTable } from './repositories.ts'
import { createRestoreTable } from './restores.ts'
import { createDroppedTable } from './search-dropped.ts'
import { createSearchIndexTable } from './search-index.ts'
import { createSearchLookup } from './search-lookup.ts'
import { createSegmentTable } from './search-segments.ts'
import { createSearchVectorTable } from './search-vectors.ts'
import { createSessionTable } from './sessions.ts'
import { createSkippedTable } from './skipped.ts'
import { createTurnTable } from './turns.ts'
import { createWorkerTable } from './workers.ts'
import { createWorkspaceTable } from './workspaces.ts'

export interface StoreOptions {
  /** `$OFFSHOOT_HOME`. */
  readonly folder: string
  readonly now: () => number
  /** Told where a damaged database was moved to. */
  readonly onRepair?: (movedTo: string) => void
}

/** Nobody waits long for a log to be emptied: the next update does it as well. */
const logWaitMs = 100

export type Store = ReturnType<typeof wrap>

export function openStore(options: StoreOptions): Store {
  try {
    return wrap(openDatabase(options.folder), options.folder)
  } catch (error) {
    if (!isDamage(error)) throw error
    return repairStore(options)
  }
}

/** For damage that shows only later, when a page is read. The store that met it must be closed first. */
export function repairStore({ folder, now, onRepair }: StoreOptions): Store {
  const { db, movedTo } = repairDatabase(folder, now)
  if (movedTo !== null) onRepair?.(movedTo)
  return wrap(db, folder)
}

function wrap(opened: Database, folder: string) {
  const db = withLazyStatements(opened)
  const newest = db.prepare<[], { at: number }>(
    'SELECT MAX(at) AS at FROM (SELECT MAX(created_at) AS at FROM forks UNION ALL SELECT MAX(created_at) FROM restores)',
  )
  const totalChanges = db.prepare<[], { count: number }>('SELECT total_changes() AS count')
  // Prepared when first asked for: most commands never search.
  let searching: ReturnType<typeof createSearch> | undefined
  return {
    path: databasePath(folder),
    meta: createMetaTable(db),
    sessions: createSessionTable(db),
    turns: createTurnTable(db),
    skipped: createSkippedTable(db),
    repositories: createRepositoryTable(db),
    archive: createArchiveTable(db),
    forks: createForkTable(db),
    forkSeeds: createForkSeedTable(db),
    journal: createJournalTable(db),
    workspaces: createWorkspaceTable(db),
    captures: createCaptureTable(db),
    restores: createRestoreTable(db),
    pushes: createPushTable(db),
    workers: createWorkerTable(db),
    labels: createLabelTable(db),
    get search() {
      searching ??= createSearch(db)
      return searching
    },
    /**
     * The time of a fork, start or restore made now: later than those of all that were made before, even when the clock was set back.
     * `undo` takes back the newest of them.
     */
    timeOfNext(now: number): number {
      return Math.max(now, (newest.get()?.at ?? 0) + 1)
    },
    /** Takes the write lock at once: a reader that turns writer half-way could be refused without waiting. */
    write<T>(work: () => T): T {
      if (db.inTransaction) return work()
      const guarded = db.transaction(() => {
        refuseNewer(db, databasePath(folder))
        return work()
      })
      try {
        return guarded.immediate()
      } catch (error) {
        throw nameFullDisk(error, folder)
      }
    },
    /** Several questions about one moment: without it another process may write between two of them. */
    read<T>(work: () => T): T {
      return db.inTransaction ? work() : db.transaction(work).deferred()
    },
    /** So many pages are written to the log before they go into the database: more for who writes much, as the same ones come again. */
    setCheckpoint(pages: number): void {
      db.pragma(`wal_autocheckpoint = ${pages}`)
    },
    /** Empties the log into the database; not while another process reads from it. */
    truncateLog(): boolean {
      db.pragma(`busy_timeout = ${logWaitMs}`)
      try {
        return db.pragma('wal_checkpoint(TRUNCATE)', { simple: true }) === 0
      } finally {
        db.pragma(`busy_timeout = ${busyTimeoutMs}`)
      }
    },
    /**
     * Copies what is live into fresh pages: what `secure_delete` misses (a row SQLite moved when it split a page) and free pages are
     * gone once the log is emptied. One transaction: a full disk or a kill leaves the file as it was.
     */
    pack(): void {
      db.exec('VACUUM')
    },
    /** Changes with every write, here or in another process; costs nothing to ask. */
    version(): string {
      return `${db.pragma('data_version', { simple: true })} ${totalChanges.get()?.count}`
    },
    /** What SQLite itself says about the file: `ok`, or the first fault. */
    check(): string {
      return String(db.pragma('quick_check(1)', { simple: true }))
    },
    schemaVersion(): number {
      return Number(db.pragma('user_version', { simple: true }))
    },
    close(): void {
      db.close()
    },
  }
}

function createSearch(db: Database) {
  return {
    index: createSearchIndexTable(db),
    lookup: createSearchLookup(db),
    segments: createSegmentTable(db),
    vectors: createSearchVectorTable(db),
    dropped: createDroppedTable(db),
  }
}
