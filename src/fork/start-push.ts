// Where the commits of a workspace are pushed to: a remote that is there, said before anything is made.
import { AppError } from '../model/error.ts'
import type { Git } from '../snapshots/git.ts'
import type { Repository } from '../snapshots/repository.ts'

export async function checkPush(git: Git, { root, commonDir }: Repository, remote: string): Promise<void> {
  const { stdout } = await git(['remote'], { cwd: root ?? commonDir })
  const remotes = stdout.split('\n').filter(Boolean)
  if (remotes.includes(remote)) return
  const known = remotes.length === 0 ? 'It has none.' : `It has: ${remotes.join(', ')}.`
  throw new AppError('refused', `The repository has no remote "${remote}". ${known}`, {
    hint: 'Name another with --push <remote>, or leave --push out.',
  })
}
