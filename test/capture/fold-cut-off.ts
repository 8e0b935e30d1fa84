// A process that folds and is killed at a given moment: itself after a call of git, or git inside of its transaction.
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { exec } from '../../src/lib/exec.ts'
import { foldSnapshots } from '../../src/snapshots/fold.ts'
import { createGit, type Git } from '../../src/snapshots/git.ts'

const [commonDir = '', hooks = '', moment = ''] = process.argv.slice(2)
const run = createGit({ exec, env: process.env })
// The hook sees each state of the transaction, its parent is the git that holds the locks.
mkdirSync(hooks, { recursive: true })
writeFileSync(join(hooks, 'reference-transaction'), `#!/bin/sh\n[ "in $1" != "${moment}" ] || kill -9 $PPID\n`)
chmodSync(join(hooks, 'reference-transaction'), 0o755)

let count = 0
const git: Git = async (args, call) => {
  count += 1
  const result = await run(args, { ...call, config: { ...call.config, 'core.hooksPath': hooks } })
  if (moment === `after ${count}`) process.kill(process.pid, 'SIGKILL')
  return result
}
await foldSnapshots(git, commonDir, { fromSnapshots: 1, now: Date.now() })
process.exit(0)
