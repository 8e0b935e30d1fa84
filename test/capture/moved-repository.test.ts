// A repository that was moved: the code of its old turns is compared and restored at the new place, and in its worktrees.
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { App } from '../../src/app.ts'
import { createSandbox, type Sandbox } from '../fork/sandbox.ts'
import { type HookedSession, hookedSession, type Payload, playTurn } from './session.ts'
import { tellHere } from './tell.ts'

let sandbox: Sandbox
let old: string
let moved: string
let linked: string
let session: HookedSession
beforeEach(async () => {
  sandbox = createSandbox()
  old = sandbox.repository('old')
  moved = join(sandbox.root, 'moved')
  linked = join(sandbox.root, 'linked')
  sandbox.git(old, 'worktree', 'add', '-q', '-b', 'other', linked)
  session = hookedSession(sandbox.projects, old)
  await turn(session, 'first', { 'a.txt': 'one\n', 'b.txt': 'one\n' }, old)
  await turn(session, 'second', { 'b.txt': 'two\n' }, old)
})
afterEach(() => sandbox.close())

const tell = (payload: Payload) => tellHere(sandbox.offshootHome, payload)
const turn = (of: HookedSession, prompt: string, files: Readonly<Record<string, string>>, root: string) =>
  playTurn(tell, of, prompt, () => {
    for (const [name, text] of Object.entries(files)) writeFileSync(join(root, name), text)
  })
const address = (number: number) => `${session.id}@${number}`
const read = (root: string, name: string) => (existsSync(join(root, name)) ? readFileSync(join(root, name), 'utf8') : null)
const changesOf = ({ files }: Awaited<ReturnType<App['diff']>>) => files.map(({ path, status }) => `${status} ${path}`)

/** Seen at its old place before, as in daily use. */
async function move(): Promise<void> {
  expect(await sandbox.app({ cwd: old }).listSessions()).toHaveLength(1)
  renameSync(old, moved)
  sandbox.git(moved, 'worktree', 'repair')
}

for (const [place, folder] of [
  ['the new place', () => moved],
  ['a linked worktree', () => linked],
] as const) {
  describe(`in ${place}`, () => {
    let app: App
    beforeEach(async () => {
      await move()
      app = sandbox.app({ cwd: folder() })
    })

    test('two old turns are compared', async () => {
      const diff = await app.diff({ from: address(1), to: address(2), paths: ['b.txt'] })
      expect(changesOf(diff)).toEqual(['M b.txt'])
      expect(diff.to.root).toBe(moved)
    })

    test('what an old turn changed is shown', async () => {
      expect(changesOf(await app.diff({ from: address(2) }))).toEqual(['M b.txt'])
    })

    test('an old turn is compared with now', async () => {
      const changes = folder() === moved ? ['M b.txt'] : ['D a.txt', 'D b.txt']
      expect(changesOf(await app.diff({ from: address(1), to: 'now' }))).toEqual(changes)
    })

    test('an old turn is compared with one of a session begun after the move', async () => {
      const later = hookedSession(sandbox.projects, folder())
      await turn(later, 'later', { 'c.txt': 'three\n' }, folder())
      const changes = folder() === moved ? ['M b.txt', 'A c.txt'] : ['D a.txt', 'D b.txt', 'A c.txt']
      expect(changesOf(await app.diff({ from: address(1), to: `${later.id}@1` }))).toEqual(changes)
    })

    test('a named path is restored where one stands, and undone', async () => {
      const before = read(folder(), 'b.txt')
      const plan = await app.planRestore({ address: address(1), paths: ['b.txt'] })
      expect(plan.root).toBe(folder())
      await app.restore(plan)
      expect(read(folder(), 'b.txt')).toBe('one\n')
      await app.undo()
      expect(read(folder(), 'b.txt')).toBe(before)
    })

    test('everything is restored where one stands', async () => {
      writeFileSync(join(folder(), 'b.txt'), 'by hand\n')
      await app.restore(await app.planRestore({ address: address(1), all: true }))
      expect([read(folder(), 'a.txt'), read(folder(), 'b.txt')]).toEqual(['one\n', 'one\n'])
    })

    test('what the session changed since is restored in the moved work tree', async () => {
      const plan = await app.planRestore({ address: address(1) })
      expect([plan.root, plan.changes.map(({ path }) => path)]).toEqual([moved, ['b.txt']])
      await app.restore(plan)
      expect(read(moved, 'b.txt')).toBe('one\n')
    })

    test('a fork takes the code of the old turn', async () => {
      const { fork } = await app.fork({ address: session.id, at: '1' })
      expect(read(fork.workspace?.path ?? '', 'b.txt')).toBe('one\n')
    })
  })
}

test('from outside, once the new place is known', async () => {
  await move()
  expect(await sandbox.app({ cwd: moved }).listSessions()).toHaveLength(1)
  const app = sandbox.app()
  await sandbox.app({ cwd: moved }).repositoryOf(moved)
  expect(changesOf(await app.diff({ from: address(1), to: address(2) }))).toEqual(['M b.txt'])
  expect(await app.planRestore({ address: address(1), paths: ['b.txt'] })).toMatchObject({ root: moved, changes: [{}] })
})

test('a repository that nobody looked at before it was moved is known by its snapshots', async () => {
  renameSync(old, moved)
  const app = sandbox.app({ cwd: moved })
  expect(changesOf(await app.diff({ from: address(1), to: 'now' }))).toEqual(['M b.txt'])
  await app.restore(await app.planRestore({ address: address(1), paths: ['b.txt'] }))
  expect(read(moved, 'b.txt')).toBe('one\n')
})

test('a restore made before the move is undone after it', async () => {
  const before = sandbox.app({ cwd: old })
  await before.restore(await before.planRestore({ address: address(1) }))
  expect(read(old, 'b.txt')).toBe('one\n')
  await move()
  expect(await sandbox.app({ cwd: moved }).undo()).toMatchObject({ undone: true, kept: [], restore: { root: moved } })
  expect(read(moved, 'b.txt')).toBe('two\n')
})

test("another session's work after the move stays, as it would have without a move", async () => {
  await move()
  const later = hookedSession(sandbox.projects, moved)
  await turn(later, 'later', { 'b.txt': 'three\n', 'c.txt': 'three\n' }, moved)
  const plan = await sandbox.app({ cwd: moved }).planRestore({ address: address(1) })
  expect(plan.changes).toEqual([])
  expect(plan.refused).toEqual([{ path: 'b.txt', reason: expect.stringContaining(`claude:${later.id} changed it too`) }])
})

test('a session that goes on after the move', async () => {
  await move()
  const here = (payload: Payload) => tell({ ...payload, cwd: moved })
  await playTurn(here, session, 'third', () => writeFileSync(join(moved, 'c.txt'), 'three\n'))
  const app = sandbox.app({ cwd: moved })
  expect(changesOf(await app.diff({ from: address(3) }))).toEqual(['A c.txt'])
  expect(changesOf(await app.diff({ from: address(1), to: address(3) }))).toEqual(['M b.txt', 'A c.txt'])
  const plan = await app.planRestore({ address: address(1) })
  expect([plan.root, plan.changes.map(({ path }) => path)]).toEqual([moved, ['b.txt', 'c.txt']])
})

test('a restore that the move cut off is brought back at the new place', async () => {
  const failing = sandbox.app({
    cwd: old,
    onForkStep(moment) {
      if (moment === 'restore safe') renameSync(old, moved)
    },
  })
  await expect(failing.restore(await failing.planRestore({ address: address(1) }))).rejects.toMatchObject({ code: 'failed' })
  expect(await sandbox.app({ cwd: moved }).recover()).toMatchObject({ rolledBack: [{ kind: 'restore' }], problems: [] })
  expect(read(moved, 'b.txt')).toBe('two\n')
})

test('after the table was made again from the refs', async () => {
  await move()
  const app = sandbox.app({ cwd: moved })
  await app.repositoryOf(moved)
  await app.rebuildCaptures()
  expect(await app.planRestore({ address: address(1) })).toMatchObject({ root: moved, changes: [{ path: 'b.txt' }] })
})

test('a clone is another repository', async () => {
  await move()
  const clone = join(sandbox.root, 'clone')
  mkdirSync(clone)
  sandbox.git(clone, 'clone', '-q', moved, '.')
  await sandbox.app({ cwd: moved }).repositoryOf(moved)
  const app = sandbox.app({ cwd: clone })
  await expect(app.diff({ from: address(1), to: 'now' })).rejects.toMatchObject({ code: 'refused' })
  expect(await app.planRestore({ address: address(1), paths: ['b.txt'] })).toMatchObject({ root: moved })
})
