// Where the commits of a workspace are pushed to: a remote that is there. One that was asked for and is not is an error, said before
// anything is made; what the settings say holds where it can.
import { AppError } from '../model/error.ts'
import type { Git } from '../snapshots/git.ts'
import type { Repository } from '../snapshots/repository.ts'
import type { ForkContext } from './context.ts'

export async function choosePush(context: ForkContext, repository: Repository, asked?: string | null): Promise<string | null> {
  if (asked === null) return null
  if (asked === undefined && (await context.pushes?.()) !== true) return null
  const remotes = await listRemotes(context.git, repository)
  const remote = asked ?? 'origin'
  if (remotes.includes(remote)) return remote
  if (asked === undefined) return null
  const known = remotes.length === 0 ? 'It has none.' : `It has: ${remotes.join(', ')}.`
  throw new AppError('refused', `The repository has no remote "${remote}". ${known}`, {
    hint: `Name another with ${context.nameOption('push')}, or leave it out.`,
  })
}

async function listRemotes(git: Git, { root, commonDir }: Repository): Promise<string[]> {
  const { stdout } = await git(['remote'], { cwd: root ?? commonDir })
  return stdout.split('\n').filter(Boolean)
}
