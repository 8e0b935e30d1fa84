import { createHash } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { archiveFolder } from './archive-files.ts'
import type { Catalog } from './catalog.ts'
import { createSandbox, type FakeSession, type Sandbox, startAt } from './sandbox.testkit.ts'

const dayMs = 86_400_000
let sandbox: Sandbox
let catalog: Catalog
beforeEach(() => {
  sandbox = createSandbox()
  catalog = sandbox.catalog()
})
afterEach(() => sandbox.close())

/** Gives the file the age that makes it due. */
function age({ path }: FakeSession, days = 20): void {
  const at = (startAt - days * dayMs) / 1000
  utimesSync(path, at, at)
}

const folderOf = ({ id }: FakeSession) => archiveFolder(sandbox.offshootHome, 'claude', id)
const segmentsOf = (session: FakeSession) => readdirSync(folderOf(session)).filter((name) => name.endsWith('.gz'))
const storedBytes = (session: FakeSession) =>
  segmentsOf(session).reduce((sum, name) => sum + gunzipSync(readFileSync(join(folderOf(session), name))).length, 0)

describe('archive', () => {
  it('copies what is old, and only that', async () => {
    const old = sandbox.session({ turns: 2 })
    sandbox.session({ turns: 2 })
    age(old)
    utimesSync((await catalog.listSessions()).find(({ id }) => id !== old.id)?.path ?? '', startAt / 1000, startAt / 1000)
    expect(await catalog.archive()).toEqual({ archived: 1, left: 0, problems: [] })
    expect(readdirSync(join(sandbox.offshootHome, 'archive', 'claude'))).toEqual([old.id])
    expect(await catalog.archive()).toEqual({ archived: 0, left: 0, problems: [] })
    const [segment = ''] = segmentsOf(old)
    expect(statSync(join(folderOf(old), segment)).mode & 0o777).toBe(0o600)
    expect(statSync(join(folderOf(old), 'manifest.json')).mode & 0o777).toBe(0o600)
    expect(statSync(folderOf(old)).mode & 0o777).toBe(0o700)
  })

  it('adds a segment when the file grew and stores no byte twice', async () => {
    const session = sandbox.session({ turns: 2 })
    age(session)
    await catalog.archive()
    session.addTurn('more')
    age(session, 18)
    await catalog.archive()
    expect(segmentsOf(session)).toHaveLength(2)
    expect(storedBytes(session)).toBe(statSync(session.path).size)
  })

  it('keeps the old generation of a rewritten file', async () => {
    const session = sandbox.session({ turns: 3 })
    const before = readFileSync(session.path)
    age(session)
    await catalog.archive()
    truncateSync(session.path, Math.floor(before.length / 2))
    age(session, 18)
    await catalog.archive()
    const { files } = JSON.parse(readFileSync(join(folderOf(session), 'manifest.json'), 'utf8'))
    expect(files[0].generations.map(({ bytes }: { bytes: number }) => bytes)).toEqual([
      before.length,
      Math.floor(before.length / 2),
    ])
  })

  it('stops when its time is over', async () => {
    for (let count = 0; count < 3; count += 1) age(sandbox.session({ turns: 1 }))
    let clock = startAt
    const slow = sandbox.catalog({ now: () => (clock += 100) })
    const report = await slow.archive({ budgetMs: 300 })
    expect(report.archived).toBeGreaterThan(0)
    expect(report.archived + report.left).toBe(3)
    expect(report.left).toBeGreaterThan(0)
    await slow.refresh({ archiveBudgetMs: 1e9 })
    expect(await slow.archive()).toMatchObject({ archived: 0, left: 0 })
  })
})

describe('a purged session', () => {
  it('stays listed and readable, and is put back byte for byte', async () => {
    const session = sandbox.session({ turns: 3 })
    age(session)
    const bytes = readFileSync(session.path)
    const { mtimeMs } = statSync(session.path)
    await catalog.archive()
    const [before] = await catalog.listSessions()
    rmSync(dirname(session.path), { recursive: true })

    const [gone] = await catalog.listSessions()
    if (gone === undefined) throw new Error('not listed')
    expect(gone).toEqual({ ...before, state: 'gone' })
    const prompts: string[] = []
    for await (const entry of catalog.readSession(gone)) if (entry.kind === 'turn') prompts.push(entry.turn.prompt)
    expect(prompts).toEqual(['prompt 1', 'prompt 2', 'prompt 3'])
    expect(readdirSync(join(sandbox.offshootHome, 'tmp'))).toEqual([])

    expect(await catalog.putBack(gone)).toEqual([session.path])
    expect(hash(readFileSync(session.path))).toBe(hash(bytes))
    expect(statSync(session.path).mtimeMs).toBe(mtimeMs)
    expect(readdirSync(dirname(session.path))).toEqual([`${session.id}.jsonl`])
    expect(await catalog.listSessions()).toEqual([before])
  })

  it('is listed as it was when it was last copied', async () => {
    const session = sandbox.session({ turns: 2 })
    age(session)
    await catalog.archive()
    session.addTurn('never copied')
    await catalog.refresh()
    rmSync(session.path)
    expect(await catalog.listSessions()).toMatchObject([{ state: 'gone', turns: 2 }])
  })

  it('survives the loss of the database', async () => {
    const session = sandbox.session({ turns: 2 })
    age(session)
    await catalog.archive()
    rmSync(session.path)
    const before = await catalog.listSessions()
    catalog.close()
    for (const name of ['offshoot.db', 'offshoot.db-wal', 'offshoot.db-shm']) {
      rmSync(join(sandbox.offshootHome, name), { force: true })
    }
    expect(await sandbox.catalog().listSessions()).toEqual(before)
  })

  it.each([
    ['torn', '{"version":1,"fi'],
    ['empty', ''],
    ['something else', '{"files":[{}]}'],
  ])('a manifest that is %s costs one session its old states, and nobody else anything', async (_, text) => {
    const [torn, other] = [sandbox.session({ turns: 2 }), sandbox.session({ turns: 2 })]
    for (const each of [torn, other]) age(each)
    await catalog.archive()
    catalog.close()
    writeFileSync(join(folderOf(torn), 'manifest.json'), text)
    for (const name of ['offshoot.db', 'offshoot.db-wal', 'offshoot.db-shm']) {
      rmSync(join(sandbox.offshootHome, name), { force: true })
    }
    rmSync(other.path)
    catalog = sandbox.catalog()
    expect((await catalog.listSessions()).map(({ id, state }) => [id, state === 'gone'])).toEqual(
      expect.arrayContaining([
        [torn.id, false],
        [other.id, true],
      ]),
    )
    const bytes = readFileSync(torn.path)
    expect(await catalog.archive()).toEqual({ archived: 1, left: 0, problems: [] })
    expect(readFileSync(join(folderOf(torn), 'manifest.json.damaged'), 'utf8')).toBe(text)
    rmSync(torn.path)
    const listed = (await catalog.listSessions()).find(({ id }) => id === torn.id)
    if (listed === undefined) throw new Error('not listed')
    await catalog.putBack(listed)
    expect(readFileSync(torn.path).equals(bytes)).toBe(true)
  })

  it('copies a segment again that is gone from the archive', async () => {
    const session = sandbox.session({ turns: 2 })
    age(session)
    await catalog.archive()
    for (const name of segmentsOf(session)) rmSync(join(folderOf(session), name))
    session.addTurn('more')
    age(session, 18)
    await catalog.listSessions()
    await catalog.archive()
    const bytes = readFileSync(session.path)
    rmSync(session.path)
    const [listed] = await catalog.listSessions()
    if (listed === undefined) throw new Error('not listed')
    await catalog.putBack(listed)
    expect(readFileSync(session.path).equals(bytes)).toBe(true)
  })

  it('never overwrites a file', async () => {
    const session = sandbox.session({ turns: 2 })
    age(session)
    await catalog.archive()
    const [listed] = await catalog.listSessions()
    if (listed === undefined) throw new Error('not listed')
    writeFileSync(session.path, 'new content')
    await expect(catalog.putBack(listed)).rejects.toMatchObject({ code: 'file_exists' })
    expect(readFileSync(session.path, 'utf8')).toBe('new content')
  })

  it('that was never copied is gone, and says so', async () => {
    const session = sandbox.session({ turns: 2 })
    const [listed] = await catalog.listSessions()
    if (listed === undefined) throw new Error('not listed')
    rmSync(session.path)
    expect(await catalog.listSessions()).toEqual([])
    await expect(catalog.putBack(listed)).rejects.toMatchObject({ code: 'unreadable' })
    await expect(collect(catalog.readSession(listed))).rejects.toMatchObject({ code: 'session_not_found' })
  })

  it('is refused when the copy is damaged', async () => {
    const session = sandbox.session({ turns: 2 })
    age(session)
    await catalog.archive()
    rmSync(session.path)
    const [listed] = await catalog.listSessions()
    if (listed === undefined) throw new Error('not listed')
    const [segment = ''] = segmentsOf(session)
    writeFileSync(join(folderOf(session), segment), 'garbage')
    await expect(catalog.putBack(listed)).rejects.toThrow()
    expect(existsSync(session.path)).toBe(false)
    expect(readdirSync(dirname(session.path))).toEqual([])
  })

  it('comes back with what lay beside it', async () => {
    const session = sandbox.session({ turns: 1 })
    const beside = join(session.path.replace(/\.jsonl$/, ''), 'tool-results', 'one.txt')
    mkdirSync(dirname(beside), { recursive: true })
    writeFileSync(beside, 'a long output')
    age(session)
    await catalog.archive()
    rmSync(dirname(session.path), { recursive: true })
    const [listed] = await catalog.listSessions()
    if (listed === undefined) throw new Error('not listed')
    expect([...(await catalog.putBack(listed))].sort()).toEqual([beside, session.path].sort())
    expect(readFileSync(beside, 'utf8')).toBe('a long output')
  })
})

function hash(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex')
}

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const item of items) all.push(item)
  return all
}
