// Which sessions a command speaks of: those of the repository one stands in, of --repo, or with --all of every place.
import { existsSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import type { SessionQuery } from '../model/catalog.ts'
import { AppError } from '../model/error.ts'
import type { AgentId } from '../model/session.ts'
import type { Context } from './context.ts'

export interface ScopeOptions {
  readonly agent?: AgentId | undefined
  readonly repo?: string | undefined
  readonly all?: true | undefined
}

export function queryOf(context: Context, { agent, repo, all }: ScopeOptions): SessionQuery {
  const place = all === true ? undefined : repo === undefined ? findRepository(context.cwd) : namedRepository(context, repo)
  return { ...(agent === undefined ? {} : { agent }), ...(place === undefined ? {} : { repo: place }) }
}

function namedRepository(context: Context, repo: string): string {
  const path = resolve(context.cwd, repo)
  if (!existsSync(path)) throw new AppError('repo_not_found', `There is no folder ${path}`)
  const found = findRepository(path)
  if (found === undefined) throw new AppError('repo_not_found', `${path} is not inside a git repository`)
  return found
}

/** The nearest folder upwards that holds `.git` (a folder, or a worktree's file). Running git would cost 5 ms more. */
export function findRepository(from: string): string | undefined {
  for (let folder = from; ; folder = dirname(folder)) {
    if (existsSync(join(folder, '.git'))) return folder
    if (dirname(folder) === folder) return undefined
  }
}
