// One server from start to end: token, guard, routes, MCP, socket, server.json, what runs in the background; and all of it back
// again, in the order that loses nothing.

import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { App } from '../app.ts'
import { maskProgress } from '../guarded-app/events.ts'
import { type GuardOptions, guardApp } from '../guarded-app.ts'
import { asError } from '../lib/error-message.ts'
import type { Log } from '../lib/log.ts'
import { cleanLog } from '../redact/clean-log.ts'
import { readToken, type Token } from './auth.ts'
import type { Background } from './background.ts'
import { createServer } from './http.ts'
import { type Listening, listen } from './listen.ts'
import { mountMcp } from './mcp/mount.ts'
import { createRefusalLog } from './refusals.ts'
import { claimHome, leaveHome, type ServerFile } from './server-file.ts'
import { createGuards } from './tokens/guards.ts'
import { watchTokens } from './tokens/live-tokens.ts'

export interface ServeOptions {
  readonly app: App
  /** The person's home. */
  readonly home: string
  readonly vars: Readonly<Record<string, string | undefined>>
  /** `$OFFSHOOT_HOME`. */
  readonly folder: string
  readonly logs: string
  readonly roots: readonly string[]
  readonly host: string
  readonly port: number
  readonly version: string
  /** The process that passes signals on to this one; it is the one to name to users. */
  readonly supervisor?: number | null | undefined
  readonly log: Log
  readonly now: () => number
  /** Absent: nothing is indexed on the side. */
  readonly startBackground?: typeof import('./background.ts').startBackground
  readonly graceMs?: number
}

export interface Serving {
  readonly file: ServerFile
  readonly token: Token
  readonly roots: readonly string[]
  stop(): Promise<void>
}

/** How long answers may take to end by themselves before what runs is ended. */
const turnGraceMs = 1500

export async function startServing(options: ServeOptions): Promise<Serving> {
  const { app, home, vars, folder, roots, host, port, version, supervisor, now, graceMs = 10_000 } = options
  const log = cleanLog(options.log)
  const token = await readToken(folder)
  let background: Background | undefined
  const onRefusal = createRefusalLog({ folder: options.logs, now })
  // The background process keeps the index fresh: a search must not wait for its lock.
  let watched = false
  const fresh = { isWatched: () => watched, ...(options.startBackground === undefined ? {} : { searchUpdateMs: 0 }) }
  const onSearch = () => background?.giveWay()
  const guardsOf = (surface: GuardOptions['surface']) =>
    createGuards((projects) => {
      const within = projects.length === 0 ? {} : { within: projects }
      return guardApp(app, { roots, surface, onRefusal, onSearch, now, home, ...within, ...fresh })
    })
  const [httpGuard, mcpGuard] = [guardsOf('http'), guardsOf('mcp')]
  const guarded = httpGuard()
  const onTokenProblem = (error: unknown) => log.write('error', 'tokens cannot be read', { error: asError(error) })
  const tokens = watchTokens({ home: folder, now, onProblem: onTokenProblem })
  const instance = randomUUID()
  let mcp: ReturnType<typeof mountMcp> | undefined
  let listening: Listening | undefined
  const server = createServer(guarded, {
    token: token.value,
    host,
    version,
    instance,
    log,
    now,
    background: () => background?.status() ?? null,
    tokens: { live: tokens, narrow: httpGuard, onRefusal },
    mount: (api) => {
      mcp = mountMcp(api, {
        guarded: async ({ token }) => mcpGuard(token?.projects),
        onRefusal,
        env: { home, vars, now },
        version,
        log,
      })
      const content = { 'application/json': { schema: {} } }
      const responses = { 200: { description: 'As MCP says', content } }
      api.openAPIRegistry.registerPath({ method: 'post', path: '/mcp', summary: 'MCP, streamable HTTP', responses })
    },
  })
  let file: ServerFile
  try {
    file = await claimHome(folder, { host, instance, version, startedAt: now(), supervisor }, async () => {
      listening = await listen(server.fetch, { host, port })
      return listening.port
    })
  } catch (error) {
    await Promise.all([server.close(), listening?.close(0)])
    throw error
  }
  log.write('info', 'server started', { host, port: file.port, version, roots: roots.length })
  const tellProblem = (event: string) => (error: unknown) => log.write('error', event, { error: asError(error) })
  // Requests are answered meanwhile: what a crash left half done is cleared up, and changes are watched.
  const recovering = app.recover().catch(tellProblem('recovering failed'))
  const watching = app.keepWatch().then((watch) => {
    watched = true
    return watch
  }, tellProblem('watching failed'))
  background = options.startBackground?.({
    home,
    vars,
    folder,
    now,
    log,
    onProgress: (progress) => server.tell({ type: 'index.progress', data: maskProgress(progress) }),
  })

  async function stop(): Promise<void> {
    log.write('info', 'server stopping', { port: file.port })
    const closed = listening?.close(graceMs)
    await server.close()
    const watch = await watching
    await Promise.all([background?.close(), watch?.close(), mcp?.close(), recovering])
    // Short answers end by themselves; a turn of an agent is ended, and told of, by the app.
    await Promise.race([closed, sleep(turnGraceMs, undefined, { ref: false })])
    await app.shutDown()
    await closed
    await leaveHome(folder)
    log.write('info', 'server stopped', { port: file.port })
  }

  let stopping: Promise<void> | undefined
  return {
    file,
    token,
    roots: guarded.roots,
    stop() {
      stopping ??= stop()
      return stopping
    },
  }
}
