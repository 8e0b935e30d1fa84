// Paths as a person, a plan or a record names them: as they are shown. One name may stand for several paths of bytes, and many
// names do not fit a command line.
import { type BytePath, folderOf, showPath } from './byte-path.ts'

/** A name as it is shown stands for every path that is shown so; a folder stands for what is in it. No names: everything. */
export function createNameCheck(named: readonly string[]): (path: BytePath) => boolean {
  const names = new Set(named)
  const check = (path: BytePath | null): boolean => path !== null && (names.has(showPath(path)) || check(folderOf(path)))
  return named.length === 0 ? () => true : check
}

const maxArgumentBytes = 100_000

/** A name with bytes that are not UTF-8 is not shown as it is: no argument can be it. */
export function canBeArguments(names: readonly string[]): boolean {
  return (
    names.reduce((total, name) => total + name.length, 0) < maxArgumentBytes && !names.some((name) => name.includes('\ufffd'))
  )
}
