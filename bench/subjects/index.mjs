// Indexes a home from nothing: `index.mjs <home> <offshoot home>`. The catalogue is made first, outside the measured time.
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { createApp } from '../../dist/app.js'

const [home, folder] = process.argv.slice(2)
const app = createApp({ home, vars: { PATH: process.env.PATH, OFFSHOOT_HOME: folder }, cwd: home, now: Date.now })
await app.refresh()
const rates = []
let last = { at: performance.now(), bytes: 0 }
let bytes = 0
let firstMs = null
const startedAt = performance.now()
const before = process.cpuUsage()
const result = await app.updateIndex({
  onProgress: ({ bytesDone }) => {
    bytes = bytesDone
    const at = performance.now()
    firstMs ??= at - startedAt
    if (bytesDone - last.bytes < 100e6) return
    rates.push(Math.round((bytesDone - last.bytes) / 1000 / (at - last.at)))
    last = { at, bytes: bytesDone }
  },
})
const ms = performance.now() - startedAt
const { user, system } = process.cpuUsage(before)
const again = performance.now()
await app.updateIndex()
const againMs = performance.now() - again
app.close()
const peakBytes = process.resourceUsage().maxRSS * 1024
const databaseBytes = statSync(join(folder, 'offshoot.db')).size
process.stdout.write(
  JSON.stringify({ ms, cpuMs: (user + system) / 1000, bytes, firstMs, againMs, rates, peakBytes, databaseBytes, ...result }),
)
