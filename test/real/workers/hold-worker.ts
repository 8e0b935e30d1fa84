// A process that holds a headless worker in a turn that does not end, until it is killed.
import { createApp } from '../../../src/app.ts'
import { agentIds } from '../../../src/model/session.ts'

const [home = '', work = '', name = ''] = process.argv.slice(2)
const agent = agentIds.find((id) => id === name)
if (agent === undefined) throw new Error(`no agent ${name}`)
const vars = process.env
const app = createApp({ home, vars, cwd: work, now: Date.now })
await app.spawnWorker({ agent, kind: 'headless', projectPath: work, name: 'held' })
await app.sendToWorker('held', 'Before the end')
await app.sendToWorker('held', 'The end is never [[hang]]')
