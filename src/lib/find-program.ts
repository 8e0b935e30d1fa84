// Where a program is, by the PATH we were handed; and whether its version is new enough.
import { accessSync, constants, statSync } from 'node:fs'
import { delimiter, join } from 'node:path'

/** Absolute, or `null` when no folder of the PATH holds a file of that name that we may run. */
export function findProgram(name: string, path: string | undefined): string | null {
  const folders = (path ?? '').split(delimiter).filter((folder) => folder !== '')
  return folders.map((folder) => join(folder, name)).find(isExecutable) ?? null
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false // not there, or not ours to run
  }
}

/** `2.1.325` against `[2, 1, 197]`; what follows the numbers does not count. */
export function isAtLeast(version: string, wanted: readonly number[]): boolean {
  const parts = version.split('.').map((part) => Number.parseInt(part, 10) || 0)
  const at = wanted.findIndex((part, position) => part !== (parts[position] ?? 0))
  return at === -1 || (parts[at] ?? 0) > (wanted[at] ?? 0)
}
