// The server as one function from request to answer: what it refuses, what it limits, and its routes. Nothing listens here.

import { randomUUID } from 'node:crypto'
import { OpenAPIHono } from '@hono/zod-openapi'
import { bodyLimit } from 'hono/body-limit'
import { methodNotAllowed } from 'hono/method-not-allowed'
import { secureHeaders } from 'hono/secure-headers'
import type { GuardedApp, GuardOptions } from '../guarded-app.ts'
import type { Log } from '../lib/log.ts'
import type { BackgroundStatus } from '../model/background.ts'
import { AppError } from '../model/error.ts'
import type { EventBody } from '../model/event.ts'
import { redactDocument } from '../redact/document.ts'
import { createRedactor } from '../redact/redact.ts'
import { type Api, type ApiEnv, createAnswer, type RouteAccess } from './api.ts'
import { requireToken } from './auth.ts'
import type { EventFeed } from './events.ts'
import { createFeeds } from './feeds.ts'
import { createLimit, type LimitOptions } from './limits.ts'
import { requireOwnHost } from './origin.ts'
import { describeProblem, problemOf, problemResponse, refuseRequest } from './problem.ts'
import { addEventRoutes } from './routes/events.ts'
import { addForkRoutes } from './routes/fork.ts'
import { addHealthRoutes } from './routes/health.ts'
import { addMessageRoutes } from './routes/message.ts'
import { addOpenApiRoute } from './routes/openapi.ts'
import { addSearchRoutes } from './routes/search.ts'
import { addSessionRoutes } from './routes/session.ts'
import { addWorkerRoutes } from './routes/workers.ts'
import { limitApp, ownerAccess } from './tokens/access.ts'
import type { LiveToken, LiveTokens } from './tokens/live-tokens.ts'
import { requireScope } from './tokens/require-scope.ts'
import { wordsOf } from './words.ts'

export interface ServerOptions {
  readonly token: string
  readonly version: string
  readonly log: Log
  readonly now: () => number
  /** What it listens on: the names it goes by follow from that. */
  readonly host?: string
  /** Of this run; in server.json too. */
  readonly instance?: string
  readonly background?: () => BackgroundStatus | null
  /** Absent: there is only the owner's token. */
  readonly tokens?: CreatedTokens
  /** Adds `/mcp`, behind the same checks as every route. */
  readonly mount?: (api: Api) => void
  readonly maxBodyBytes?: number
  readonly heartbeatMs?: number
  readonly keepEvents?: number
  readonly limits?: { readonly all?: LimitOptions; readonly failures?: LimitOptions; readonly deeds?: LimitOptions }
}

/** What the tokens beside the owner's need. */
export interface CreatedTokens {
  readonly live: LiveTokens
  /** The app within these projects as well; the same one whenever they are the same. */
  readonly narrow: (projects: readonly string[]) => GuardedApp
  readonly onRefusal: GuardOptions['onRefusal']
}

export interface Server {
  readonly api: Api
  readonly fetch: Api['fetch']
  readonly feed: EventFeed
  /** Something that happened in the server itself. */
  tell(event: EventBody): void
  /** Ends every event stream. */
  close(): Promise<void>
}

export function createServer(guarded: GuardedApp, options: ServerOptions): Server {
  const { token, version, log, now, host = '127.0.0.1', instance = randomUUID(), heartbeatMs = 15_000, limits = {} } = options
  const api: Api = new OpenAPIHono<ApiEnv>({
    defaultHook: (result) => {
      if (!result.success) throw refuseRequest(result.error, result.target)
    },
  })
  const all = createLimit(limits.all ?? { perSecond: 2000, burst: 4000 })
  const failures = createLimit(limits.failures ?? { perSecond: 20, burst: 100 })
  const deeds = createLimit(limits.deeds ?? { perSecond: 5, burst: 50 })
  const redactor = createRedactor()
  const feeds = createFeeds({
    redactor,
    feed: { now, heartbeatMs, ...(options.keepEvents === undefined ? {} : { keep: options.keepEvents }) },
    onProblem: (thrown) => void problemOf(thrown, log),
  })
  const { feed } = feeds.open(guarded)
  const { live, narrow = () => guarded, onRefusal = () => undefined } = options.tokens ?? {}
  const refusing = { surface: 'http', onRefusal, now } as const
  const admit = (token: LiveToken | null): RouteAccess => {
    if (token === null) return { ...ownerAccess, guarded, feed: () => feed }
    const access = { token, scope: token.scope }
    const narrowed = narrow(token.projects)
    return { ...access, guarded: limitApp(narrowed, access, refusing), feed: () => feeds.open(narrowed, token.ended).feed }
  }

  api.onError(async (thrown, { req }) => {
    const problem = problemOf(thrown, log, wordsOf(req))
    return problemResponse(await redactDocument(redactor, problem), headersOf(thrown))
  })
  api.notFound((context) => problemResponse(describeProblem(new AppError('no_route', `There is no ${context.req.path} here.`))))
  api.use(
    secureHeaders({
      contentSecurityPolicy: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
      xFrameOptions: 'DENY',
      strictTransportSecurity: false, // plain HTTP on this machine
    }),
  )
  api.use(async (context, next) => {
    await next()
    if (!context.res.headers.has('cache-control')) context.res.headers.set('cache-control', 'no-store')
    // Of the connection, not of the answer: streams that name one themselves would keep open what the client wants closed.
    context.res.headers.delete('connection')
  })
  api.use(requireOwnHost(host))
  api.use(async (_, next) => {
    all.take()
    await next()
  })
  const protect = requireToken({ owner: token, tokens: live ?? null, failures, admit, onRefusal, now })
  api.use((context, next) => (context.req.path === '/health' ? next() : protect(context, next)))
  api.use(requireScope(refusing))
  api.use(
    methodNotAllowed({
      app: api,
      onMethodNotAllowed: (_, methods) =>
        problemResponse(describeProblem(new AppError('wrong_method', `This takes ${methods.join(', ')}.`)), {
          allow: methods.join(', '),
        }),
    }),
  )
  api.use(async ({ req }, next) => {
    // Read as it is, a compressed body would be broken JSON, and nobody would be told why.
    const encoding = req.header('content-encoding') ?? 'identity'
    if (encoding.toLowerCase() !== 'identity') throw new AppError('wrong_type', `A body in ${encoding} is not taken.`)
    await next()
  })
  api.use(
    bodyLimit({
      maxSize: options.maxBodyBytes ?? 2 << 20,
      onError: () => {
        throw new AppError('too_large', 'The body is too large.')
      },
    }),
  )

  const routes = { redactor, answer: createAnswer(redactor), log, heartbeatMs, deeds }
  addHealthRoutes(api, { guarded, version, instance, background: options.background ?? (() => null), listeners: feeds.listeners })
  addSessionRoutes(api, routes)
  addMessageRoutes(api, routes)
  addForkRoutes(api, routes)
  addSearchRoutes(api, routes)
  addWorkerRoutes(api, routes)
  addEventRoutes(api)
  options.mount?.(api)
  addOpenApiRoute(api, version)

  return {
    api,
    fetch: api.fetch,
    feed,
    tell: (event) => feeds.tell({ ...event, id: 0, at: now() }),
    async close() {
      live?.close()
      await feeds.close()
    },
  }
}

function headersOf(thrown: unknown): Record<string, string> {
  if (!(thrown instanceof AppError)) return {}
  if (thrown.code === 'unauthorized') return { 'www-authenticate': 'Bearer realm="offshoot"' }
  if (thrown.code === 'too_many') return { 'retry-after': String((thrown.details as { retry_after?: number }).retry_after ?? 1) }
  return {}
}
