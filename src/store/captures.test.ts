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
})
