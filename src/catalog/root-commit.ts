// The first commit of a history: what stays the same when a checkout is moved, renamed or cloned.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { askGit } from '../lib/ask-git.ts'
import type { CatalogContext } from './context.ts'

/** `null` without a commit or without git, and in a shallow clone, whose oldest commit is no root. */
export async function readRootCommit(context: CatalogContext, commonDir: string): Promise<string | null> {
  if (existsSync(join(commonDir, 'shallow'))) return null
  // An explicit --git-dir also passes git's check of who owns the repository; nothing of the repository's own is run.
  const args = [`--git-dir=${commonDir}`, 'rev-list', '--max-parents=0', 'HEAD', '--']
  const result = await askGit(args, { cwd: commonDir, vars: context.env.vars })
  if (result.exitCode !== 0) return null
  // A merged-in history has a root of its own: the smallest name is the same one everywhere.
  return result.stdout.split('\n').filter(Boolean).sort()[0] ?? null
}
