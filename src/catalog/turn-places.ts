// Where turns stand in the files that are being read, as far as reading has come across them: who scrolls up goes on there
// instead of at the file's end. Only hints: they are left behind when a file is replaced, and never trusted blindly.
import type { SessionFile } from '../agents/agent.ts'

export interface TurnPlaces {
  note(file: SessionFile, number: number, offset: number): void
  /** Where a line ends that is that of this turn or of a later one; `null` when none is known. */
  after(file: SessionFile, number: number): number | null
}

const mostFiles = 32

export function createTurnPlaces(): TurnPlaces {
  const files = new Map<string, Map<number, number>>()
  const keyOf = ({ path, inode }: SessionFile) => `${inode} ${path}`
  return {
    note(file, number, offset) {
      if (!Number.isFinite(offset)) return
      const key = keyOf(file)
      const known = files.get(key) ?? new Map<number, number>()
      files.delete(key)
      files.set(key, known.set(number, offset))
      const oldest = files.keys().next().value
      if (files.size > mostFiles && oldest !== undefined) files.delete(oldest)
    },
    after(file, number) {
      const behind = [...(files.get(keyOf(file)) ?? [])].filter(([other]) => other >= number)
      const nearest = behind.sort(([a], [b]) => a - b)[0]
      return nearest === undefined ? null : nearest[1]
    },
  }
}
