import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { handSnapshot } from '../../test/git/hand-snapshot.ts'
import { git, testGit, writeFiles } from '../../test/git/scratch.ts'
import { useWorkspaces } from '../../test/git/workspaces.ts'
import { deleteSnapshots, judgeSnapshots, measureSnapshots } from './collect-garbage.ts'
import { listSnapshots } from './read-snapshot.ts'

describe('letting snapshots go', () => {
  const its = useWorkspaces()
  const commonDir = () => join(its.root, '.git')
  const remove = (snapshots: Parameters<typeof deleteSnapshots>[2]) =>
    deleteSnapshots(testGit(), commonDir(), snapshots, Date.now())
  const left = async () => (await listSnapshots(testGit(), commonDir())).map(({ meta }) => meta.turnKey)
  const take = (turnKey: string, sessionId = 'a-session') => handSnapshot(its.root, { meta: { turnKey, sessionId } })

  it('keeps what is needed, alive or recent, and says why', () => {
    const [needed, alive, recent, gone] = ['needed', 'alive', 'recent', 'gone'].map((key) => take(key, `session-${key}`))
    if (!needed || !alive || !recent || !gone) throw new Error('not made')
    const young = { ...recent, meta: { ...recent.meta, endedAt: 10_000 } }
    const timeless = { ...gone, meta: { ...gone.meta, startedAt: null, endedAt: null } }
    const judged = judgeSnapshots([needed, alive, young, gone, timeless], {
      isAlive: ({ sessionId }) => sessionId === 'session-alive',
      neededFor: ({ ref }) => (ref === needed.ref ? 'fork x was made from it' : null),
      before: 5_000,
    })
    expect(judged.map(({ goes, reason }) => [goes, reason])).toEqual([
      [false, 'fork x was made from it'],
      [false, 'its session can still be opened'],
      [false, 'it is recent'],
      [true, 'session session-gone is gone'],
      [false, 'it is recent'],
    ])
  })

  it('deletes many in one go, packed or not, and nothing else', async () => {
    const snapshots = [take('one'), take('two')]
    git(its.root, ['pack-refs', '--all'])
    snapshots.push(take('three'))
    const kept = take('kept')
    const before = git(its.root, ['for-each-ref', 'refs/heads'])
    expect(await remove(snapshots)).toEqual({ deleted: snapshots.map(({ ref }) => ref), changed: [] })
    expect(await left()).toEqual([kept.meta.turnKey])
    expect(git(its.root, ['for-each-ref', 'refs/heads'])).toBe(before)
    git(its.root, ['fsck', '--strict'])
  })

  it('leaves a ref that was written since it was looked at', async () => {
    const [old, other] = [take('one'), take('two')]
    writeFiles(its.root, { 'a.txt': 'later\n' })
    take('one')
    expect(await remove([old, other])).toEqual({ deleted: [other.ref], changed: [old.ref] })
    expect(await left()).toEqual(['one'])
    expect(await remove([other])).toEqual({ deleted: [], changed: [other.ref] })
  })

  it('refuses to delete refs that are not ours', async () => {
    const id = git(its.root, ['rev-parse', 'HEAD']).trim()
    await expect(remove([{ ref: 'refs/heads/main', id }])).rejects.toThrow('not a ref of ours')
    expect(git(its.root, ['rev-parse', 'main']).trim()).toBe(id)
  })

  it('waits for a lock on the packed refs, and says so when it stays', async () => {
    const one = take('one')
    git(its.root, ['pack-refs', '--all'])
    const lock = join(commonDir(), 'packed-refs.lock')
    writeFiles(commonDir(), { 'packed-refs.lock': '' })
    await expect(remove([one])).rejects.toMatchObject({ code: 'busy' })
    const removing = remove([one])
    await sleep(20)
    rmSync(lock)
    expect((await removing).deleted).toEqual([one.ref])
  })

  it('measures what only these hold', async () => {
    const bytes = Array.from({ length: 4000 }, (_, number) => String((number * 7919) % 10007)).join()
    const first = take('one')
    writeFiles(its.root, { 'large.txt': bytes })
    const [second, third] = [take('two'), take('three')]
    const measure = (going: (typeof first)[], staying: (typeof first)[]) =>
      measureSnapshots(testGit(), commonDir(), going, staying)
    expect(await measure([], [first])).toBe(0)
    const small = await measure([first], [second, third])
    const shared = await measure([second], [first, third])
    const whole = await measure([second, third], [first])
    expect(whole).toBeGreaterThan(4000)
    expect(shared).toBeLessThan(1000)
    expect(small).toBeLessThan(1000)
    expect(readdirSync(commonDir())).not.toContain('gc.log')
  })
})
