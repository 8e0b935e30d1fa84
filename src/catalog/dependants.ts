// Sessions that are read from other sessions' files (a Codex fork refers to its parent's): what happens to such a file changes
// how they read, so they are read again though their own files are as they were.
import type { ArchivedFile } from '../store/archive.ts'
import type { StoredFile } from '../store/sessions.ts'
import { type Found, isGone, keyOf, type Reading, type Work } from './compare.ts'

interface Comparison {
  readonly work: Work
  readonly stored: readonly StoredFile[]
  readonly files: readonly Found[]
  readonly archived: readonly ArchivedFile[]
}

export function findDependants({ work, stored, files, archived }: Comparison): Reading[] {
  const dependants = stored.filter(({ builtOn, broken, recordedParentId }) => {
    return builtOn !== '[]' || (broken === 1 && recordedParentId !== null)
  })
  if (dependants.length === 0) return []
  const there = new Set(files.flatMap(({ file }) => [file.path, ...file.olderPaths].map((path) => keyOf({ ...file, path }))))
  const copied = new Set(archived.map(keyOf))
  const isLost = (file: { readonly agent: string; readonly path: string }) =>
    !there.has(keyOf(file)) && !copied.has(keyOf(file)) && isGone(file.path)
  const rewritten = findRewritten(stored, files)
  let appeared: boolean | undefined
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
    const bases = (JSON.parse(row.builtOn) as string[]).map((path) => ({ agent, path }))
    const reads = bases.some((base) => isLost(base) || rewritten.has(keyOf(base))) || (row.broken === 1 && hasAppeared())
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

/** Something lies where nothing was known to lie: it may be what a broken session lacked. */
function hasNew(stored: readonly StoredFile[], files: readonly Found[]): boolean {
  const known = new Set(
    stored.flatMap((row) => [row.path, ...(JSON.parse(row.olderPaths) as string[])].map((path) => keyOf({ ...row, path }))),
  )
  const isNew = ({ agent, path, olderPaths }: Found['file']) =>
    [path, ...olderPaths].some((each) => !known.has(keyOf({ agent, path: each })))
  return files.some(({ file }) => isNew(file))
}
