import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { handSnapshot } from '../../test/git/hand-snapshot.ts'
import { git, testGit, writeFiles } from '../../test/git/scratch.ts'
import { useWorkspaces } from '../../test/git/workspaces.ts'
import { deleteSnapshots } from './collect-garbage.ts'
import type { Git } from './git.ts'
import { joinPacks } from './join-packs.ts'
import { packSnapshots } from './pack.ts'
import { listSnapshots } from './read-snapshot.ts'

describe('our packs', () => {
  const its = useWorkspaces()
  const commonDir = () => join(its.root, '.git')
  const packs = () => readdirSync(join(commonDir(), 'objects/pack')).filter((name) => name.endsWith('.pack'))
  const ours = () => readFileSync(join(commonDir(), 'offshoot-packs'), 'utf8').trim().split('\n')
  const all = () => git(its.root, ['cat-file', '--batch-all-objects', '--batch-check']).split('\n').sort()
  const join3 = (calls: Git = testGit()) => joinPacks(calls, commonDir(), { fromPacks: 3 })
  const take = async (turnKey: string) => {
    writeFiles(its.root, { 'a.txt': `${turnKey}\n` })
    const made = handSnapshot(its.root, { meta: { turnKey } })
    await packSnapshots(testGit(), commonDir(), { fromSnapshots: 1 })
    return made
  }

  it('become one that holds all they held, what no ref names any more too; the person’s stay', async () => {
    git(its.root, ['gc', '-q'])
    const theirs = packs()
    const [first] = [await take('t1'), await take('t2')]
    expect(await join3()).toBe(0)
    await take('t3')
    await deleteSnapshots(testGit(), commonDir(), [first], Date.now())
    const before = [all(), await listSnapshots(testGit(), commonDir())]
    expect(packs()).toHaveLength(theirs.length + 3)
    expect(await join3()).toBe(3)
    expect(packs()).toEqual(expect.arrayContaining(theirs))
    expect(packs()).toHaveLength(theirs.length + 1)
    expect(ours()).toHaveLength(1)
    expect([all(), await listSnapshots(testGit(), commonDir())]).toEqual(before)
    expect(git(its.root, ['fsck', '--no-dangling'])).toBe('')
    // Cut off while the old ones were removed.
    const [made] = ours()
    const gone = join(commonDir(), `objects/pack/pack-${'1'.repeat(40)}.pack`)
    writeFileSync(gone, '')
    writeFileSync(join(commonDir(), 'offshoot-packs'), [made, '1'.repeat(40), '2'.repeat(40), ''].join('\n'))
    expect([await join3(), existsSync(gone), ours()]).toEqual([0, false, [made]])
    // After the person's gc there is nothing of ours left to join.
    git(its.root, ['gc', '-q', '--prune=now'])
    for (const turnKey of ['t4', 't5']) await take(turnKey)
    expect(await join3()).toBe(0)
  })

  it('stay where somebody kept one or has an index over all of them, and after a failure', async () => {
    for (const turnKey of ['t1', 't2', 't3']) await take(turnKey)
    const before = [all(), packs()]
    const keep = join(commonDir(), `objects/pack/pack-${ours()[0]}.keep`)
    writeFileSync(keep, '')
    expect(await join3()).toBe(0)
    await take('t4')
    const failing: Git = async (args, call) => {
      const result = await testGit()(args, call)
      if (args[0] === 'pack-objects') throw new Error('killed')
      return result
    }
    await expect(join3(failing)).rejects.toThrow('killed')
    expect(packs()).toEqual(expect.arrayContaining(before[1] ?? []))
    expect(ours()).toHaveLength(4)
    git(its.root, ['multi-pack-index', 'write'])
    expect(await join3()).toBe(0)
    expect([existsSync(keep), git(its.root, ['fsck', '--no-dangling'])]).toEqual([true, ''])
  })
})
