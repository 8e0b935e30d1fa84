// What is remembered of sessions that are being read turn by turn: their turns, as long as the catalogue holds the same, and where
// turns stand in the file, so that who scrolls up goes on there instead of at the file's end. Places are only hints.
import type { Turn } from '../model/session.ts'
import type { StoredSession } from '../store/sessions.ts'
import type { CatalogContext } from './context.ts'

export interface Reading {
  /** The live chain as the catalogue knows it. */
  readonly turns: readonly Turn[]
  note(number: number, lineEnd: number): void
  /** Where a line ends that is that of this turn or of a later one; `null` when none is known. */
  after(number: number): number | null
}

export type Readings = (row: StoredSession) => Reading

const mostSessions = 32

interface Remembered {
  readonly revision: number
  readonly inode: number
  readonly turns: readonly Turn[]
  readonly places: Map<number, number>
}

export function rememberReadings(context: CatalogContext): Readings {
  const sessions = new Map<string, Remembered>()
  return (row) => {
    const { agent, path, key, revision, inode } = row
    const name = `${agent} ${path}`
    const before = sessions.get(name)
    const turns = before?.revision === revision ? before.turns : context.store().turns.live(key)
    // A grown file keeps its lines where they are; another one does not.
    const places = before?.inode === inode ? before.places : new Map<number, number>()
    sessions.delete(name)
    sessions.set(name, { revision, inode, turns, places })
    const oldest = sessions.keys().next().value
    if (sessions.size > mostSessions && oldest !== undefined) sessions.delete(oldest)
    return {
      turns,
      note(number, lineEnd) {
        if (Number.isFinite(lineEnd)) places.set(number, lineEnd)
      },
      after(number) {
        const behind = [...places].filter(([other]) => other >= number).sort(([a], [b]) => a - b)
        return behind[0]?.[1] ?? null
      },
    }
  }
}
