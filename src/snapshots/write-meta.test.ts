import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { git, testGit, writeFiles } from '../../test/git/scratch.ts'
import { readTreeFiles, useSnapshots } from '../../test/git/snapshots.ts'
import { readSnapshot } from './read-snapshot.ts'
import { writeMeta } from './write-meta.ts'

describe('what a snapshot says of itself', () => {
  const its = useSnapshots()

  it('can be completed, and everything else of it stays', async () => {
    writeFiles(its.root, { 'a.txt': 'staged' })
    git(its.root, ['add', 'a.txt'])
    const { snapshot } = await its.take()
    const meta = { ...snapshot.meta, turnId: 'ü-1', turnNumber: 7 }
    const written = await writeMeta(testGit(), join(its.root, '.git'), snapshot, meta)
    expect(await readSnapshot(testGit(), join(its.root, '.git'), snapshot.ref)).toEqual(written)
    expect(written.meta).toEqual(meta)
    const { meta: _, ...before } = readTreeFiles(its.root, snapshot.id)
    const { meta: __, ...after } = readTreeFiles(its.root, written.id)
    expect(after).toEqual(before)
  })

  it('is not changed when somebody else has taken the snapshot anew', async () => {
    const { snapshot } = await its.take()
    writeFiles(its.root, { 'a.txt': 'changed' })
    const newer = (await its.take()).snapshot
    await expect(writeMeta(testGit(), join(its.root, '.git'), snapshot, snapshot.meta)).rejects.toThrow(/update-ref/)
    expect(git(its.root, ['rev-parse', snapshot.ref]).trim()).toBe(newer.id)
  })
})
