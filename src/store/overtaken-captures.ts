// Corrects captures of prompts typed ahead, as versions recorded them that took the silent turn before such a prompt for open. The rows are
// recognised by their times alone: two turns of one session do not run at once.
import type { Capture } from '../model/capture.ts'

type Ended = Capture & { readonly endedAt: number }

/** `rows`: all of one session. What they say wrongly is left out: the end of the silent turn, and the start of the one typed ahead. */
export function correctOvertaken(rows: readonly Capture[]): Capture[] {
  const unannounced = rows.filter(isUnannounced)
  if (unannounced.length === 0) return [...rows]
  const ends = rows.filter(isEnded)
  // Captured late, with the work of a turn that began and ended meanwhile.
  const isOvertaken = (row: Capture) =>
    isEnded(row) &&
    row.by === 'late' &&
    unannounced.some((other) => other !== row && isBetween(other, row.startedAt, row.endedAt))
  const hasWrongStart = (row: Capture) => isUnannounced(row) && row.startTree !== null && ranBefore(row, rows, ends)
  return rows.filter((row) => !isOvertaken(row)).map((row) => (hasWrongStart(row) ? withoutStart(row) : row))
}

/** No event told of its start: where it has one, that is what the last turn left that had ended by then. */
function isUnannounced(row: Capture): row is Ended {
  return isEnded(row) && row.by === 'hook' && row.startedAt === null
}

/** A turn was open when this one ended, and nothing else ended since that began: the start is older than both. */
function ranBefore(row: Ended, rows: readonly Capture[], ends: readonly Ended[]): boolean {
  return rows.some(({ turnKey, startedAt }) => {
    if (turnKey === row.turnKey || startedAt === null || startedAt >= row.endedAt) return false
    return !ends.some((other) => other.turnKey !== row.turnKey && isBetween(other, startedAt, row.endedAt))
  })
}

function isBetween({ endedAt }: Ended, from: number | null, to: number): boolean {
  return from !== null && from < endedAt && endedAt < to
}

function isEnded(row: Capture): row is Ended {
  return row.moment === 'end' && row.endedAt !== null
}

function withoutStart(row: Capture): Capture {
  return { ...row, startTree: null, files: [], added: 0, removed: 0 }
}
