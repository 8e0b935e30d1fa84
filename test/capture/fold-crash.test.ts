// kill -9 of the process that folds, at every step it takes, and of git inside of the one transaction that counts.
import { existsSync, readdirSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { foldSnapshots } from '../../src/snapshots/fold.ts'
import { listSnapshots } from '../../src/snapshots/read-snapshot.ts'
import { runCutOff } from '../fork/run-cut-off.ts'
import { handSnapshot } from '../git/hand-snapshot.ts'
import { git, testGit, writeFiles } from '../git/scratch.ts'
import { useWorkspaces } from '../git/workspaces.ts'

// OFFSHOOT_MATRIX=1 for every step, otherwise every fourth.
const stride = process.env.OFFSHOOT_MATRIX === '1' ? 1 : 4

const its = useWorkspaces()
const commonDir = () => join(its.root, '.git')
const locks = () => readdirSync(commonDir(), { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.lock'))
const refs = () => git(its.root, ['for-each-ref', '--format=%(refname)', 'refs/offshoot/']).split('\n').filter(Boolean)
const fold = () => foldSnapshots(testGit(), commonDir(), { fromSnapshots: 1, now: Date.now() })

/** As they are when nobody has come by for a while. */
function ageLocks(): void {
  for (const name of [...locks(), 'offshoot-refs'].filter((name) => existsSync(join(commonDir(), name))))
    utimesSync(join(commonDir(), name), 1, 1)
}

test(`killed after every step (here: of ${stride}) nothing is lost, and the next folding does all of it`, async () => {
  const ids: string[] = []
  const take = () => {
    const number = ids.length
    writeFiles(its.root, { 'a.txt': `${number}\n` })
    ids.push(handSnapshot(its.root, { meta: { turnKey: `t${10 + number}` } }).id)
  }
  const held = async () => (await listSnapshots(testGit(), commonDir())).map(({ id }) => id)
  take()
  await fold()
  const cutOff = (moment: string) =>
    runCutOff(new URL('./fold-cut-off.ts', import.meta.url), [commonDir(), join(its.scratch.path, 'hooks'), moment])
  /** Whether it got there. */
  const survive = async (moment: string): Promise<boolean> => {
    take()
    take()
    const { signal, stderr } = await cutOff(moment)
    expect(await held(), moment).toEqual(ids)
    expect(git(its.root, ['fsck', '--strict', '--no-dangling']), moment).toBe('')
    ageLocks()
    for (let tries = 0; tries < 3 && refs().length > 1; tries++) await fold()
    expect([await held(), refs(), locks()], moment).toEqual([ids, ['refs/offshoot/folded'], []])
    return signal === 'SIGKILL' || stderr.includes('git update-ref failed')
  }
  for (const state of ['prepared', 'committed']) expect(await survive(`in ${state}`)).toBe(true)
  let step = stride
  while (await survive(`after ${step}`)) step += stride
  expect(step).toBeGreaterThan(8)
}, 120_000)
