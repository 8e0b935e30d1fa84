// Real agents with the real `offshoot` on their PATH, in a tmux of the sandbox, as a person has them.
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { serve } from '@hono/node-server'
import { guardApp } from '../../../src/guarded-app.ts'
import { createLog } from '../../../src/lib/log.ts'
import { createServer } from '../../../src/server/http.ts'
import { mountMcp } from '../../../src/server/mcp/mount.ts'
import { followUpsEnded } from '../../capture/follow-ups.ts'
import { bin } from '../../cli/run-cli.ts'
import { connect, structured } from '../../mcp/clients.ts'
import type { ClaudeVersion, CodexVersion } from '../lib/agents.ts'
import { endTree, type RunResult } from '../lib/processes.ts'
import { createWorkerBench, type WorkerBench } from '../workers/worker-bench.ts'

export interface ForkedSession {
  readonly session_name: string
  readonly session_id: string
  readonly resume_session_id: string
  readonly terminal_id: string
  readonly workspace: string
}

export interface McpBench extends WorkerBench {
  /** In the repository; a failing run throws with what it said. */
  run(argv: readonly string[], env?: Readonly<Record<string, string>>): Promise<RunResult>
  /** Id and folder of every pane. */
  panes(): string[][]
  /** `/mcp` of a server on loopback, open for the repository. */
  serve(): Promise<{ readonly url: string; readonly token: string }>
  /** A prompt for a worker, through an MCP server of its own. */
  tell(worker: string, prompt: string): Promise<Readonly<Record<string, unknown>>>
}

export async function createMcpBench(claudeVersion: ClaudeVersion, codexVersion: CodexVersion): Promise<McpBench> {
  if (!existsSync(join(bin, '..', '..', 'dist', 'cli', 'main.js'))) throw new Error('build first: npm run build')
  const bench = await createWorkerBench(claudeVersion, codexVersion)
  const { sandbox } = bench.claude
  symlinkSync(bin, join(sandbox.folder('bin'), 'offshoot'))
  bench.tmux('new-session', '-d', '-s', 'person', '-x', '160', '-y', '45', '-c', sandbox.work)
  // Claude Code begins without the tools of a server that is not up by then: a few seconds where nothing is said.
  const patient = { MCP_CONNECT_TIMEOUT_MS: '60000' }
  const vars = { ...bench.vars, ...patient, TMUX: `${bench.socket},${bench.serverPid()},0` }

  return {
    ...bench,
    vars,
    async run(argv, env = vars) {
      const [name = '', ...args] = argv
      const own = join(sandbox.folder('bin'), name)
      const done = await sandbox.processes.run([existsSync(own) ? own : name, ...args], {
        cwd: sandbox.work,
        env,
        timeoutMs: 120_000,
      })
      if (done.code !== 0)
        throw new Error(`${argv.join(' ')} ended with ${done.code ?? done.signal}\n${done.stdout}\n${done.stderr}`)
      return done
    },
    /** What the hooks of an agent left behind still writes into the home for a moment. */
    async dispose() {
      endTree(bench.serverPid())
      await followUpsEnded(sandbox.env.OFFSHOOT_HOME ?? '')
      await bench.dispose()
    },
    panes: () =>
      bench
        .tmux('list-panes', '-a', '-F', '#{pane_id} #{pane_current_path}')
        .trim()
        .split('\n')
        .map((row) => row.split(' ')),
    async serve() {
      const token = 'c'.repeat(64)
      const { home, work } = sandbox
      const log = createLog({ folder: join(home, '.offshoot', 'logs'), now: Date.now })
      const guarded = guardApp(bench.openApp(), {
        roots: [work],
        surface: 'mcp',
        home,
        now: Date.now,
        onRefusal: () => undefined,
      })
      const options = { guarded: async () => guarded, env: { home, vars, now: Date.now }, version: '0.0.0', log }
      const server = createServer(guarded, {
        token,
        version: '0.0.0',
        log,
        now: Date.now,
        mount: (api) => void mountMcp(api, options),
      })
      return new Promise((resolve) => {
        const listening = serve({ fetch: server.fetch, hostname: '127.0.0.1', port: 0 }, ({ port }) =>
          resolve({ url: `http://127.0.0.1:${port}/mcp`, token }),
        )
        sandbox.onDispose(async () => {
          await server.close()
          await new Promise((done) => listening.close(done))
        })
      })
    },
    async tell(worker, prompt) {
      const client = await connect('sdk 2 of 2026', { cwd: sandbox.work, env: vars })
      try {
        return structured(await client.call('send_to_worker', { worker, prompt }))
      } finally {
        await client.close()
      }
    },
  }
}

export function hash(path: string): string {
  return createHash('sha256').update(readFileSync(path)).digest('hex')
}

/** The answer of a fork out of whatever an agent sent on to its model, JSON in JSON in JSON as it may be. */
export function forkedIn(sent: string): ForkedSession {
  for (let text = sent, depth = 0; depth < 4; depth += 1) {
    const found = objectAfter(text, '"forked_session":')
    if (found !== null) return found as ForkedSession
    text = text.replaceAll('\\\\', '\u0000').replaceAll('\\"', '"').replaceAll('\u0000', '\\')
  }
  throw new Error(`nothing was forked: ${sent}`)
}

function objectAfter(text: string, mark: string): unknown {
  const from = text.indexOf(mark)
  if (from === -1) return null
  for (let end = text.indexOf('}', from); end !== -1; end = text.indexOf('}', end + 1)) {
    try {
      return JSON.parse(text.slice(from + mark.length, end + 1))
    } catch {
      // not the end of it yet
    }
  }
  return null
}
