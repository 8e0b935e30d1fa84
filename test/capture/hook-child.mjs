// The built hook without what follows a capture. Asked to, it tells its steps and kills itself at one, as kill -9 would.
import { writeSync } from 'node:fs'
import { runHook } from '../../dist/capture/hook.js'

const [agent, dieAt, limit, ...args] = process.argv.slice(2)
const seen = new Map()
await runHook({
  args: [agent, ...args],
  vars: process.env,
  home: process.env.HOME,
  cwd: process.cwd(),
  now: Date.now,
  stdin: () => process.stdin,
  followUp: () => undefined,
  ...(limit === '' ? {} : { limitMs: Number(limit) }),
  onStep(step) {
    if (dieAt === '') return
    const count = (seen.get(step) ?? 0) + 1
    seen.set(step, count)
    writeSync(1, `${step}#${count}\n`)
    if (dieAt === `${step}#${count}`) process.kill(process.pid, 'SIGKILL')
  },
})
process.exit(0)
