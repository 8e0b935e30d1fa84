// Searches while 2,000 sessions are being indexed, beside searches with nothing else to do.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { manySessionsHome } from '../generate/homes.ts'
import { createRandom } from '../generate/random.ts'
import { ms, percentile, printTable } from '../table.ts'
import { indexOf, isIndexed } from './index-state.ts'
import { type ServerProcess, startServer } from './server-process.ts'

export async function measureSearches(): Promise<void> {
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
