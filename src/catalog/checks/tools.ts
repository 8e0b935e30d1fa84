// The one program offshoot cannot do without: git.
import { anyFolder } from '../../lib/exec.ts'
import type { Check } from '../../model/catalog.ts'
import type { CatalogContext } from '../context.ts'

const timeoutMs = 5_000
/** First with `checkout-index --ignore-skip-worktree-bits` and `worktree list -z` (both 2.36.0): nothing newer is asked of it. */
const oldestGit = [2, 36] as const

export async function checkGit(context: CatalogContext): Promise<Check> {
  const result = await context.exec('git', ['--version'], { cwd: anyFolder, env: context.env.vars, timeoutMs })
  const [, major, minor] = result.stdout.match(/version (\d+)\.(\d+)/) ?? []
  if (result.missing) {
    return {
      id: 'git',
      state: 'fail',
      message: 'git is not on PATH',
      fix: 'Install git: sessions are told apart by repository with it.',
    }
  }
  if (result.exitCode !== 0 || major === undefined) {
    const why = result.timedOut ? 'does not answer' : (result.stderr.trim().split('\n')[0] ?? 'fails')
    return { id: 'git', state: 'fail', message: `git --version: ${why}`, fix: 'Run `git --version` yourself.' }
  }
  const isOld = Number(major) < oldestGit[0] || (Number(major) === oldestGit[0] && Number(minor) < oldestGit[1])
  const message = result.stdout.trim()
  return isOld
    ? {
        id: 'git',
        state: 'warn',
        message: `${message}: too old for snapshots and for forks with code`,
        fix: `Update git to ${oldestGit.join('.')} or newer.`,
      }
    : { id: 'git', state: 'ok', message, fix: null }
}
