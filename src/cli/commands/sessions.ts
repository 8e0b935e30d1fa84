// `offshoot sessions`: what there is, newest first. The command people run most: it loads nothing it does not print with.
import type { App } from '../../app.ts'
import type { PushState } from '../../model/capture.ts'
import type { CatalogSession, SessionQuery } from '../../model/catalog.ts'
import { AppError } from '../../model/error.ts'
import { renderSession, sessionAddress } from '../../model/render.ts'
import { renderPush } from '../../model/render-code.ts'
import type { Context } from '../context.ts'
import { refreshWithMeter } from '../progress.ts'
import { queryOf, type ScopeOptions } from '../scope.ts'

const archiveBudgetMs = 200

export interface SessionsOptions extends ScopeOptions {
  readonly limit?: number | undefined
  readonly after?: string | undefined
  readonly json?: true | undefined
}

export async function listSessions(context: Context, options: SessionsOptions): Promise<void> {
  const query = await queryOf(context, options)
  const limit = options.limit ?? (options.json === true ? 0 : await context.setting<number>('list.limit'))
  const app = await context.app()
  const isFresh = await refreshWithMeter(context, app)
  const page = await readPage(app, { query, limit, after: options.after, refresh: !isFresh })
  if (options.json === true) {
    const sessions = page.sessions.map(renderSession)
    const pushes = (await app.pushStates()).map(renderPush)
    const next = page.next === undefined ? {} : { next: page.next }
    await context.out.json({ sessions, ...(pushes.length === 0 ? {} : { pushes }), ...next })
    return
  }
  if (page.sessions.length === 0) await (await import('../empty.ts')).explainNoSessions(context, query)
  else await (await import('../session-table.ts')).printSessions(context, page.sessions, page.next !== undefined)
  if (!context.out.isTerminal) return
  // The answer is on the screen: a moment to save sessions that the agents are about to delete.
  await context.out.flush()
  await notePushes(context, await app.pushStates())
  await app.archive({ budgetMs: archiveBudgetMs })
}

/** Whoever pushes gives up after a while, or was cut off: this is when somebody looks again. */
async function notePushes(context: Context, pushes: readonly PushState[]): Promise<void> {
  const failing = pushes.filter(({ problem }) => problem !== null).length
  const branches = failing === 1 ? 'branch' : 'branches'
  if (failing > 0) context.out.note(`${failing} ${branches} could not be pushed: see \`offshoot doctor\`.`)
  const isDue = pushes.some(({ nextAt }) => nextAt !== null && nextAt <= context.now())
  if (isDue) (await import('../indexing/start-apart.ts')).startApart(context, '__after-capture')
}

interface Page {
  readonly sessions: readonly CatalogSession[]
  /** The address behind which the next page starts; absent on the last one. */
  readonly next?: string
}

interface PageRequest {
  readonly query: SessionQuery
  readonly limit: number
  readonly after: string | undefined
  readonly refresh: boolean
}

async function readPage(app: App, { query, limit, after, refresh }: PageRequest): Promise<Page> {
  const wanted = limit > 0 && after === undefined ? { ...query, limit: limit + 1 } : query
  const all = await app.listSessions(wanted, { refresh })
  const start = after === undefined ? 0 : all.findIndex((session) => sessionAddress(session) === after) + 1
  if (after !== undefined && start === 0) throw new AppError('session_not_found', `--after: no session ${after} in this list`)
  const sessions = all.slice(start, limit > 0 ? start + limit : undefined)
  const last = sessions.at(-1)
  return all.length > start + sessions.length && last !== undefined ? { sessions, next: sessionAddress(last) } : { sessions }
}
