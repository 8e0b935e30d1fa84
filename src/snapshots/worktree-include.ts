// `.worktreeinclude`: the ignored files (.env and the like) a repository wants in its worktrees, in the syntax of .gitignore.
// git itself does the matching; only ignored files count, what is tracked or untracked comes along anyway.
import { join } from 'node:path'
import { type BytePath, splitRecords } from './byte-path.ts'
import type { Git } from './git.ts'
import { look } from './look.ts'
import type { Status } from './status.ts'

const fileName = '.worktreeinclude'

/** A pattern without a slash is looked for in ignored folders too, as .gitignore would: the price is a walk through them. */
export async function findIncluded(git: Git, root: string, index: string, status: Status): Promise<BytePath[]> {
  const patterns = join(root, fileName)
  // Not through a link: a hostile repository could point it at a device.
  if (!(await look(patterns))?.isFile()) return []
  const { stdout } = await git(['ls-files', '-z', '--others', '--ignored', `--exclude-from=${patterns}`], { cwd: root, index })
  const untracked = new Set(status.entries.filter((entry) => entry.kind === 'untracked').map((entry) => entry.path))
  const matches = splitRecords(stdout) as BytePath[]
  return matches.filter((path) => !path.endsWith('/') && !untracked.has(path))
}
