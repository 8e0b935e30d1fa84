// How a folder proves to be a workspace of offshoot: its `.git` names a work tree of the repository that the workspace was made in.
import { existsSync } from 'node:fs'
import { join } from 'node:path'

/** `dotGit`: the text of that file. Where the repository itself is gone, nothing but the name can be compared. */
export function provesWorkspace(dotGit: string, commonDir: string): boolean {
  const gitDir = /^gitdir: (.+)$/m.exec(dotGit)?.[1] ?? ''
  return gitDir.startsWith(`${join(commonDir, 'worktrees')}/`) && (!existsSync(commonDir) || existsSync(gitDir))
}
