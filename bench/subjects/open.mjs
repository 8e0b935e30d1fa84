// Opens the end of the only session of a home, in a fresh process, as a tab does: `open.mjs <home> <offshoot home> <turns> <pages>`.
// The catalogue is brought up to date first, outside the measured time; then it is opened again, and scrolled up by `pages` pages.
import { createApp } from '../../dist/app.js'

const [home, folder, turns, pages] = process.argv.slice(2)
const app = createApp({ home, vars: { PATH: process.env.PATH, OFFSHOOT_HOME: folder }, cwd: home, now: Date.now })
const [session] = await app.listSessions()
const timed = async (range) => {
  const startedAt = performance.now()
  const read = await app.readTurns(session, range)
  return { ms: performance.now() - startedAt, from: read.from, messages: read.messages.length, turns: read.turns.length }
}
const first = await timed({ last: Number(turns) })
const again = []
while (again.length < 9) again.push((await timed({ last: Number(turns) })).ms)
const scrolled = []
for (let { from } = first; scrolled.length < Number(pages) && from > 1; ) {
  const page = await timed({ from: Math.max(1, from - Number(turns)), to: from - 1 })
  from = page.from
  scrolled.push(page.ms)
}
app.close()
process.stdout.write(JSON.stringify({ first, again, scrolled }))
