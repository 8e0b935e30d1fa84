import { type ChildProcess, spawn } from 'node:child_process'
import {
  cpSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { availableParallelism } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createSandbox, minuteMs, type Sandbox, startAt } from './sandbox.testkit.ts'

let sandbox: Sandbox
beforeEach(() => {
  sandbox = createSandbox()
})
afterEach(() => sandbox.close())

describe('refresh', () => {
  it('reads nothing twice', async () => {
    for (let count = 0; count < 5; count += 1) sandbox.session({ turns: 2 })
    const catalog = sandbox.catalog()
    const seen: number[] = []
    expect(await catalog.refresh((progress) => seen.push(progress.filesDone))).toEqual({
      sessions: 5,
      changed: 5,
      removed: 0,
      problems: [],
    })
    expect(seen).toEqual([1, 2, 3, 4, 5])
    expect(await catalog.refresh()).toMatchObject({ sessions: 5, changed: 0 })
    expect(await sandbox.catalog().refresh()).toMatchObject({ sessions: 5, changed: 0 })
  })

  it('says how many bytes there are to read', async () => {
    const session = sandbox.session({ turns: 2 })
    const bytes = readFileSync(session.path).length
    const seen: unknown[] = []
    await sandbox.catalog().refresh((progress) => seen.push(progress))
    expect(seen).toEqual([{ files: 1, filesDone: 1, bytes, bytesDone: bytes }])
  })

  it('follows a session that grows, and writes the same as a first reading would', async () => {
    const session = sandbox.session({ turns: 2 })
    const catalog = sandbox.catalog()
    await catalog.refresh()
    for (let turn = 3; turn <= 6; turn += 1) {
      session.addTurn(`prompt ${turn}`)
      const [listed] = await catalog.listSessions()
      expect(listed?.turns).toBe(turn)
    }
    const [listed] = await catalog.listSessions()
    const fresh = sandbox.catalog({ folder: join(sandbox.root, 'other') })
    expect(await fresh.listSessions()).toEqual([listed])
    if (listed === undefined) throw new Error('nothing listed')
    expect(await fresh.listTurns(listed)).toEqual(await catalog.listTurns(listed))
  })

  it('notices a file that was truncated, rewritten or replaced', async () => {
    const session = sandbox.session({ turns: 4 })
    const other = sandbox.session({ turns: 3, folder: 'elsewhere' })
    const catalog = sandbox.catalog()
    await catalog.refresh()
    const turnsNow = async () => (await catalog.listSessions()).find(({ path }) => path === session.path)?.turns
    const text = readFileSync(session.path, 'utf8')
    const twoTurns = text.split('\n').slice(0, 4).join('\n').length + 1

    truncateSync(session.path, twoTurns)
    expect(await turnsNow()).toBe(2)
    writeFileSync(session.path, text)
    expect(await turnsNow()).toBe(4)
    renameSync(other.path, session.path)
    expect(await turnsNow()).toBe(3)
    expect(await catalog.listSessions()).toHaveLength(1)
  })

  it('does not care which way the clock goes', async () => {
    const session = sandbox.session({ turns: 2, at: startAt })
    const catalog = sandbox.catalog()
    await catalog.refresh()
    session.addTurn('written by a clock that was set back', startAt - 600 * minuteMs)
    utimesSync(session.path, 1000, 1000)
    const [listed] = await catalog.listSessions()
    expect(listed?.turns).toBe(3)
    session.addTurn('far ahead', Date.UTC(2199, 1, 1))
    utimesSync(session.path, 7_000_000_000, 7_000_000_000)
    expect((await catalog.listSessions())[0]?.turns).toBe(4)
  })

  it('forgets a deleted session and follows a moved one', async () => {
    const gone = sandbox.session({ turns: 1 })
    const moved = sandbox.session({ turns: 2 })
    const catalog = sandbox.catalog()
    await catalog.refresh()
    rmSync(gone.path)
    const target = join(sandbox.projects, 'new-place', `${moved.id}.jsonl`)
    mkdirSync(dirname(target))
    renameSync(moved.path, target)
    expect(await catalog.refresh()).toMatchObject({ sessions: 1, removed: 1 })
    expect(await catalog.listSessions()).toMatchObject([{ id: moved.id, path: target, turns: 2 }])
  })

  it('keeps two sessions with one id apart', async () => {
    const one = sandbox.session({ turns: 1, folder: 'one' })
    const two = sandbox.session({ turns: 2, folder: 'two', id: one.id })
    const sessions = await sandbox.catalog().listSessions()
    expect(sessions.map(({ path, turns }) => [path, turns]).sort()).toEqual([
      [one.path, 1],
      [two.path, 2],
    ])
  })

  it('lists the rest when something is no session', async () => {
    const good = sandbox.session({ turns: 1 })
    const folder = dirname(good.path)
    mkdirSync(join(folder, '11111111-2222-4333-8444-555555555555.jsonl'))
    writeFileSync(join(folder, '21111111-2222-4333-8444-555555555555.jsonl'), '')
    writeFileSync(join(folder, '31111111-2222-4333-8444-555555555555.jsonl'), '\0\0{"torn')
    writeFileSync(join(sandbox.projects, 'a-file-among-the-folders'), 'x')
    const catalog = sandbox.catalog()
    const report = await catalog.refresh()
    expect(report.problems).toMatchObject([{ path: join(folder, '11111111-2222-4333-8444-555555555555.jsonl') }])
    const listed = await catalog.listSessions()
    expect(listed.find(({ id }) => id === good.id)?.turns).toBe(1)
    expect(listed.map(({ turns }) => turns).sort()).toEqual([0, 0, 1])
  })

  it('finds the one that changed among two thousand', async () => {
    const sessions = Array.from({ length: 2000 }, (_, index) => sandbox.session({ turns: 1, at: startAt + index * minuteMs }))
    const catalog = sandbox.catalog()
    expect(await catalog.refresh()).toMatchObject({ sessions: 2000, changed: 2000, problems: [] })
    expect(await catalog.refresh()).toMatchObject({ sessions: 2000, changed: 0 })
    const chosen = sessions[1234]
    chosen?.addTurn('newest of all', startAt + 3000 * minuteMs)
    expect(await catalog.refresh()).toMatchObject({ sessions: 2000, changed: 1 })
    const newest = await catalog.listSessions({ limit: 3 })
    expect(newest.map(({ id }) => id)).toEqual([chosen?.id, sessions[1999]?.id, sessions[1998]?.id])
  }, 60_000)

  it('has nothing to say, and makes nothing, where there is no agent', async () => {
    expect(await sandbox.catalog().refresh()).toEqual({ sessions: 0, changed: 0, removed: 0, problems: [] })
    expect(await sandbox.catalog().listSessions()).toEqual([])
  })

  it('gives the same answers after the database was deleted', async () => {
    const repo = sandbox.repository('repo')
    const a = sandbox.session({ turns: 3, cwd: repo })
    a.fork({ at: startAt + 10 * minuteMs, cwd: repo }).fork({ at: startAt + 20 * minuteMs })
    const before = sandbox.catalog()
    const sessions = await before.listSessions()
    const turns = await Promise.all(sessions.map((session) => before.listTurns(session)))
    before.close()
    rmSync(sandbox.offshootHome, { recursive: true })
    const after = sandbox.catalog()
    expect(await after.listSessions()).toEqual(sessions)
    expect(await Promise.all(sessions.map((session) => after.listTurns(session)))).toEqual(turns)
  })
})

describe('many processes', () => {
  it('agree when eight open, migrate and refresh at once', async () => {
    const parent = sandbox.session({ turns: 3 })
    for (let count = 0; count < 40; count += 1) sandbox.session({ turns: 2 })
    parent.fork({ at: startAt + 10 * minuteMs })
    const at = Date.now() + 2500
    const children = Array.from({ length: 8 }, () => start(at, 3))
    const answers = await Promise.all(children.map(finish))
    expect(answers.map(({ status, stderr }) => [status, stderr])).toEqual(children.map(() => [0, '']))
    expect(new Set(answers.map(({ stdout }) => stdout)).size).toBe(1)
    expect(JSON.parse(answers[0]?.stdout ?? '[]')).toHaveLength(42)
    expect((await sandbox.catalog().doctor()).find(({ id }) => id === 'index')?.state).toBe('ok')
  }, 60_000)

  it('end up right when sessions grow under their hands', async () => {
    const sessions = Array.from({ length: 20 }, () => sandbox.session({ turns: 1 }))
    const children = Array.from({ length: 4 }, () => start(0, 15))
    const answers = children.map(finish)
    let running = true
    const all = Promise.all(answers).finally(() => {
      running = false
    })
    for (let turn = 0; running; turn += 1) {
      sessions[turn % sessions.length]?.addTurn(`turn ${turn}`)
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
    expect((await all).map(({ status, stderr }) => [status, stderr])).toEqual(children.map(() => [0, '']))
    const catalog = sandbox.catalog()
    const whole = sandbox.catalog({ folder: join(sandbox.root, 'other') })
    const listed = await whole.listSessions()
    expect(await catalog.listSessions()).toEqual(listed)
    for (const session of listed) expect(await catalog.listTurns(session)).toEqual(await whole.listTurns(session))
  }, 60_000)

  it('lose nothing but time when one is killed in the middle', async () => {
    const first = sandbox.session({ turns: 3 })
    for (let count = 0; count < 600; count += 1) sandbox.session({ turns: 2 })
    first.fork({ at: startAt + 10 * minuteMs })
    for (const killAt of [10, 250, 480]) {
      const child = start(0, 1)
      child.on('message', (filesDone) => {
        if (filesDone === killAt) child.kill('SIGKILL')
      })
      await finish(child)
    }
    const catalog = sandbox.catalog()
    const report = await catalog.refresh()
    expect(report.sessions).toBe(602)
    expect(report.changed).toBeLessThan(602)
    const whole = sandbox.catalog({ folder: join(sandbox.root, 'other') })
    expect(await catalog.listSessions()).toEqual(await whole.listSessions())
  }, 60_000)
})

describe('a first scan of many megabytes', () => {
  it('ends when there are fewer sessions than threads', async () => {
    sandbox.session({ turns: 1 }).addTurn('word '.repeat(10_500_000))
    const { status, stdout, stderr } = await finish(start(0, 1))
    expect([status, stderr]).toEqual([0, ''])
    expect(JSON.parse(stdout)).toHaveLength(1)
  }, 60_000)

  it('is done in threads, to the same end', async () => {
    const long = 'word '.repeat(400_000)
    for (let count = 0; count < 26; count += 1) sandbox.session({ turns: 1 }).addTurn(`${count} ${long}`)
    const broken = sandbox.session({ turns: 1 })
    rmSync(broken.path)
    symlinkSync(sandbox.root, broken.path)
    const child = start(0, 1)
    let threads = 0
    child.on('message', (message) => {
      if (message === 'thread') threads += 1
    })
    const { status, stdout, stderr } = await finish(child)
    expect([status, stderr]).toEqual([0, ''])
    expect(threads).toBe(availableParallelism() > 1 ? Math.min(4, availableParallelism()) : 0)
    // Here, under the test runner, threads cannot load TypeScript: what they leave undone is done without them.
    const sessions = await sandbox.catalog({ folder: join(sandbox.root, 'other') }).listSessions()
    expect(JSON.parse(stdout)).toEqual(sessions.map(({ id, turns, ownTurns }) => [id, turns, ownTurns, null]).sort())
    expect(sessions).toHaveLength(26)
  }, 60_000)
})

describe('a damaged database', () => {
  it('is moved aside and rebuilt, the rest of the folder untouched', async () => {
    sandbox.session({ turns: 2 })
    const before = sandbox.catalog()
    const sessions = await before.listSessions()
    before.close()
    writeFileSync(
      join(sandbox.offshootHome, 'offshoot.db'),
      'this is no database at all, it only has the name of one'.repeat(200),
    )
    const moved: string[] = []
    const catalog = sandbox.catalog({ onRepair: (movedTo) => moved.push(movedTo) })
    expect(await catalog.listSessions()).toEqual(sessions)
    expect(moved).toHaveLength(1)
    expect(readFileSync(moved[0] ?? '', 'utf8')).toContain('this is no database')
  })

  it('is rebuilt under way when a page inside is damaged', async () => {
    for (let count = 0; count < 200; count += 1) sandbox.session({ turns: 3 })
    const before = sandbox.catalog()
    const sessions = await before.listSessions()
    before.close()
    const path = join(sandbox.offshootHome, 'offshoot.db')
    const bytes = readFileSync(path)
    bytes.fill(0xee, 8 * 4096)
    writeFileSync(path, bytes)
    expect(await sandbox.catalog().listSessions()).toEqual(sessions)
  })

  it('keeps what it remembers when the cache beside it is damaged', async () => {
    const repo = sandbox.repository('repo')
    const session = sandbox.session({ turns: 1, cwd: repo })
    const before = sandbox.catalog()
    const [listed] = await before.listSessions()
    before.close()
    cpSync(repo, join(sandbox.root, 'elsewhere'), { recursive: true })
    rmSync(repo, { recursive: true })
    const path = join(sandbox.offshootHome, 'offshoot.db')
    const bytes = readFileSync(path)
    const page = bytes.indexOf(Buffer.from(session.path)) & ~4095
    bytes.fill(0xee, page, page + 4096)
    writeFileSync(path, bytes)
    expect(await sandbox.catalog().listSessions()).toEqual([listed])
  })

  it('of a newer offshoot is left alone', async () => {
    const { default: Sqlite } = await import('better-sqlite3')
    const before = sandbox.catalog()
    await before.refresh()
    before.close()
    const path = join(sandbox.offshootHome, 'offshoot.db')
    const db = new Sqlite(path)
    db.pragma('user_version = 99')
    db.close()
    const content = readFileSync(path)
    await expect(sandbox.catalog().listSessions()).rejects.toMatchObject({ code: 'store_newer' })
    expect(readFileSync(path).equals(content)).toBe(true)
  })
})

function start(at: number, times: number): ChildProcess {
  const script = fileURLToPath(new URL('./refresh-child.testkit.ts', import.meta.url))
  const args = ['--import', 'tsx', script, sandbox.home, sandbox.offshootHome, String(at), String(times)]
  return spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe', 'ipc'] })
}

async function finish(child: ChildProcess): Promise<{ status: number | null; stdout: string; stderr: string }> {
  const output = { stdout: '', stderr: '' }
  child.stdout?.on('data', (chunk) => {
    output.stdout += chunk
  })
  child.stderr?.on('data', (chunk) => {
    output.stderr += chunk
  })
  const status = await new Promise<number | null>((resolve) => child.once('close', resolve))
  return { status, ...output }
}
