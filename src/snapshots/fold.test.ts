import { existsSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { handSnapshot } from '../../test/git/hand-snapshot.ts'
import { git, testGit, writeFiles } from '../../test/git/scratch.ts'
import { useWorkspaces } from '../../test/git/workspaces.ts'
import { deleteSnapshots } from './collect-garbage.ts'
import { foldSnapshots } from './fold.ts'
import { foldedRef } from './folded.ts'
import type { Git } from './git.ts'
import { packSnapshots } from './pack.ts'
import { listSnapshots, readSnapshot } from './read-snapshot.ts'
import { findRepository } from './repository.ts'
import { writeMeta } from './write-meta.ts'

describe('folding snapshots under one ref', () => {
  const its = useWorkspaces()
  const commonDir = () => join(its.root, '.git')
  const fold = (calls: Git = testGit()) => foldSnapshots(calls, commonDir(), { fromSnapshots: 1, now: Date.now() })
  const refs = () => git(its.root, ['for-each-ref', '--format=%(refname)', 'refs/offshoot/']).split('\n').filter(Boolean)
  const list = () => listSnapshots(testGit(), commonDir())
  const read = (ref: string) => readSnapshot(testGit(), commonDir(), ref)
  let count = 0
  const take = (turnKey: string, sessionId = 'a-session', more: Parameters<typeof handSnapshot>[1] = {}) => {
    writeFiles(its.root, { 'a.txt': `${++count}\n` })
    return handSnapshot(its.root, { ...more, meta: { turnKey, sessionId } })
  }
  const remove = (snapshots: Parameters<typeof deleteSnapshots>[2]) =>
    deleteSnapshots(testGit(), commonDir(), snapshots, Date.now())

  it('leaves one ref, and every snapshot is found as before; the person sees nothing of it', async () => {
    const taken = [take('t1'), take('t2'), take('t1', 'b-session')]
    git(its.root, ['pack-refs', '--all'])
    taken.push(take('t3'))
    const safety = take('s1', 'a-session', { ref: 'refs/offshoot/safety/s1' })
    const [before, log] = [await list(), git(its.root, ['log', '--all', '--format=%H'])]
    expect(await foldSnapshots(testGit(), commonDir(), { fromSnapshots: 5, now: Date.now() })).toBe(0)
    expect(await fold()).toBe(4)
    expect(refs()).toEqual([foldedRef, safety.ref])
    expect(existsSync(join(commonDir(), 'refs/offshoot/claude'))).toBe(false)
    expect(await list()).toEqual(before)
    for (const each of taken) expect(await read(each.ref)).toMatchObject({ ref: each.ref, id: each.id, tree: each.tree })
    expect(git(its.root, ['log', '--all', '--format=%H'])).toBe(log)
    git(its.root, ['gc', '-q', '--prune=now'])
    expect(await list()).toEqual(before)
    expect(git(its.root, ['fsck', '--no-dangling', '--strict'])).toBe('')
    expect(await fold()).toBe(0)
    taken.push(take('t4'))
    expect(await fold()).toBe(1)
    expect(await list()).toHaveLength(6)
    expect(refs()).toHaveLength(2)
  })

  it('what is taken or completed again under a folded name wins, and goes with it', async () => {
    const [one, two] = [take('t1'), take('t2')]
    await fold()
    const again = take('t1')
    const known = { ...two, ...(await read(two.ref)) }
    const amended = await writeMeta(testGit(), commonDir(), known, { ...known.meta, turnId: 'found' })
    await expect(writeMeta(testGit(), commonDir(), known, known.meta)).rejects.toThrow()
    expect((await list()).map(({ id }) => id)).toEqual([again.id, amended.id])
    expect(await remove([one])).toEqual({ deleted: [], changed: [one.ref] })
    await fold()
    expect(refs()).toEqual([foldedRef])
    expect((await list()).map(({ id }) => id)).toEqual([again.id, amended.id])
    const third = take('t1')
    expect(await remove([third])).toEqual({ deleted: [third.ref], changed: [] })
    expect(await read(third.ref)).toBeNull()
    expect(await remove([amended])).toEqual({ deleted: [two.ref], changed: [] })
    expect([await list(), refs()]).toEqual([[], []])
  })

  it('folds nothing where a hook wrote meanwhile, and two at once lose nothing', async () => {
    const taken = [take('t1'), take('t2')]
    const meanwhile: Git = async (args, call) => {
      if (args[0] === 'update-ref') taken[1] = take('t2')
      return testGit()(args, call)
    }
    expect(await fold(meanwhile)).toBe(0)
    expect(refs()).toEqual(taken.map(({ ref }) => ref))
    const folded = await Promise.all([fold(), fold(), fold()])
    expect(folded.filter((number) => number === 2)).toHaveLength(1)
    expect((await list()).map(({ id }) => id)).toEqual(taken.map(({ id }) => id))
  })

  it('a hook waits for refs that are held for a moment', async () => {
    const taken = take('t1')
    const lock = join(commonDir(), `${taken.ref}.lock`)
    writeFileSync(lock, '')
    setTimeout(() => rmSync(lock), 400)
    const known = { ...taken, ...(await read(taken.ref)) }
    const amended = await writeMeta(testGit(), commonDir(), known, { ...known.meta, turnId: 'found' })
    expect((await list()).map(({ id }) => id)).toEqual([amended.id])
  })

  it('cut off between the new ref and the deletions, it is done again', async () => {
    const taken = [take('t1'), take('t2')]
    const cutOff: Git = async (args, call) => {
      if (args[0] !== 'update-ref') return testGit()(args, call)
      // What a git that is killed there leaves: the first of the transaction done, the others still locked.
      const { input = '', ...rest } = call
      await testGit()(args, { ...rest, input: input.slice(0, input.indexOf('delete ')) })
      for (const { ref } of taken) writeFiles(commonDir(), { [`${ref}.lock`]: '' })
      throw new Error('killed')
    }
    await expect(fold(cutOff)).rejects.toThrow('killed')
    expect((await list()).map(({ id }) => id)).toEqual(taken.map(({ id }) => id))
    // Locked just now: somebody may be at it.
    expect([await fold(), await fold()]).toEqual([0, 0])
    for (const { ref } of taken) utimesSync(join(commonDir(), `${ref}.lock`), 1, 1)
    expect([await fold(), await fold()]).toEqual([0, 2])
    expect((await list()).map(({ id }) => id)).toEqual(taken.map(({ id }) => id))
    expect(readdirSync(join(commonDir(), 'refs/offshoot'))).toEqual(['folded'])
  })

  // OFFSHOOT_MATRIX=1 for every moment, otherwise every third.
  it('loses nothing to a gc of the person at any moment', async () => {
    const stride = process.env.OFFSHOOT_MATRIX === '1' ? 1 : 3
    const ids = []
    for (let moment = 1, done = false; !done; moment += stride) {
      ids.push(take(`t${10 + moment}`).id)
      let calls = 0
      const withGc: Git = async (args, call) => {
        if (++calls === moment) git(its.root, ['gc', '-q', '--prune=now'])
        return testGit()(args, call)
      }
      // Told of where it took a tree from under our hands: that is the next time's work.
      await fold(withGc).catch(() => 0)
      done = calls < moment
      expect((await list()).map(({ id }) => id)).toEqual(ids)
    }
    await fold()
    expect(refs()).toEqual([foldedRef])
    expect(git(its.root, ['fsck', '--no-dangling'])).toBe('')
  })

  it('in a linked work tree and in a partial clone whose remote is away, as anywhere', async () => {
    const linked = join(its.scratch.path, 'linked')
    git(its.root, ['worktree', 'add', '-q', linked])
    writeFiles(linked, { 'a.txt': 'linked\n' })
    const taken = handSnapshot(linked, { meta: { turnKey: 't1' } })
    const { commonDir: shared } = await findRepository(testGit(), linked)
    expect(await foldSnapshots(testGit(), shared, { fromSnapshots: 1, now: Date.now() })).toBe(1)
    expect(await read(taken.ref)).toMatchObject({ id: taken.id })
    git(its.root, ['config', 'uploadpack.allowFilter', 'true'])
    const clone = join(its.scratch.path, 'clone')
    git(its.scratch.path, ['clone', '-q', '--filter=blob:none', `file://${its.root}`, clone])
    git(clone, ['remote', 'set-url', 'origin', 'file:///nowhere'])
    const own = join(clone, '.git')
    writeFiles(clone, { 'a.txt': 'cloned\n' })
    const both = ['t1', 't2'].map((turnKey) => handSnapshot(clone, { meta: { turnKey } }))
    expect(await packSnapshots(testGit(), own, { fromSnapshots: 1 })).toBe(true)
    expect(await foldSnapshots(testGit(), own, { fromSnapshots: 1, now: Date.now() })).toBe(2)
    git(clone, ['gc', '-q', '--prune=now'])
    expect((await listSnapshots(testGit(), own)).map(({ id }) => id)).toEqual(both.map(({ id }) => id))
  })

  it('folds nothing when what was folded before cannot be read', async () => {
    take('t1')
    await fold()
    const session = git(its.root, ['rev-parse', `${foldedRef}:claude/a-session`]).trim()
    rmSync(join(commonDir(), 'objects', session.slice(0, 2), session.slice(2)))
    const root = git(its.root, ['rev-parse', foldedRef])
    take('t2')
    await expect(fold()).rejects.toThrow('is gone')
    expect(git(its.root, ['rev-parse', foldedRef])).toBe(root)
    expect(refs()).toHaveLength(2)
  })
})
