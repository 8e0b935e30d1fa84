// Every command with one failing file system call: a full disk, missing permissions, too many open files, a failing disk, kill -9. It ends
// with an error that says what to do, never as a bug and never not at all; the next command works, and nothing was lost.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { wholeMatrix } from '../real/lib/matrix.ts'
import { commands } from './commands.ts'
import { createFaultHome, type FaultHome } from './fault-home.ts'
import { type Errno, errnos, shim } from './shim.ts'
import { type Outcome, runTrial } from './trial.ts'

/** How many calls of each command fail, spread over all of them. `OFFSHOOT_FAULTS=all` makes each one fail, which takes a day. */
const everyCall = process.env.OFFSHOOT_FAULTS === 'all'
const sampled = wholeMatrix ? 6 : 2
if (!wholeMatrix) console.log('failing calls: left out here, run by npm run test:matrix: four of five faults of each command')

/** Another fault for each command. */
const errnosFor = (at: number) => (wholeMatrix ? errnos : errnos.filter((_, each) => each === at % errnos.length))

let home: FaultHome
beforeAll(async () => {
  if (shim !== null) home = await createFaultHome()
})
afterAll(async () => await home?.remove())

describe.skipIf(shim === null).each(commands.map((command, at) => ({ ...command, at })))('$name', (command) => {
  test.each(errnosFor(command.at))(
    'at any call that fails with %s',
    async (errno) => {
      const clean = await runTrial(home, shim ?? '', command, { errno, at: 0 })
      expect({ status: clean.status, problems: clean.problems, stderr: clean.stderr }).toMatchObject({ status: 0, problems: [] })
      const found: unknown[] = []
      for (const at of callsToFail(clean, command.name, errno)) {
        const { problems, failed, status, stderr } = await runTrial(home, shim ?? '', command, { errno, at }, clean)
        if (problems.length > 0) found.push({ at, failed, status, problems, stderr: stderr.slice(0, 500) })
      }
      expect(found).toEqual([])
    },
    everyCall ? 4 * 3_600_000 : 600_000,
  )
})

/** The same ones each time: a different place in each part of the run for each command and errno. */
function callsToFail({ calls }: Outcome, name: string, errno: Errno): number[] {
  if (everyCall) return Array.from({ length: calls }, (_, at) => at + 1)
  const parts = Math.min(sampled, calls)
  const seed = [...`${name} ${errno}`].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 9973, 7)
  return Array.from({ length: parts }, (_, part) => {
    const [from, to] = [part, part + 1].map((each) => Math.floor((calls * each) / parts))
    return 1 + (from ?? 0) + (seed % Math.max(1, (to ?? 0) - (from ?? 0)))
  })
}
