// A process of its own for the tests of many processes at once: waits for a start time, refreshes, prints what it lists.
import { builtinAgents } from '../agents/index.ts'
import { exec } from '../lib/exec.ts'
import { createCatalog } from './catalog.ts'

const [home = '', folder = '', startAt = '0', times = '1'] = process.argv.slice(2)
const env = { home, vars: { PATH: process.env.PATH, HOME: home } }
const catalog = createCatalog({ agents: builtinAgents, env, folder, cwd: home, now: () => 0, exec })
process.on('worker', () => process.send?.('thread'))
await new Promise((resolve) => setTimeout(resolve, Number(startAt) - Date.now()))
for (let time = 0; time < Number(times); time += 1) {
  await catalog.refresh(({ filesDone }) => process.send?.(filesDone))
}
const sessions = await catalog.listSessions()
process.stdout.write(
  JSON.stringify(sessions.map(({ id, turns, ownTurns, parent }) => [id, turns, ownTurns, parent?.sessionId]).sort()),
)
catalog.close()
