// A process that starts, forks, restores or undoes and kills itself at a given moment, as a power cut or kill -9 would.
import { createApp } from '../../src/app.ts'

const [verb = '', home = '', offshootHome = '', cwd = '', name = '', moment = '', path = process.env.PATH] = process.argv.slice(2)
const app = createApp({
  home,
  cwd,
  vars: { PATH: path, HOME: home, OFFSHOOT_HOME: offshootHome },
  now: Date.now,
  onForkStep(reached) {
    process.stdout.write(`${reached}\n`)
    if (reached === moment) process.kill(process.pid, 'SIGKILL')
  },
})
if (verb === 'start') await app.start({ agent: name === 'codex' ? 'codex' : 'claude' })
else if (verb === 'fork') await app.fork({ address: name, at: '1', code: 'turn' })
else if (verb === 'restore') await app.restore(await app.planRestore({ address: name }))
else await app.undo(name)
app.close()
