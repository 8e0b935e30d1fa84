// Takes snapshots of a work tree in this process: node snapshot.mjs <root> <private index> <first number> <count>
// With more than one, a file is changed before each, as the peer's commits have it.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { exec } from '../../dist/lib/exec.js'
import { createGit } from '../../dist/snapshots/git.js'
import { packSnapshots } from '../../dist/snapshots/pack.js'
import { findRepository } from '../../dist/snapshots/repository.js'
import { takeSnapshot } from '../../dist/snapshots/take-snapshot.js'

const [root, index, first, count] = process.argv.slice(2)
const git = createGit({ exec, env: process.env })
const workTree = await findRepository(git, root)
let tree = ''
for (let number = Number(first); number < Number(first) + Number(count); number += 1) {
  if (Number(count) > 1) writeFileSync(join(root, `d${number % 7}`, 'changing.txt'), smallChange(number))
  const turnKey = `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`
  const meta = {
    agent: 'claude',
    sessionId: '11111111-1111-4111-8111-111111111111',
    moment: 'end',
    turnKey,
    turnId: turnKey,
    turnNumber: number,
    prompt: `Change number ${number}: make the handler return early when the token has expired`,
    by: 'hook',
    startedAt: 1_700_000_000_000 + number * 60_000,
    endedAt: 1_700_000_030_000 + number * 60_000,
    startTree: tree || null,
  }
  tree = (await takeSnapshot(git, { workTree, index, meta, maxFileBytes: 50_000_000 })).snapshot.tree
}
if (Number(count) > 1) await packSnapshots(git, workTree.commonDir, { fromSnapshots: 1 })
console.log(JSON.stringify({ tree }))

function smallChange(number) {
  return Array.from({ length: 60 }, (_, line) => `line ${line} ${line % 60 === number % 60 ? number : ''}\n`).join('')
}
