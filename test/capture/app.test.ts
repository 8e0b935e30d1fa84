// What the hooks left, as the app tells it: turns with their snapshots, the code at a turn, the table rebuilt, the archive.
import { randomUUID } from 'node:crypto'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { App } from '../../src/app.ts'
import { afterCapture } from '../../src/capture/after.ts'
import type { CatalogSession } from '../../src/model/catalog.ts'
import { foldSnapshots } from '../../src/snapshots/fold.ts'
import { listSnapshots } from '../../src/snapshots/read-snapshot.ts'
import { openStore } from '../../src/store/store.ts'
import { createSandbox, type Sandbox } from '../fork/sandbox.ts'
import { testGit } from '../git/scratch.ts'
import { captureContext } from './capture.ts'
import { type HookedSession, hookedSession, type Payload, playTurn } from './session.ts'
import { tellHere } from './tell.ts'

let sandbox: Sandbox
let repo: string
let session: HookedSession
let app: App
beforeEach(() => {
  sandbox = createSandbox()
  repo = sandbox.repository('repo')
  session = hookedSession(sandbox.projects, repo)
  app = sandbox.app({ cwd: repo })
})
afterEach(() => sandbox.close())

const write = (name: string, text: string, root = repo) => writeFileSync(join(root, name), text)
const tell = (payload: Payload) => tellHere(sandbox.offshootHome, payload)
const store = () => openStore({ folder: sandbox.offshootHome, now: Date.now })

const turn = (prompt: string, work: () => void, of = session) => playTurn(tell, of, prompt, work)

async function find(id = session.id): Promise<CatalogSession> {
  const found = (await app.listSessions()).find((each) => each.id === id)
  if (found === undefined) throw new Error(`no session ${id}`)
  return found
}

const fileAt = (tree: string | null | undefined, name = 'a') => sandbox.git(repo, 'cat-file', '-p', `${tree}:${name}`)

describe('turns', () => {
  test('carry what they changed', async () => {
    write('a', 'zero\n')
    await turn('one', () => write('a', 'one\ntwo\n'))
    await turn('two', () => undefined)
    write('a', 'by hand\n')
    await turn('three', () => write('b', 'b\n'))
    const turns = await app.listTurns(await find())
    expect(turns.map(({ snapshot }) => snapshot && [snapshot.files, snapshot.added, snapshot.removed, snapshot.by])).toEqual([
      [['a'], 2, 1, 'hook'],
      [[], 0, 0, 'hook'],
      [['b'], 1, 0, 'hook'],
    ])
    expect(await app.captureStatus()).toEqual({ sessions: 1, captures: 5, waiting: 0 })
  })

  test('whose prompt was not written yet when they were captured are found afterwards, and the ref learns it too', async () => {
    await tell(session.prompt('first'))
    write('a', '1')
    await tell(session.stop())
    const id = session.writePrompt()
    session.writeAnswer()
    expect((await app.listTurns(await find())).map(({ id, snapshot }) => [id, fileAt(snapshot?.tree)])).toEqual([[id, '1']])
    const metas = (await listSnapshots(testGit(), join(repo, '.git'))).map(({ meta }) => [
      meta.moment,
      meta.turnId,
      meta.turnNumber,
    ])
    expect(metas).toEqual([
      ['end', id, 1],
      ['start', id, 1],
    ])
  })

  test('of an agent that names none in its hooks are found by their time and words', async () => {
    const nameless = ({ prompt_id: _, ...rest }: Readonly<Record<string, unknown>>) => rest
    for (const text of ['same', 'same', 'other']) {
      await tell(nameless(session.prompt(text)))
      session.writePrompt()
      write('a', `${text} ${Math.random()}`)
      session.writeAnswer()
      await tell(nameless(session.stop()))
    }
    const turns = await app.listTurns(await find())
    expect(new Set(turns.map(({ snapshot }) => snapshot?.tree)).size).toBe(3)
    const opened = store()
    const ends = opened.captures.ofSession('claude', session.id).filter(({ moment }) => moment === 'end')
    expect(ends.map(({ turnId }) => turnId)).toEqual(turns.map(({ id }) => id))
    opened.close()
  })

  test('have the numbers of the transcript, where the hook counted otherwise', async () => {
    await tell(session.prompt('never written'))
    await tell(session.end())
    const id = await turn('one', () => write('a', '1'))
    await app.listTurns(await find())
    const opened = store()
    expect(opened.captures.ofTurn('claude', id).map(({ moment, number }) => [moment, number])).toEqual([['end', 1]])
    opened.close()
  })

  test('outside of git are known without code', async () => {
    const folder = join(sandbox.root, 'plain')
    mkdirSync(folder)
    const plain = hookedSession(sandbox.projects, folder)
    await turn('one', () => undefined, plain)
    expect((await app.listTurns(await find(plain.id))).map(({ snapshot }) => snapshot)).toMatchObject([{ tree: null, files: [] }])
    await app.rebuildCaptures()
    expect((await app.listTurns(await find(plain.id))).map(({ snapshot }) => snapshot?.tree)).toEqual([null])
    const message = expect.stringContaining('outside of any git repository')
    await expect(app.diff({ from: `${plain.id}@1` })).rejects.toMatchObject({ code: 'not_captured', message })
  })

  test('that a fork inherited have the snapshots of its parent', async () => {
    await turn('one', () => write('a', '1'))
    await turn('two', () => write('a', '2'))
    const { fork } = await app.fork({ address: `claude:${session.id}`, at: '1', code: 'none' })
    const turns = await app.listTurns(await find(String(fork.sessionId)))
    expect(turns.map(({ snapshot }) => fileAt(snapshot?.tree))).toEqual(['1'])
  })
})

describe('the table', () => {
  test('is the same when it is rebuilt from the refs', async () => {
    write('a', '0')
    for (const number of [1, 2, 3]) await turn(`turn ${number}`, () => write('a', String(number)))
    const turns = await app.listTurns(await find())
    const before = store()
    const rows = before.captures.all()
    for (const row of rows) before.captures.remove(row)
    before.close()
    expect(await app.rebuildCaptures()).toMatchObject({ repositories: 1, captures: 4, removed: 0, problems: [] })
    const after = store()
    expect(after.captures.all()).toEqual(rows)
    after.close()
    expect(await app.listTurns(await find())).toEqual(turns)
  })

  test('and all else is the same when the snapshots were folded under one ref', async () => {
    write('a', 'zero\n')
    for (const text of ['one', 'two', 'three']) await turn(text, () => write('a', `${text}\n`))
    const turns = await app.listTurns(await find())
    const before = store()
    const rows = before.captures.all()
    await foldSnapshots(testGit(), join(repo, '.git'), { fromSnapshots: 1, now: Date.now() })
    expect(sandbox.git(repo, 'for-each-ref', '--format=%(refname)', 'refs/offshoot/')).toBe('refs/offshoot/folded\n')
    expect(await app.listTurns(await find())).toEqual(turns)
    for (const row of rows) before.captures.remove(row)
    expect(await app.rebuildCaptures()).toMatchObject({ captures: 4, removed: 0, problems: [] })
    expect(before.captures.all()).toEqual(rows)
    before.close()
    const { fork } = await app.fork({ address: session.id, at: '1' })
    expect(readFileSync(join(fork.workspace?.path ?? '', 'a'), 'utf8')).toBe('one\n')
    await app.restore(await app.planRestore({ address: `${session.id}@2` }))
    expect(readFileSync(join(repo, 'a'), 'utf8')).toBe('two\n')
    await turn('four', () => write('a', 'four\n'))
    expect((await app.listTurns(await find()))[3]?.snapshot).toMatchObject({ added: 1, removed: 1 })
  })

  test('and the process that follows a capture folds them, from so many on', async () => {
    const refs = () => sandbox.git(repo, 'for-each-ref', '--format=%(refname)', 'refs/offshoot/').trim().split('\n')
    const context = captureContext(sandbox)
    write('a', '0')
    for (const text of ['1', '2', '3', '4', '5']) {
      await turn(text, () => write('a', text))
      expect((await afterCapture(context, { stayMs: 0, foldFrom: 4 })).problems).toEqual([])
      // The state the first prompt found, and three turns; then those that come after.
      expect(refs()).toHaveLength({ 1: 2, 2: 3, 3: 1, 4: 2, 5: 3 }[text] ?? 0)
    }
    const turns = await app.listTurns(await find())
    expect(turns.map(({ snapshot }) => fileAt(snapshot?.tree))).toEqual(['1', '2', '3', '4', '5'])
    context.store().close()
  })

  test('loses the rows of snapshots that are gone, but not those of a repository that is away', async () => {
    await turn('one', () => write('a', '1'))
    await app.listTurns(await find())
    for (const { ref } of await listSnapshots(testGit(), join(repo, '.git'))) sandbox.git(repo, 'update-ref', '-d', ref)
    const other = sandbox.repository('other')
    const away = hookedSession(sandbox.projects, other)
    await turn('one', () => write('a', '1', other), away)
    await app.listTurns(await find(away.id))
    rmSync(other, { recursive: true })
    expect(await app.rebuildCaptures()).toMatchObject({ captures: 0, removed: 2 })
    expect((await app.captureStatus()).captures).toBe(2)
  })

  test('is filled once, however many ask at the same time', async () => {
    for (const number of [1, 2, 3]) await turn(`turn ${number}`, () => write('a', String(number)))
    const apps = [app, sandbox.app({ cwd: repo }), sandbox.app({ cwd: repo })]
    const found = await find()
    const lists = await Promise.all([...apps, ...apps].map((each) => each.listTurns(found)))
    await app.listTurns(found)
    expect(lists.flat().length).toBe(18)
    expect(await app.captureStatus()).toMatchObject({ captures: 4, waiting: 0 })
  })

  test('takes no note it does not understand, and doctor tells', async () => {
    const pending = join(sandbox.offshootHome, 'captures', 'pending')
    mkdirSync(pending, { recursive: true })
    writeFileSync(join(pending, 'x.json'), 'not a note')
    await turn('one', () => write('a', '1'))
    expect((await app.listTurns(await find()))[0]?.snapshot).not.toBeNull()
    const checks = (await app.doctor()).filter(({ id }) => id === 'captures')
    expect(checks.map(({ state }) => state)).toEqual(['ok', 'warn'])
    expect(checks[1]?.message).toContain('could not be understood')
  })
})

test('the archive has a captured session at once, byte for byte', async () => {
  await turn('one', () => write('a', '1'))
  expect(await app.afterCapture({ stayMs: 0 })).toEqual({ taken: 2, problems: [] })
  await turn('two', () => write('a', '2'))
  await app.afterCapture({ stayMs: 0 })
  // What the agent writes after its last turn, when its session ends.
  session.writeAnswer('goodbye')
  await app.afterCapture({ stayMs: 0 })
  const found = await find()
  const bytes = readFileSync(session.path)
  rmSync(session.path)
  expect((await find()).state).toBe('gone')
  expect(await app.putBack(found)).toEqual([session.path])
  expect(readFileSync(session.path)).toEqual(bytes)
})

test('doctor tells of hooks that fail, until one goes well', async () => {
  const log = join(sandbox.offshootHome, 'logs')
  mkdirSync(log, { recursive: true })
  const line = (more: object) => `${JSON.stringify({ at: new Date().toISOString(), pid: 1, agent: 'claude', ...more })}\n`
  writeFileSync(join(log, 'hook.log'), line({ captured: 1 }) + line({ problem: 'no room' }) + line({ problem: 'still none' }))
  const told = async () => (await app.doctor()).filter(({ id }) => id === 'hook').map(({ message }) => message)
  expect(await told()).toEqual([expect.stringMatching(/failed 2 times in a row.*still none/)])
  writeFileSync(join(log, 'hook.log'), line({ problem: 'no room' }) + line({ captured: 0 }))
  expect(await told()).toEqual([])
})

test('many sessions at once in one repository: every turn captured, none mixed', async () => {
  write('a', '0')
  const sessions = Array.from({ length: 20 }, () => hookedSession(sandbox.projects, repo, randomUUID()))
  for (const number of [1, 2]) {
    await Promise.all(sessions.map((each) => tell(each.prompt(`${each.id} ${number}`))))
    for (const each of sessions) each.writePrompt()
    for (const [index] of sessions.entries()) write(`file-${index}`, `${number}`)
    for (const each of sessions) each.writeAnswer()
    await Promise.all(sessions.map((each) => tell(each.stop())))
  }
  for (const each of sessions) {
    const turns = await app.listTurns(await find(each.id))
    expect(turns.map(({ prompt }) => prompt)).toEqual([`${each.id} 1`, `${each.id} 2`])
    expect(turns.map(({ snapshot }) => fileAt(snapshot?.tree, 'file-0'))).toEqual(['1', '2'])
  }
  expect(sandbox.git(repo, 'fsck', '--strict', '--no-dangling')).toBe('')
}, 120_000)
