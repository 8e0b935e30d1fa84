// One at a time per repository, across processes: git's own `worktree add` reads half-made neighbours and fails, and two of
// them on one path leave wrecks. The lock is a file in the shared git folder.
import { join } from 'node:path'
import { withLockFile } from '../lib/lock-file.ts'
import { AppError } from '../model/error.ts'

/** Half a minute; what is done under the lock takes milliseconds. */
const patience = { maxTries: 1200 }

export async function withRepositoryLock<T>(
  commonDir: string,
  work: () => Promise<T>,
  { maxTries }: { readonly maxTries: number } = patience,
): Promise<T> {
  const lock = join(commonDir, 'offshoot-worktrees.lock')
  const onBusy = (pid: string) =>
    new AppError('busy', `Another offshoot (process ${pid}) is working on the worktrees of this repository.`, {
      hint: `Try again in a moment. If no such process is running, remove ${lock}.`,
    })
  return withLockFile(lock, work, { maxTries, onBusy })
}
