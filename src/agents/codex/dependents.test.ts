import { describe, expect, test } from 'vitest'
import { listDependents } from './dependents.ts'
import { otherId, placeRollout, Rollout, rolloutPath, threadId, useHomes } from './home.testkit.ts'

const newHome = useHomes()

const forkOf = (base: string, end: number, id: string) =>
  new Rollout({ id, forked_from_id: base, history_base: { thread_id: base, end_ordinal_exclusive: end } }, { from: end })

describe('the threads that build on a file', () => {
  test('are its forks and the forks of those', () => {
    const env = newHome()
    const parent = new Rollout().turn('one')
    const file = parent.place(env)
    const child = forkOf(threadId, parent.next, otherId(1)).turn('two')
    child.place(env)
    const grandchild = forkOf(otherId(1), child.next, otherId(2)).place(env)
    new Rollout({ id: otherId(3) }).turn('alone').place(env)
    expect(
      listDependents(file, env)
        .map(({ id }) => id)
        .sort(),
    ).toEqual([otherId(1), otherId(2)])
    expect(listDependents(grandchild, env)).toEqual([])
  })

  test('do not include copies, nor forks that refer to an older file', () => {
    const env = newHome()
    const parent = new Rollout().turn('one')
    parent.place(env)
    const fork = forkOf(threadId, parent.next, otherId(1)).turn('two').place(env)
    forkOf(threadId, parent.next, otherId(2)).place(env)
    new Rollout({ id: otherId(3), forked_from_id: otherId(1) }, { legacy: true }).turn('one').turn('two').place(env)
    expect(listDependents(fork, env)).toEqual([])
  })

  test('are found by a segment of a reverted thread too', () => {
    const env = newHome()
    const first = new Rollout().turn('one').turn('gone')
    first.place(env)
    const segment = forkOf(threadId, 5, threadId).turn('instead')
    const path = rolloutPath(env.home, segment.toString(), otherId(9))
    placeRollout(path, segment.toString())
    const child = forkOf(otherId(9), segment.next, otherId(1)).place(env)
    const file = { ...child, id: threadId, path, olderPaths: [] }
    expect(listDependents(file, env).map(({ id }) => id)).toEqual([otherId(1)])
  })

  test('a file that cannot be read is passed over', () => {
    const env = newHome()
    const file = new Rollout().turn('one').place(env)
    placeRollout(rolloutPath(env.home, new Rollout({ id: otherId(1) }).toString()), 'no JSON at all\n')
    expect(listDependents(file, env)).toEqual([])
  })
})
