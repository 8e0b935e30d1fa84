// A process of its own for the tests of many processes at once: waits for a start time, refreshes, prints what it lists.
import { createApp } from '../app.ts'

const [home = '', offshootHome = '', startAt = '0', times = '1'] = process.argv.slice(2)
const vars = { PATH: process.env.PATH, HOME: home, OFFSHOOT_HOME: offshootHome }
const app = createApp({ home, vars, cwd: home, now: () => 0 })
await new Promise((resolve) => setTimeout(resolve, Number(startAt) - Date.now()))
for (let time = 0; time < Number(times); time += 1) {
  await app.refresh(({ filesDone }) => process.send?.(filesDone))
}
const sessions = await app.listSessions()
process.stdout.write(
  JSON.stringify(sessions.map(({ id, turns, ownTurns, parent }) => [id, turns, ownTurns, parent?.sessionId]).sort()),
)
app.close()
