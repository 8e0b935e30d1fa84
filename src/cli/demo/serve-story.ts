// The demo's last part: a server on this machine, asked as another program would ask it, and stopped again. Its address is any
// free port of the loopback; no agent is run.
import { join } from 'node:path'
import type { Context } from '../context.ts'
import { readVersion } from '../version.ts'
import type { Sandbox } from './sandbox.ts'

export interface Told {
  readonly why: string
  /** What a person would type. */
  readonly line: string
  run(): Promise<void>
}

interface Answer {
  readonly status: number
  readonly body: Readonly<Record<string, unknown>>
}

const intent = 'let people type tomorrow'

/** Steps in their order; the first starts the server, the last stops it. `context` is that of the sandbox. */
export function serveStory(context: Context, { home, vars, repository }: Sandbox): readonly Told[] {
  const { out, paths, log, now } = context
  let stop: (() => Promise<void>) | undefined
  let url = ''
  let token = ''

  async function start(): Promise<void> {
    const [{ startServing }, { urlOf }] = await Promise.all([
      import('../../server/serve.ts'),
      import('../../server/server-file.ts'),
    ])
    const place = { home, vars, folder: paths.root, logs: paths.logs, roots: [repository], host: '127.0.0.1', port: 0 }
    const serving = await startServing({ app: await context.app(), ...place, version: readVersion(), log, now })
    stop = serving.stop
    url = urlOf(serving.file)
    token = serving.token.value
    context.onExit(() => void stop?.())
    await out.line(`offshoot serves ${url}`)
    await out.line(`token  in ${join(paths.root, 'token')}, for you alone`)
    for (const root of serving.roots) await out.line(`open   ${root}`)
  }

  async function ask(path: string, known = true): Promise<Answer> {
    const answer = await fetch(`${url}${path}`, known ? { headers: { authorization: `Bearer ${token}` } } : {})
    return { status: answer.status, body: (await answer.json()) as Answer['body'] }
  }

  const show = async (value: unknown) => {
    for (const line of JSON.stringify(value, null, 2).split('\n')) await out.line(line)
  }

  return [
    {
      why: 'Other programs, and agents over MCP, ask a server: on this machine only, and only for the projects it was given.',
      line: 'offshoot serve --port 0',
      run: start,
    },
    {
      why: 'Is it well? The one question without a token.',
      line: 'curl $URL/health',
      async run() {
        const { status, version, workers } = (await ask('/health', false)).body
        await show({ status, version, workers })
      },
    },
    {
      why: 'Anything else needs the token.',
      line: 'curl $URL/session',
      async run() {
        const { status, code, hint } = (await ask('/session', false)).body
        await show({ status, code, hint })
      },
    },
    {
      why: 'The search from before, as smart_fork and every other tool at $URL/mcp has it: the session, and the turn to fork.',
      line: `curl -H "Authorization: Bearer $TOKEN" "$URL/search?q=${encodeURIComponent(intent)}&limit=1"`,
      async run() {
        const { body } = await ask(`/search?q=${encodeURIComponent(intent)}&limit=1`)
        const results = body.results as readonly Readonly<Record<string, unknown>>[]
        await show({
          engine: body.engine,
          results: results.map(({ title, turn, score, can_fork }) => ({ title, turn, score, can_fork })),
        })
      },
    },
    {
      why: 'And away: what it runs would be ended or kept, panes would go on.',
      line: '^C',
      async run() {
        await stop?.()
        stop = undefined
        await out.line('server stopped')
      },
    },
  ]
}
