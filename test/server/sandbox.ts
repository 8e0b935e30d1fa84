// A server in process over a real app on a temporary home: real sessions, real git, real SQLite, the real guard; only the agents
// that workers would run are not there.
import type { App } from '../../src/app.ts'
import { type GuardedApp, guardApp, type Refusal } from '../../src/guarded-app.ts'
import type { Log, LogFields } from '../../src/lib/log.ts'
import { createServer, type Server, type ServerOptions } from '../../src/server/http.ts'
import { watchTokens } from '../../src/server/tokens/live-tokens.ts'
import { createSandbox, type Sandbox as ForkSandbox } from '../fork/sandbox.ts'
import { createFakeWorkers, type FakeWorkers } from './fake-workers.ts'

export const token = 'T'.repeat(43)

export interface LogLine {
  readonly level: string
  readonly event: string
  readonly fields: LogFields
}

export interface Sandbox extends ForkSandbox {
  readonly repo: string
  readonly workers: FakeWorkers
  readonly refusals: Refusal[]
  readonly lines: LogLine[]
  readonly log: Log
  readonly real: App
  serve(options?: Partial<ServerOptions> & { readonly roots?: readonly string[] }): Served
}

export interface Served extends Server {
  /** With the token unless told otherwise. */
  ask(path: string, init?: RequestInit & { readonly json?: unknown }): Promise<Response>
  json<T = Record<string, unknown>>(path: string, init?: RequestInit & { readonly json?: unknown }): Promise<T>
}

export function createServerSandbox(): Sandbox {
  const sandbox = createSandbox()
  const repo = sandbox.repository('project')
  const workers = createFakeWorkers(repo)
  const refusals: Refusal[] = []
  const lines: LogLine[] = []
  const servers: Server[] = []
  const real = sandbox.app()
  const app: App = { ...real, ...workers }
  const log: Log = { file: '', write: (level, event, fields = {}) => void lines.push({ level, event, fields }) }
  return {
    ...sandbox,
    repo,
    workers,
    refusals,
    lines,
    log,
    real,
    serve({ roots = [repo], ...options } = {}) {
      const onRefusal = (refusal: Refusal) => void refusals.push(refusal)
      const narrowed = new Map<string, GuardedApp>()
      const guard = (within: readonly string[]) => {
        const narrowing = within.length === 0 ? {} : { within }
        const made = guardApp(app, { roots, ...narrowing, surface: 'http', onRefusal, now: Date.now, home: sandbox.home })
        narrowed.set(within.join(), made)
        return made
      }
      const guarded = guard([])
      const narrow = (projects: readonly string[]) => narrowed.get(projects.join()) ?? guard(projects)
      const live = watchTokens({ home: sandbox.offshootHome, now: Date.now, onProblem: () => undefined, everyMs: 50 })
      const tokens = { live, narrow, onRefusal }
      const server = createServer(guarded, { token, version: '1.2.3', log, now: Date.now, tokens, ...options })
      servers.push(server)
      const ask: Served['ask'] = async (path, { json, headers, ...init } = {}) => {
        const sent = new Headers({ authorization: `Bearer ${token}`, host: '127.0.0.1:4777' })
        if (json !== undefined) sent.set('content-type', 'application/json')
        new Headers(headers).forEach((value, name) => {
          sent.set(name, value)
        })
        for (const [name, value] of [...sent]) if (value === '') sent.delete(name)
        return server.fetch(
          new Request(`http://127.0.0.1:4777${path}`, {
            ...init,
            headers: sent,
            ...(json === undefined ? {} : { body: JSON.stringify(json), method: init.method ?? 'POST' }),
          }),
        )
      }
      return {
        ...server,
        ask,
        async json<T>(path: string, init?: RequestInit & { readonly json?: unknown }) {
          return (await (await ask(path, init)).json()) as T
        },
      }
    },
    close() {
      for (const server of servers) server.close().catch(() => undefined)
      sandbox.close()
    },
  }
}
