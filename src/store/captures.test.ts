import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Capture } from '../model/capture.ts'
import { openStore, type Store } from './store.ts'

let folder: string
let store: Store
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'offshoot-captures-'))
  store = openStore({ folder, now: () => 1 })
})
afterEach(() => {
  store.close()
  rmSync(folder, { recursive: true, force: true })
})

const capture: Capture = {
  agent: 'claude',
  sessionId: 's1',
  turnKey: 'p1',
  moment: 'end',
  turnId: 't1',
  number: 1,
  prompt: 'make it so',
  by: 'hook',
  commonDir: '/r/.git',
  root: '/r',
  ref: 'refs/offshoot/claude/s1/p1/end',
  snapshot: 'a'.repeat(40),
  tree: 'b'.repeat(40),
  head: null,
  branch: 'main',
  commit: null,
  startedAt: 1,
  endedAt: 2,
  startTree: 'c'.repeat(40),
  files: ['a b', 'ü'],
  added: 3,
  removed: 1,
  notCovered: [{ path: 'big', reason: 'too_large' }],
}

describe('captures', () => {
  it('gives back what was put in, once per moment of a turn', () => {
    store.captures.put({ ...capture, added: 99 })
    store.captures.put(capture)
    store.captures.put({ ...capture, moment: 'start', endedAt: null })
    expect(store.captures.get(capture)).toEqual(capture)
    expect(store.captures.ofSession('claude', 's1').map(({ moment }) => moment)).toEqual(['start', 'end'])
    expect(store.captures.ofSession('codex', 's1')).toEqual([])
    expect(store.captures.count()).toBe(2)
  })

  it('finds a turn in whichever session it was captured', () => {
    store.captures.put(capture)
    store.captures.put({ ...capture, sessionId: 's2' })
    store.captures.put({ ...capture, agent: 'codex' })
    expect(store.captures.ofTurn('claude', 't1').map(({ sessionId }) => sessionId)).toEqual(['s1', 's2'])
  })

  it('knows which are not complete', () => {
    store.captures.put(capture)
    store.captures.put({ ...capture, sessionId: 's2', turnId: null })
    store.captures.put({ ...capture, sessionId: 's3', number: null })
    expect(store.captures.incompleteSessions().map(({ sessionId }) => sessionId)).toEqual(['s2', 's3'])
    store.captures.remove({ ...capture, sessionId: 's2' })
    expect(store.captures.incompleteSessions()).toEqual([{ agent: 'claude', sessionId: 's3' }])
  })
})

describe('restores and pushes', () => {
  it('give back what was put in', () => {
    const restore = {
      id: 'r1',
      state: 'restored' as const,
      root: '/r',
      commonDir: '/r/.git',
      safetyRef: 'refs/offshoot/safety/r1',
      targetTree: 'f'.repeat(40),
      source: 'claude:s1@1',
      paths: ['a', 'b'],
      createdAt: 1,
      undoneAt: null,
    }
    store.restores.put(restore)
    store.restores.put({ ...restore, id: 'r2', createdAt: 2 })
    expect(store.restores.get('r1')).toEqual(restore)
    expect(store.restores.all().map(({ id }) => id)).toEqual(['r2', 'r1'])
    const push = {
      workspaceId: 'w1',
      remote: 'origin',
      pushedCommit: null,
      attempts: 2,
      nextAt: 5,
      problem: 'no route',
      updatedAt: 3,
    }
    store.pushes.put(push)
    expect(store.pushes.get('w1')).toEqual(push)
    store.pushes.remove('w1')
    expect(store.pushes.all()).toEqual([])
    expect(store.pushes.get('w1')).toBeNull()
  })

  describe('of a prompt typed ahead, as versions recorded it that took the silent turn before for open', () => {
    const [one, two, three] = ['p1', 'p2', 'p3'].map((turnKey, at) => ({
      ...capture,
      turnKey,
      turnId: `t${at + 1}`,
      number: at + 1,
    }))
    const trees = { start: '0', one: '1', three: '3', found: '4' }
    const first = { ...capture, ...one, startedAt: 1, endedAt: 2, startTree: trees.start, tree: trees.one } as Capture
    const ahead = { ...capture, ...three, startedAt: null, endedAt: 6, startTree: trees.one, tree: trees.three } as Capture
    const silent = {
      ...capture,
      ...two,
      ...{ by: 'late', startedAt: 3, endedAt: 8, startTree: trees.one, tree: trees.found },
    } as Capture
    const read = () =>
      store.captures.ofSession('claude', 's1').map(({ turnId, startTree, files }) => [turnId, startTree, files.length])

    it('the silent turn is not captured, and the start of the one typed ahead is not known', () => {
      for (const row of [first, silent, ahead]) store.captures.put(row)
      const unknown = { ...ahead, startTree: null, files: [], added: 0, removed: 0 }
      expect(store.captures.ofSession('claude', 's1')).toEqual([first, unknown])
      expect(store.captures.all()).toEqual([first, unknown])
      expect(store.captures.ofTurn('claude', 't3')).toEqual([unknown])
      expect(store.captures.ofTurn('claude', 't2')).toEqual([])
      // Who completes a row writes it back as it was read.
      store.captures.put(unknown)
      expect(store.captures.ofTurn('claude', 't2')).toEqual([])
      // What the prompt after both found may be recorded nowhere else.
      expect(store.captures.statesOf('claude', 's1')).toEqual([first, unknown, silent])
    })

    it('the same holds while the silent turn has only a start', () => {
      for (const row of [first, { ...silent, moment: 'start', endedAt: null } as Capture, ahead]) store.captures.put(row)
      expect(read()).toEqual([
        ['t1', trees.start, 2],
        ['t2', trees.one, 2],
        ['t3', null, 0],
      ])
    })

    it('a turn that began where the one before ended is left as it is, and so is one that was captured late alone', () => {
      for (const row of [first, { ...silent, endedAt: 5 }, { ...ahead, endedAt: 6 }]) store.captures.put(row)
      expect(read()).toEqual([
        ['t1', trees.start, 2],
        ['t2', trees.one, 2],
        ['t3', trees.one, 2],
      ])
      store.captures.put({ ...silent, endedAt: 9 })
      store.captures.put({ ...ahead, startedAt: 5 })
      expect(read().map(([turnId]) => turnId)).toEqual(['t1', 't3', 't2'])
      expect(read()[2]).toEqual(['t2', trees.one, 2])
    })
  })
})
