// The HTTP API over the app of a bench with real agents, open for its repository.
import { join } from 'node:path'
import { createLog } from '../../../src/lib/log.ts'
import { startServing } from '../../../src/server/serve.ts'
import { urlOf } from '../../../src/server/server-file.ts'
import type { WorkerBench } from '../workers/worker-bench.ts'

export async function serve(bench: WorkerBench) {
  const { home, work } = bench.claude.sandbox
  const folder = bench.vars.OFFSHOOT_HOME ?? ''
  const serving = await startServing({
    app: bench.app,
    home,
    vars: bench.vars,
    folder,
    logs: join(folder, 'logs'),
    roots: [work],
    host: '127.0.0.1',
    port: 0,
    version: '1',
    log: createLog({ folder: join(folder, 'logs'), now: Date.now }),
    now: Date.now,
  })
  const ask = (path: string, json?: unknown, headers: Record<string, string> = {}) =>
    fetch(`${urlOf(serving.file)}${path}`, {
      method: json === undefined ? 'GET' : 'POST',
      headers: { authorization: `Bearer ${serving.token.value}`, 'content-type': 'application/json', ...headers },
      ...(json === undefined ? {} : { body: JSON.stringify(json) }),
    })
  return { serving, ask, json: async <T>(path: string, body?: unknown) => (await (await ask(path, body)).json()) as T }
}
