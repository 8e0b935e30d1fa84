import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { git, testGit, writeFiles } from '../../test/git/scratch.ts'
import { useSnapshots } from '../../test/git/snapshots.ts'
import { packSnapshots } from './pack.ts'
import { readSnapshot } from './read-snapshot.ts'

describe('packing snapshots', () => {
  const its = useSnapshots()
  const commonDir = () => join(its.root, '.git')
  const packs = () => readdirSync(join(commonDir(), 'objects/pack')).filter((name) => name.endsWith('.pack'))
  const loose = () => git(its.root, ['count-objects']).split(' ')[0]

  it('waits until there are many, then packs ours alone and loses nothing', async () => {
    git(its.root, ['gc', '-q'])
    const theirs = packs()
    const rescue = git(its.root, ['hash-object', '-w', '--stdin'], { input: 'nobody names me' }).trim()
    for (const turn of [1, 2, 3]) {
      writeFiles(its.root, { 'a.txt': `turn ${turn}\n`, [`new-${turn}`]: 'n' })
      await its.take({ meta: { turnKey: `t${turn}` } })
    }
    expect(await packSnapshots(testGit(), commonDir())).toBe(false)
    expect(await packSnapshots(testGit(), commonDir(), { fromSnapshots: 3 })).toBe(true)
    expect(packs()).toHaveLength(2)
    expect(packs()).toEqual(expect.arrayContaining(theirs))
    expect(loose()).toBe('1')
    expect(git(its.root, ['cat-file', 'blob', rescue])).toBe('nobody names me')
    expect(await packSnapshots(testGit(), commonDir(), { fromSnapshots: 1 })).toBe(false)
    expect(git(its.root, ['cat-file', 'blob', 'refs/offshoot/claude/session-1/t2/end:wt/a.txt'])).toBe('turn 2\n')
    expect(git(its.root, ['fsck', '--no-dangling'])).toBe('')
    writeFiles(its.root, { 'a.txt': 'turn 4\n' })
    const { snapshot } = await its.take({ meta: { turnKey: 't4' } })
    git(its.root, ['gc', '-q', '--prune=now'])
    expect(await readSnapshot(testGit(), commonDir(), snapshot.ref)).toEqual(snapshot)
  })

  it('does nothing in a repository without any', async () => {
    expect(await packSnapshots(testGit(), commonDir(), { fromSnapshots: 1 })).toBe(false)
  })
})
