// 200 listeners and 500 mixed reads a second for a minute without an error, a gap or growing memory.
// OFFSHOOT_BENCH_SECONDS makes the minute shorter.
import { appendFileSync, cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { manySessionsHome } from '../generate/homes.ts'
import { createRandom } from '../generate/random.ts'
import { mb, ms, percentile, printTable } from '../table.ts'
import { isIndexed } from './index-state.ts'
import { type Listener, listen } from './listener.ts'
import { type ServerProcess, startServer } from './server-process.ts'

const seconds = Number(process.env.OFFSHOOT_BENCH_SECONDS ?? 60)
const listeners = 200
const perSecond = 500
const wantedBytes = 400e6

export async function measureLoad(): Promise<void> {
  const origin = manySessionsHome(200)
  const folder = mkdtempSync(join(tmpdir(), 'offshoot-bench-'))
  try {
    const home = join(folder, 'home')
    cpSync(origin, home, { recursive: true })
    const server = await startServer(home, join(folder, 'state'), join(origin, 'work'))
    try {
      await putUnderLoad(server, home)
    } finally {
      await server.stop()
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function putUnderLoad(server: ServerProcess, home: string): Promise<void> {
  while (!(await isIndexed(server))) await sleep(100)
  const { sessions } = await server.json<{ sessions: { id: string; path: string; turns: number }[] }>('/session?limit=200')
  const heard = Array.from({ length: listeners }, () => listen(server))
  await server.until(async () => (await server.json<{ listeners: number }>('/health')).listeners === listeners)
  const startBytes = server.memory()
  const agent = new Agent({ keepAlive: true, maxSockets: 64 })
  const random = createRandom(1)
  const paths = [
    () => '/session?limit=20',
    () => `/session/${random.pick(sessions).id}`,
    () => `/session/${random.pick(sessions).id}/turns`,
    () => `/session/${random.pick(sessions).id}/message?limit=20`,
    () => `/session/${random.pick(sessions).id}/tree`,
    () => '/workers',
    () => '/health',
    () => `/search?q=${encodeURIComponent(random.prose(30))}&limit=5`,
  ]
  const weights = [15, 30, 15, 20, 8, 5, 5, 2]
  const choose = paths.flatMap((path, at) => Array.from({ length: weights[at] ?? 0 }, () => path))
  const times: number[] = []
  const failures: string[] = []
  let sent = 0
  let open = 0
  let peakBytes = startBytes
  const startedAt = performance.now()
  const files = findTranscripts(home)
  let changed = 0
  while (performance.now() - startedAt < seconds * 1000) {
    const due = Math.floor(((performance.now() - startedAt) / 1000) * perSecond)
    for (; sent < due; sent += 1) {
      const path = random.pick(choose)()
      open += 1
      ask(server, agent, path).then(
        ({ status, tookMs }) => {
          open -= 1
          times.push(tookMs)
          if (status !== 200) failures.push(`${status} ${path}`)
        },
        (error: unknown) => {
          open -= 1
          failures.push(`${String(error)} ${path}`)
        },
      )
    }
    if (performance.now() - startedAt > changed * 500) {
      changed += 1 // twice a second some session goes on: the listeners are told
      appendFileSync(random.pick(files), `${JSON.stringify({ type: 'custom-title', customTitle: `title ${changed}` })}\n`)
    }
    peakBytes = Math.max(peakBytes, server.memory())
    await sleep(5)
  }
  const tookMs = performance.now() - startedAt
  const answered = times.length // what is still waiting now does not count as kept up with
  await server.until(async () => open === 0)
  await sleep(3000) // the last events are on their way
  agent.destroy()
  for (const listener of heard) listener.close()
  report({ sent, answered, tookMs, times, failures, heard, startBytes, peakBytes })
}

interface Measured {
  readonly sent: number
  readonly answered: number
  readonly tookMs: number
  readonly times: readonly number[]
  readonly failures: readonly string[]
  readonly heard: readonly Listener[]
  readonly startBytes: number
  readonly peakBytes: number
}

function report({ sent, answered, tookMs, times, failures, heard, startBytes, peakBytes }: Measured): void {
  const gaps = heard.filter(({ ids }) => ids.some((id, at) => at > 0 && id !== (ids[at - 1] ?? 0) + 1)).length
  const lost = heard.filter(({ ids }) => ids.length !== heard[0]?.ids.length || ids[0] !== heard[0]?.ids[0]).length
  const cut = heard.flatMap(({ problem }) => problem() ?? [])
  const events = heard.reduce((sum, { ids }) => sum + ids.length, 0)
  console.log(
    `\nserve: ${sent} requests in ${ms(tookMs)} (${((sent / tookMs) * 1000).toFixed(0)}/s), p50 ${ms(percentile(times, 0.5))}, p95 ${ms(percentile(times, 0.95))}, longest ${ms(Math.max(...times))}; ${events} events to ${heard.length} listeners; memory ${mb(startBytes)} at first, ${mb(peakBytes)} at most`,
  )
  for (const failure of [...failures.slice(0, 5), ...cut.slice(0, 5)]) console.log(`  ${failure}`)
  const faults = (what: string, count: number) => ({
    what,
    ours: String(count),
    peer: '0',
    ratio: count === 0 ? 1 : 0,
    wanted: 1,
  })
  printTable(`serve: ${listeners} listeners, ${perSecond} requests/s`, [
    faults('failed requests', failures.length),
    faults('listeners with a gap', gaps),
    faults('listeners that missed something', lost),
    faults('listeners that were cut off', cut.length),
    {
      what: 'events per listener, beside one',
      ours: String(heard[0]?.ids.length ?? 0),
      peer: '1',
      ratio: heard[0]?.ids.length ?? 0,
      wanted: 1,
    },
    {
      what: 'answers a second',
      ours: ((answered / tookMs) * 1000).toFixed(0),
      peer: String(perSecond),
      ratio: answered / tookMs / (perSecond / 1000),
      wanted: 0.99,
    },
    { what: 'peak memory', ours: mb(peakBytes), peer: mb(wantedBytes), ratio: wantedBytes / peakBytes, wanted: 1 },
  ])
}

function ask(server: ServerProcess, agent: Agent, path: string): Promise<{ status: number; tookMs: number }> {
  return new Promise((resolve, reject) => {
    const startedAt = performance.now()
    const sent = request(`${server.url}${path}`, { headers: server.headers, agent }, (answer) => {
      answer.on('data', () => undefined)
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, tookMs: performance.now() - startedAt }))
      answer.on('error', reject)
    })
    sent.on('error', reject)
    sent.end()
  })
}

function findTranscripts(home: string): string[] {
  const projects = join(home, '.claude', 'projects')
  return readdirSync(projects, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.jsonl'))
    .map((name) => join(projects, name))
    .filter((path) => readFileSync(path).length < 200_000)
}
