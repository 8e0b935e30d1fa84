// A workspace whose folder is not where it was made: deleted by hand, or moved. Of a folder that was moved git's note is all that
// still makes it a work tree; nobody can tell where it is until a git command in it has written the new place down.
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { isMissing } from '../../lib/file-errors.ts'
import { loadRegularText } from '../../lib/regular-file.ts'
import type { WorkspaceRecord } from '../../store/workspaces.ts'

const dayMs = 86_400_000
/** git itself writes the new place down with the first command in a moved work tree, once its note is a day old. */
const graceMs = 7 * dayMs

/** Why git's note of it must stay; `null` when it may go. */
export async function whyNoteStays({ path, commonDir }: WorkspaceRecord, now: number): Promise<string | null> {
  const notes = join(commonDir, 'worktrees')
  for (const name of await readdir(notes).catch(orNothing([]))) {
    const place = (await loadRegularText(join(notes, name, 'gitdir')).catch(orNothing(''))).trim()
    if (place !== join(path, '.git')) continue
    const times = await Promise.all(['gitdir', 'HEAD', 'index', 'logs/HEAD'].map((file) => changedAt(join(notes, name, file))))
    if (now - Math.max(...times) < graceMs)
      return 'it was in use within the last week; if you moved it, run git worktree repair in it'
  }
  return null
}

async function changedAt(path: string): Promise<number> {
  return (await stat(path).catch(orNothing({ mtimeMs: 0 }))).mtimeMs
}

function orNothing<T>(nothing: T): (error: unknown) => T {
  return (error) => {
    if (isMissing(error)) return nothing
    throw error
  }
}
