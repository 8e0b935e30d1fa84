import { lstatSync, type Stats } from 'node:fs'

/** What is at the path in the place of a file; `null` where a file is, nothing is, or nobody can look. */
export function oddKind(path: string): string | null {
  const stat = look(path)
  if (stat === null || stat.isFile()) return null
  if (stat.isDirectory()) return 'a directory'
  if (stat.isSymbolicLink()) return 'a link'
  if (stat.isFIFO()) return 'a pipe'
  return stat.isSocket() ? 'a socket' : 'a device'
}

function look(path: string): Stats | null {
  try {
    return lstatSync(path)
  } catch {
    return null // absent, or using it says better what is wrong
  }
}
