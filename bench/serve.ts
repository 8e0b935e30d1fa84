// The server under load, as a real process on loopback: 200 listeners and 500 mixed reads a second for a minute without an error,
// a gap or growing memory; and searches while 2,000 sessions are being indexed, beside searches with nothing else to do.
// OFFSHOOT_BENCH_SECONDS makes the minute shorter.
import { appendFileSync, cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { manySessionsHome } from './generate/homes.ts'
import { createRandom } from './generate/random.ts'
import { type ServerProcess, startServer } from './serve-process.ts'
import { mb, ms, percentile, printTable } from './table.ts'

const seconds = Number(process.env.OFFSHOOT_BENCH_SECONDS ?? 60)
const listeners = 200
const perSecond = 500
const wantedBytes = 400e6

export async function run(): Promise<void> {
  await searchWhileIndexing()
  await load()
}

async function searchWhileIndexing(): Promise<void> {
  const home = manySessionsHome(2000)
  const state = mkdtempSync(join(tmpdir(), 'offshoot-bench-'))
  try {
    const server = await startServer(home, state)
    try {
      await server.json('/session?limit=1') // the catalogue is there; the index is being made
      // A search in a small index costs less: only what is asked from the half on is compared with the whole.
      await server.until(async () => (await indexOf(server)).indexed_sessions > 1000)
      const { times: whileIndexing } = await searches(server, async () => !(await isIndexed(server)))
      while (!(await isIndexed(server))) await sleep(100)
      await sleep(1000)
      let left = 30
      const { times: idle, found } = await searches(server, async () => left-- > 0)
      if (found < idle.length * 0.9) throw new Error(`only ${found} of ${idle.length} searches found something`)
      const [p95Idle, p95Busy] = [percentile(idle, 0.95), percentile(whileIndexing, 0.95)]
      console.log(
        `\nserve: ${whileIndexing.length} searches while 2000 sessions were indexed, ${idle.length} after; p50 ${ms(percentile(whileIndexing, 0.5))} and ${ms(percentile(idle, 0.5))}`,
      )
      printTable('serve: search while indexing', [
        {
          what: 'p95, beside twice that of idle',
          ours: ms(p95Busy),
          peer: ms(p95Idle * 2),
          ratio: (p95Idle * 2) / p95Busy,
          wanted: 1,
        },
      ])
    } finally {
      await server.stop()
    }
  } finally {
    rmSync(state, { recursive: true, force: true })
  }
}

interface IndexJson {
  readonly complete: boolean
  readonly sessions: number
  readonly indexed_sessions: number
}

async function indexOf(server: ServerProcess): Promise<IndexJson> {
  return (await server.json<{ index: IndexJson }>('/health')).index
}

async function isIndexed(server: ServerProcess): Promise<boolean> {
  const { complete, sessions } = await indexOf(server)
  return complete && sessions > 0
}

/** One after the other, as one person searches. */
async function searches(server: ServerProcess, goesOn: () => Promise<boolean>): Promise<{ times: number[]; found: number }> {
  const random = createRandom(7)
  const times: number[] = []
  let found = 0
  while (await goesOn()) {
    for (let count = 0; count < 10; count += 1) {
      const words = random.prose(40).slice(0, 40)
      const startedAt = performance.now()
      const { results } = await server.json<{ results: unknown[] }>(`/search?q=${encodeURIComponent(words)}`)
      times.push(performance.now() - startedAt)
      if (results.length > 0) found += 1
    }
  }
  return { times, found }
}

interface Listener {
  readonly ids: number[]
  readonly problem: () => string | null
  close(): void
}

async function load(): Promise<void> {
  const origin = manySessionsHome(200)
  const folder = mkdtempSync(join(tmpdir(), 'offshoot-bench-'))
  try {
    const home = join(folder, 'home')
    cpSync(origin, home, { recursive: true })
    const server = await startServer(home, join(folder, 'state'), join(origin, 'work'))
    try {
      await measureLoad(server, home)
    } finally {
      await server.stop()
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function measureLoad(server: ServerProcess, home: string): Promise<void> {
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

function listen(server: ServerProcess): Listener {
  const ids: number[] = []
  let problem: string | null = null
  let isOver = false
  const sent = request(`${server.url}/events`, { headers: server.headers, agent: false }, (answer) => {
    let text = ''
    answer.setEncoding('utf8').on('data', (piece: string) => {
      text += piece
      for (let end = text.indexOf('\n\n'); end !== -1; end = text.indexOf('\n\n')) {
        const block = text.slice(0, end)
        text = text.slice(end + 2)
        const id = /^id: (\d+)$/m.exec(block)?.[1]
        if (id !== undefined && block.includes('event: ')) ids.push(Number(id))
      }
    })
    answer.on('close', () => {
      if (!isOver) problem = 'a listener was cut off'
    })
    answer.on('error', () => undefined)
  })
  sent.on('error', (error) => {
    if (!isOver) problem = String(error)
  })
  sent.end()
  return {
    ids,
    problem: () => problem,
    close() {
      isOver = true
      sent.destroy()
    },
  }
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
