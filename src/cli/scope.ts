// Which sessions a command speaks of: those of the repository one stands in, of --repo, or with --all of every place.
import { resolve } from 'node:path'
import type { SessionQuery } from '../model/catalog.ts'
import type { AgentId } from '../model/session.ts'
import type { Context } from './context.ts'

export interface ScopeOptions {
  readonly agent?: AgentId | undefined
  readonly repo?: string | undefined
  readonly all?: true | undefined
}

export async function queryOf(context: Context, { agent, repo, all }: ScopeOptions): Promise<SessionQuery> {
  const place = all === true ? null : repo === undefined ? await thisRepository(context) : resolve(context.cwd, repo)
  return { ...(agent === undefined ? {} : { agent }), ...(place === null ? {} : { repo: place }) }
}

/** Outside any repository there is no "here" to speak of: everything is meant. */
async function thisRepository(context: Context): Promise<string | null> {
  const app = await context.app()
  return (await app.repositoryOf(context.cwd))?.root ?? null
}
