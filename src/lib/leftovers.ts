// Finds the temporary files that killed writers may have left beside a file: regular files whose name has exactly the writer's pattern.
import { lstatSync, readdirSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fileErrorCode, isMissing } from './file-errors.ts'

export interface Leftover {
  readonly path: string
  readonly mtimeMs: number
  /** What the first group of `ending` matched. */
  readonly captured: string
}

/** Files named `<prefix><name of path><ending>`. A folder that may not be listed shows none. */
export function findLeftovers(path: string, ending: RegExp, prefix = ''): Leftover[] {
  const folder = dirname(path)
  const start = `${prefix}${basename(path)}`
  return namesIn(folder).flatMap((name) => {
    const match = name.startsWith(start) ? ending.exec(name.slice(start.length)) : null
    if (match === null) return []
    const found = join(folder, name)
    const stats = lstatSync(found, { throwIfNoEntry: false })
    return stats?.isFile() ? [{ path: found, mtimeMs: stats.mtimeMs, captured: match[1] ?? '' }] : []
  })
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch (error) {
    if (isMissing(error) || fileErrorCode(error) === 'EACCES') return []
    throw error
  }
}
