// The hook from its sources, which kills itself at a given step, as kill -9 or a power cut would, and tells its steps.
import { writeSync } from 'node:fs'
import { runHook } from '../../src/capture/hook.ts'

const [agent = '', dieAt = '', limit = ''] = process.argv.slice(2)
const seen = new Map<string, number>()
await runHook({
  args: [agent],
  vars: process.env,
  home: process.env.HOME ?? '/nowhere',
  cwd: process.cwd(),
  now: Date.now,
  followUp: () => undefined,
  ...(limit === '' ? {} : { limitMs: Number(limit) }),
  onStep(step) {
    const count = (seen.get(step) ?? 0) + 1
    seen.set(step, count)
    writeSync(1, `${step}#${count}\n`)
    if (dieAt === `${step}#${count}`) process.kill(process.pid, 'SIGKILL')
  },
})
process.exit(0)
