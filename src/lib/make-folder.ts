// Makes a folder and those above it. Not by Node's own `recursive`: where a file system says ENOENT of a folder that is there (/proc,
// automounted roots), that of Node 20 tries for ever, and no time limit gets in between.
import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileErrorCode } from './file-errors.ts'
import { isFolder } from './is-folder.ts'

/** For the person alone. Nothing happens where it is there already. */
export function makeFolder(path: string): void {
  try {
    mkdirSync(path, { mode: 0o700 })
  } catch (error) {
    if (isFolder(path)) return
    const above = dirname(path)
    if (fileErrorCode(error) !== 'ENOENT' || isFolder(above)) throw error
    makeFolder(above)
    makeFolder(path)
  }
}
