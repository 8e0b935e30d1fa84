// Asks an index many questions in one process: `search.mjs <home> <queries file>`. Reports times, memory and what was found.
import { readFileSync } from 'node:fs'
import { createApp } from '../../dist/app.js'

const [home, file] = process.argv.slice(2)
const queries = JSON.parse(readFileSync(file, 'utf8'))
// No agents: nothing is discovered, only the index is asked.
const app = createApp({ home, vars: { PATH: process.env.PATH }, cwd: home, now: Date.now, agents: [] })
const times = []
const cpuTimes = []
let found = 0
for (const text of queries) {
  const before = process.cpuUsage()
  const startedAt = performance.now()
  const { results } = await app.search({ text, limit: 10 }, { updateMs: 0 })
  times.push(performance.now() - startedAt)
  const { user, system } = process.cpuUsage(before)
  cpuTimes.push((user + system) / 1000)
  if (results.length > 0) found += 1
}
app.close()
process.stdout.write(JSON.stringify({ times, cpuTimes, found, peakBytes: process.resourceUsage().maxRSS * 1024 }))
