// A process that opens a worker in a pane and stays until it is killed.
import { setTimeout as sleep } from 'node:timers/promises'
import { createApp } from '../../../src/app.ts'

const [home = '', work = '', socket = ''] = process.argv.slice(2)
const app = createApp({ home, vars: process.env, cwd: work, now: Date.now, tmux: { socket, config: '/dev/null' } })
await app.spawnWorker({ agent: 'claude', terminal: 'tmux', projectPath: work, name: 'kept', prompt: 'It does not end [[hang]]' })
await sleep(600_000)
