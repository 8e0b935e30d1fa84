// `.worktreeinclude`: the ignored files (.env and the like) a repository wants in its worktrees, in the syntax of .gitignore.
// git itself does the matching; only ignored files count, what is tracked or untracked comes along anyway.
import { lstat } from 'node:fs/promises'
import { join } from 'node:path'
import { isMissing } from '../lib/file-errors.ts'
import { type BytePath, splitRecords } from './byte-path.ts'
import type { Git } from './git.ts'
import type { Status } from './status.ts'

const fileName = '.worktreeinclude'

/** A pattern without a slash is looked for in ignored folders too, as .gitignore would: the price is a walk through them. */
export async function findIncluded(git: Git, root: string, index: string, status: Status): Promise<BytePath[]> {
  const patterns = join(root, fileName)
  if (!(await isPlainFile(patterns))) return []
  const { stdout } = await git(['ls-files', '-z', '--others', '--ignored', `--exclude-from=${patterns}`], { cwd: root, index })
  const untracked = new Set(status.entries.filter((entry) => entry.kind === 'untracked').map((entry) => entry.path))
  const matches = splitRecords(stdout) as BytePath[]
  return matches.filter((path) => !path.endsWith('/') && !untracked.has(path))
}

/** Not a link: a hostile repository could point it at a device. */
async function isPlainFile(path: string): Promise<boolean> {
  try {
    return (await lstat(path)).isFile()
  } catch (error) {
    if (isMissing(error)) return false
    throw error
  }
}
