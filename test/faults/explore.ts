// npx tsx test/faults/explore.ts <command> <errno> <stride> <offset> [sticky]
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { commands } from './commands.ts'
import { createFaultHome } from './fault-home.ts'
import { type Errno, runTrial } from './trial.ts'

const [names = 'all', errno = 'EIO', stride = '1', offset = '1', sticky = ''] = process.argv.slice(2)
const home = await createFaultHome()
const shim = join(home.aside, 'shim.so')
execFileSync('cc', ['-shared', '-fPIC', '-O1', '-o', shim, join(import.meta.dirname, 'shim.c'), '-ldl'])
let trials = 0
for (const command of commands.filter(({ name }) => names === 'all' || names.split(',').includes(name))) {
  const clean = await runTrial(home, shim, command, { errno: errno as Errno, at: 0 })
  console.log(`## ${command.name} ${errno}: ${clean.calls} calls, status ${clean.status} ${clean.problems.join('; ')}`)
  if (clean.status !== 0) console.log(clean.stderr)
  for (let at = Number(offset); at <= clean.calls; at += Number(stride)) {
    const { status, problems, failed, stderr } = await runTrial(home, shim, command, {
      errno: errno as Errno,
      at,
      sticky: sticky !== '',
    })
    trials += 1
    if (problems.length > 0)
      console.log(
        `${command.name} ${errno} ${at} [${failed[0] ?? 'not reached'}] status ${status}: ${problems.join('; ')}\n   ${stderr.trim().split('\n').slice(0, 6).join('\n   ')}`,
      )
  }
}
console.log(`trials ${trials}`)
await home.remove()
