// The folder under projects/ that holds the sessions of a working directory. Both 2.1.197 and 2.1.325 use this rule; found by
// running them in directories with dots, spaces, combining letters, emoji, symlinks and more than 200 characters.
import { realpathSync } from 'node:fs'

const maxLength = 200

/** Of the real path, as the CLI sees it when started there. The name is not reversible: read `cwd` from the lines instead. */
export function folderNameOf(cwd: string): string {
  return folderNameOfPath(realpathSync(cwd))
}

/** The rule itself, for a path that is already real. */
export function folderNameOfPath(path: string): string {
  const name = path.replace(/[^a-zA-Z0-9]/g, '-') // per UTF-16 unit: an emoji becomes two
  return name.length <= maxLength ? name : `${name.slice(0, maxLength)}-${Math.abs(hashOf(path)).toString(36)}`
}

function hashOf(path: string): number {
  let hash = 0
  for (let i = 0; i < path.length; i += 1) hash = ((hash << 5) - hash + path.charCodeAt(i)) | 0
  return hash
}
