// The first commit of a history: what stays the same when a checkout is moved, renamed or cloned.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { CatalogContext } from './context.ts'

const timeoutMs = 5_000

/** `null` without a commit or without git, and in a shallow clone, whose oldest commit is no root. */
export async function readRootCommit(context: CatalogContext, commonDir: string): Promise<string | null> {
  if (existsSync(join(commonDir, 'shallow'))) return null
  // An explicit --git-dir also passes git's check of who owns the repository; rev-list runs nothing of the repository's own.
  const args = [`--git-dir=${commonDir}`, 'rev-list', '--max-parents=0', 'HEAD', '--']
  const result = await context.exec('git', args, { cwd: commonDir, env: gitEnv(context.env.vars), timeoutMs })
  if (result.exitCode !== 0) return null
  // A merged-in history has a root of its own: the smallest name is the same one everywhere.
  return result.stdout.split('\n').filter(Boolean).sort()[0] ?? null
}

/** Inside a hook git exports GIT_DIR, GIT_INDEX_FILE and more, each of which would turn git against another repository. */
function gitEnv(vars: Readonly<Record<string, string | undefined>>): Record<string, string | undefined> {
  const kept = Object.entries(vars).filter(([name]) => !name.startsWith('GIT_'))
  return { ...Object.fromEntries(kept), GIT_OPTIONAL_LOCKS: '0', GIT_TERMINAL_PROMPT: '0', LC_ALL: 'C' }
}
