// Sessions that are read from other sessions' files (a Codex fork refers to its parent's): what happens to such a file changes
// how they read, so they are read again though their own files are as they were.
import type { Base } from '../agents/reading.ts'
import type { StoredFile } from '../store/sessions.ts'
import { type Found, isGone, keyOf, type Reading, type Work } from './compare.ts'

export function findDependants(work: Work, stored: readonly StoredFile[], files: readonly Found[]): Reading[] {
  const dependants = stored.filter(({ builtOn, broken, recordedParentId }) => {
    return builtOn !== '[]' || (broken === 1 && recordedParentId !== null)
  })
  if (dependants.length === 0) return []
  const there = new Set(files.flatMap(({ file, state }) => (state === 'gone' ? [] : keysOf(file))))
  const rewritten = findRewritten(stored, files)
  let appeared: boolean | undefined
  /** It may be what a broken session lacked, or what a copy was read for. */
  const hasAppeared = () => {
    appeared ??= hasNew(stored, files)
    return appeared
  }
  const reading = new Set(work.readings.map(({ file }) => keyOf(file)))
  const moved = new Map(work.moves.map(({ key, path }) => [key, path]))
  const byPlace = new Map(files.map((each) => [keyOf(each.file), each]))
  return dependants.flatMap((row) => {
    const { agent } = row
    const each = byPlace.get(keyOf({ agent, path: moved.get(row.key) ?? row.path }))
    if (each === undefined || reading.has(keyOf(each.file))) return []
    const bases = JSON.parse(row.builtOn) as Base[]
    const reads =
      bases.some(({ path, isCopy }) => {
        const base = { agent, path }
        return rewritten.has(keyOf(base)) || (!there.has(keyOf(base)) && isGone(path)) !== isCopy
      }) ||
      ((row.broken === 1 || bases.some(({ isCopy }) => isCopy)) && hasAppeared())
    return reads ? [{ ...each, previousKey: null }] : []
  })
}

/** Files of which earlier lines may have changed: a file that is only appended to keeps its inode and what it had. */
function findRewritten(stored: readonly StoredFile[], files: readonly Found[]): Set<string> {
  const now = new Map(files.map(({ file }) => [keyOf(file), file]))
  const rewritten = stored.filter((row) => {
    const file = now.get(keyOf(row))
    return file !== undefined && (file.inode !== row.inode || file.bytes < row.bytes)
  })
  return new Set(rewritten.map(keyOf))
}

/** Something lies where nothing was known to lie. */
function hasNew(stored: readonly StoredFile[], files: readonly Found[]): boolean {
  const known = new Set(stored.flatMap((row) => keysOf({ ...row, olderPaths: JSON.parse(row.olderPaths) as string[] })))
  return files.some(({ file }) => keysOf(file).some((key) => !known.has(key)))
}

function keysOf({ agent, path, olderPaths }: Pick<Found['file'], 'agent' | 'path' | 'olderPaths'>): string[] {
  return [path, ...olderPaths].map((each) => keyOf({ agent, path: each }))
}
