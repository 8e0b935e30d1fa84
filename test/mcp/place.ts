// A temporary home with sessions that hold what a test wants, asked in process or over HTTP: the real app, the real guard.
import { serve } from '@hono/node-server'
import type { App } from '../../src/app.ts'
import { type GuardedApp, guardApp, type Refusal } from '../../src/guarded-app.ts'
import { createLog } from '../../src/lib/log.ts'
import { createServer } from '../../src/server/http.ts'
import { mountMcp } from '../../src/server/mcp/mount.ts'
import { watchTokens } from '../../src/server/tokens/live-tokens.ts'
import { createSandbox, type Sandbox, startAt } from '../search/sandbox.ts'
import { type ClientKind, type Connected, connect } from './clients.ts'

export interface Place extends Sandbox {
  readonly repo: string
  readonly refused: string[]
  /** Starts a server on loopback and connects to its `/mcp`. */
  http(kind?: ClientKind, options?: HttpOptions): Promise<Connected>
  /** Asks a route of the server that was started last, with its token. */
  ask(path: string, init?: { readonly json?: unknown }): Promise<Response>
  /** The environment of an `offshoot mcp` process on this home. */
  readonly env: Readonly<Record<string, string>>
}

interface HttpOptions {
  readonly vars?: Readonly<Record<string, string | undefined>>
  readonly token?: string
  /** Some verbs in place of the real ones. */
  readonly verbs?: Partial<GuardedApp>
}

const token = 'a'.repeat(64)

export function createPlace(): Place & { end(): Promise<void> } {
  const box = createSandbox()
  const repo = box.repository('project')
  const refused: string[] = []
  const ends: (() => Promise<void> | void)[] = []
  let origin: URL | undefined
  const log = createLog({ folder: `${box.home}/.offshoot/logs`, now: () => startAt })

  const onRefusal = ({ verb, subject }: Refusal) => void refused.push(`${verb} ${subject}`)

  async function http(kind: ClientKind = 'sdk 2 of 2026', options: HttpOptions = {}): Promise<Connected> {
    const vars = options.vars ?? box.vars
    const app = box.app({ vars, cwd: repo })
    const guarded = { ...guard(app), ...options.verbs }
    const mcp = {
      guarded: async () => guarded,
      env: { home: box.home, vars, now: Date.now },
      version: '0.0.0',
      log,
      onRefusal,
    }
    const live = watchTokens({ home: `${box.home}/.offshoot`, now: Date.now, onProblem: () => undefined, everyMs: 50 })
    let closeMcp: () => Promise<void> = () => Promise.resolve()
    const server = createServer(guarded, {
      token,
      version: '0.0.0',
      log,
      now: Date.now,
      tokens: { live, narrow: () => guarded, onRefusal },
      mount(api) {
        closeMcp = mountMcp(api, mcp).close
      },
    })
    const url = await new Promise<URL>((resolve) => {
      const listening = serve({ fetch: server.fetch, hostname: '127.0.0.1', port: 0 }, ({ port }) =>
        resolve(new URL(`http://127.0.0.1:${port}/mcp`)),
      )
      ends.push(async () => {
        await closeMcp()
        await server.close()
        await new Promise((done) => listening.close(done))
      })
    })
    origin = url
    const client = await connect(kind, { url, token: options.token ?? token })
    ends.push(() => client.close())
    return client
  }

  const guard = (app: App) =>
    guardApp(app, {
      roots: [repo],
      surface: 'mcp',
      home: box.home,
      now: Date.now,
      onRefusal,
    })

  return {
    ...box,
    repo,
    refused,
    env: { PATH: process.env.PATH ?? '', HOME: box.home },
    http,
    ask(path, { json } = {}) {
      if (origin === undefined) throw new Error('no server was started')
      const body = json === undefined ? {} : { method: 'POST', body: JSON.stringify(json) }
      const headers = { authorization: `Bearer ${token}`, ...(json === undefined ? {} : { 'content-type': 'application/json' }) }
      return fetch(new URL(path, origin), { ...body, headers })
    },
    async end() {
      for (const end of ends.reverse()) await end()
      box.close()
    },
  }
}
