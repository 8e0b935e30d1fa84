// A process that forks (or starts, undoes, recovers, collects garbage) and kills itself at a given moment, as a power cut or kill -9 would.

import { builtinAgents } from '../../src/agents/index.ts'
import { createApp } from '../../src/app.ts'
import { halfWritten } from './half-written.ts'

const [verb = '', home = '', offshootHome = '', cwd = '', name = '', moment = ''] = process.argv.slice(2)
const app = createApp({
  home,
  cwd,
  vars: { PATH: process.env.PATH, HOME: home, OFFSHOOT_HOME: offshootHome },
  now: Date.now,
  agents: moment === 'half written' ? builtinAgents.map(halfWritten) : builtinAgents,
  onForkStep(reached) {
    process.stdout.write(`${reached}\n`)
    if (reached === moment) process.kill(process.pid, 'SIGKILL')
  },
})
if (verb === 'fork') await app.fork({ address: name, at: '1', code: 'head' })
else if (verb === 'start') await app.start({ agent: 'claude' })
else if (verb === 'recover') await app.recover()
else if (verb === 'gc') await app.gc()
else await app.undo(name)
app.close()
