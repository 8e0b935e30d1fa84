// Sessions that work in one folder at the same time: whose changes are whose, and what is said where nobody can tell.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { App } from '../../src/app.ts'
import { createSandbox, type Sandbox } from '../fork/sandbox.ts'
import { type HookedSession, hookedSession, type Payload } from './session.ts'
import { tellHere } from './tell.ts'

let sandbox: Sandbox
let repo: string
let app: App
beforeEach(() => {
  sandbox = createSandbox()
  repo = sandbox.repository('repo')
  writeFileSync(join(repo, 'both'), 'one\ntwo\n')
  sandbox.git(repo, 'add', '.')
  sandbox.git(repo, 'commit', '-qm', 'both')
  app = sandbox.app({ cwd: repo, now: Date.now })
})
afterEach(() => sandbox.close())

const tell = (payload: Payload) => tellHere(sandbox.offshootHome, payload)
const session = (cwd = repo) => hookedSession(sandbox.projects, cwd)
const put = (name: string, text: string, root = repo) => writeFileSync(join(root, name), text)

/** A turn step by step, so that those of two sessions can be interleaved. */
function turnOf(its: HookedSession, prompt: string, root = repo) {
  return {
    begin: async () => {
      await tell(its.prompt(prompt))
      return its.writePrompt()
    },
    /** By the session's own edit tool. */
    write: (name: string, text: string) => its.writeCall('Write', { file_path: join(root, name), content: text }),
    /** By a command, of which the transcript tells nothing. */
    shell: (work: () => void) => {
      work()
      its.writeCall('Bash', { command: 'make' })
    },
    end: async () => {
      its.writeAnswer()
      await tell(its.stop())
    },
  }
}

async function snapshots(its: HookedSession, from = app) {
  const { session: found } = await from.resolve(its.id)
  return (await from.listTurns(found)).map(({ snapshot }) => ({
    files: snapshot?.files,
    lines: `+${snapshot?.added} -${snapshot?.removed}`,
    shared: snapshot?.shared ?? null,
  }))
}

describe('two sessions with hooks', () => {
  test('edits by their own tools are told apart, also in the same stretch of time', async () => {
    const [one, other] = [session(), session()]
    const [a, b] = [turnOf(one, 'a'), turnOf(other, 'b')]
    await a.begin()
    a.write('a-1', '1\n')
    await b.begin()
    b.write('b-1', '1\n2\n')
    a.write('a-2', '1\n')
    await b.end()
    a.write('a-3', '1\n')
    await a.end()
    expect(await snapshots(one)).toEqual([
      { files: ['a-1', 'a-2', 'a-3'], lines: '+3 -0', shared: { with: [`claude:${other.id}`], files: [] } },
    ])
    expect(await snapshots(other)).toEqual([
      { files: ['b-1'], lines: '+2 -0', shared: { with: [`claude:${one.id}`], files: [] } },
    ])
  })

  test('a file that both edited is shared, and counts for neither', async () => {
    const [one, other] = [session(), session()]
    const [a, b] = [turnOf(one, 'a'), turnOf(other, 'b')]
    await a.begin()
    await b.begin()
    b.write('both', 'one\nb\n')
    a.write('both', 'a\nb\n')
    await b.end()
    await a.end()
    for (const [its, name] of [[one, other.id] as const, [other, one.id] as const]) {
      expect(await snapshots(its)).toEqual([{ files: [], lines: '+0 -0', shared: { with: [`claude:${name}`], files: ['both'] } }])
    }
  })

  test('a command’s change is the turn’s while no other session ran, else the only one’s that ran commands, else shared', async () => {
    const [one, other] = [session(), session()]
    const [a, b] = [turnOf(one, 'a'), turnOf(other, 'b')]
    await a.begin()
    a.shell(() => put('alone', '1\n'))
    await b.begin()
    b.write('b', '1\n')
    a.shell(() => put('meanwhile', '1\n'))
    await b.end()
    const b2 = turnOf(other, 'b2')
    await b2.begin()
    b2.shell(() => put('unsure', '1\n'))
    await b2.end()
    await a.end()
    expect(await snapshots(one)).toMatchObject([{ files: ['alone', 'meanwhile'], lines: '+2 -0', shared: { files: ['unsure'] } }])
    expect(await snapshots(other)).toMatchObject([
      { files: ['b'], lines: '+1 -0', shared: { files: [] } },
      { files: [], shared: { files: ['unsure'] } },
    ])
  })

  test('a file that one changed while alone and the other later counts with the lines of each', async () => {
    const [one, other] = [session(), session()]
    const [a, b] = [turnOf(one, 'a'), turnOf(other, 'b')]
    await a.begin()
    a.shell(() => put('file', '1\n2\n3\n'))
    await b.begin()
    b.write('file', '1\n2\n3\n4\n')
    await b.end()
    await a.end()
    expect(await snapshots(one)).toMatchObject([{ files: ['file'], lines: '+3 -0', shared: { files: [] } }])
    expect(await snapshots(other)).toMatchObject([{ files: ['file'], lines: '+1 -0', shared: null }])
  })

  test('a turn that ran beside another which changed nothing is as if it had run alone', async () => {
    const [one, other] = [session(), session()]
    const [a, b] = [turnOf(one, 'a'), turnOf(other, 'b')]
    await a.begin()
    await b.begin()
    a.write('a', '1\n')
    await b.end()
    await a.end()
    expect(await snapshots(one)).toEqual([{ files: ['a'], lines: '+1 -0', shared: null }])
    expect(await snapshots(other)).toMatchObject([{ files: [], lines: '+0 -0' }])
  })

  test('turns one after the other share nothing', async () => {
    const [one, other] = [session(), session()]
    for (const [its, name] of [[one, 'a'] as const, [other, 'b'] as const, [one, 'c'] as const]) {
      const turn = turnOf(its, name)
      await turn.begin()
      turn.shell(() => put(name, '1\n'))
      await turn.end()
    }
    expect(await snapshots(one)).toMatchObject([
      { files: ['a'], shared: null },
      { files: ['c'], shared: null },
    ])
    expect(await snapshots(other)).toMatchObject([{ files: ['b'], shared: null }])
  })

  test('what is not known while the other still works is found out when it has ended', async () => {
    const [one, other] = [session(), session()]
    const [a, b] = [turnOf(one, 'a'), turnOf(other, 'b')]
    await a.begin()
    await b.begin()
    // Its transcript does not tell of it yet.
    put('b', '1\n')
    a.shell(() => undefined)
    await a.end()
    expect(await snapshots(one)).toMatchObject([{ files: [], shared: { files: ['b'], open: true } }])
    b.write('b', '1\n')
    await b.end()
    expect(await snapshots(one)).toMatchObject([{ files: [], shared: { files: [] } }])
    expect((await snapshots(one))[0]?.shared).not.toHaveProperty('open')
  })
})

describe('a session without hooks', () => {
  test('is known by its transcript', async () => {
    const [one, other] = [session(), session()]
    const a = turnOf(one, 'a')
    await a.begin()
    other.prompt('b')
    other.writePrompt()
    other.writeCall('Write', { file_path: join(repo, 'b'), content: '1\n' })
    other.writeAnswer()
    a.write('a', '1\n')
    await a.end()
    expect(await snapshots(one)).toEqual([{ files: ['a'], lines: '+1 -0', shared: { with: [`claude:${other.id}`], files: [] } }])
  })

  test('does not count in a repository inside of this one, nor in another work tree', async () => {
    const inner = sandbox.repository('repo/inner')
    const linked = join(repo, 'linked')
    sandbox.git(repo, 'worktree', 'add', '-q', linked)
    writeFileSync(join(repo, '.git', 'info', 'exclude'), 'inner\nlinked\n')
    const one = session()
    const a = turnOf(one, 'a')
    await a.begin()
    for (const cwd of [inner, linked]) {
      const other = session(cwd)
      other.prompt('b')
      other.writePrompt()
      other.writeCall('Bash', { command: 'make' })
      other.writeAnswer()
    }
    a.shell(() => put('a', '1\n'))
    await a.end()
    expect(await snapshots(one)).toEqual([{ files: ['a'], lines: '+1 -0', shared: null }])
  })

  test('a fork in the same folder does not count with the turns it inherited', async () => {
    const one = session()
    const a = turnOf(one, 'a')
    await a.begin()
    a.shell(() => put('a', '1\n'))
    await a.end()
    await app.fork({ address: one.id, code: 'none' })
    const other = session()
    const b = turnOf(other, 'b')
    await b.begin()
    b.write('b', '1\n')
    await b.end()
    // Judged again, now that there is a fork with copies of its turns.
    forgetJudgement()
    expect(await snapshots(one, sandbox.app({ cwd: repo, now: Date.now }))).toEqual([
      { files: ['a'], lines: '+1 -0', shared: null },
    ])
  })
})

function forgetJudgement(): void {
  const db = new Sqlite(join(sandbox.offshootHome, 'offshoot.db'))
  db.prepare('UPDATE captures SET shared = NULL').run()
  db.close()
}

test('turns captured before offshoot looked are judged with the next question', async () => {
  const [one, other] = [session(), session()]
  const [a, b] = [turnOf(one, 'a'), turnOf(other, 'b')]
  await a.begin()
  await b.begin()
  b.write('b', '1\n')
  a.write('a', '1\n')
  await b.end()
  await a.end()
  const wanted = await snapshots(one)
  app.close()
  const db = new Sqlite(join(sandbox.offshootHome, 'offshoot.db'))
  db.prepare(`UPDATE captures SET shared = NULL, files = '["a","b"]', added = 2`).run()
  db.close()
  expect(await snapshots(one, sandbox.app({ cwd: repo, now: Date.now }))).toEqual(wanted)
})

test('restore brings back what the session itself changed, and leaves what is shared', async () => {
  const [one, other] = [session(), session()]
  const first = turnOf(one, 'first')
  await first.begin()
  await first.end()
  const [a, b] = [turnOf(one, 'a'), turnOf(other, 'b')]
  await a.begin()
  await b.begin()
  a.write('a', '1\n')
  b.write('b', '1\n')
  b.write('both', 'b\n')
  a.write('both', 'a\n')
  await b.end()
  await a.end()
  await app.refresh()
  const plan = await app.planRestore({ address: `${one.id}@1` })
  expect(plan.changes.map(({ path }) => path)).toEqual(['a'])
  expect(plan.refused).toEqual([{ path: 'both', reason: expect.stringContaining(`claude:${other.id} changed it too`) }])
})

describe('in a workspace', () => {
  test('a commit made while another session is at work there names it', async () => {
    const { fork } = await app.fork({ address: await startingPoint(), code: 'head' })
    const path = fork.workspace?.path ?? ''
    const [one, other] = [hookedSession(sandbox.projects, path, fork.sessionId), session(path)]
    const [a, b] = [turnOf(one, 'a', path), turnOf(other, 'b', path)]
    const trailers = () => sandbox.git(path, 'log', '-1', '--format=%(trailers:key=Offshoot-Shared-With,valueonly)').trim()
    await a.begin()
    await b.begin()
    put('b', '1\n', path)
    await b.end()
    expect(trailers()).toBe(`claude:${one.id}`)
    put('a', '1\n', path)
    await a.end()
    expect(trailers()).toBe('')
    expect(
      sandbox
        .git(path, 'log', '-2', '--format=%x00%s', '--name-only')
        .split('\0')
        .slice(1)
        .map((each) => each.trim().split(/\n+/)),
    ).toEqual([
      [expect.stringMatching(/^turn \d+: a$/), 'a'],
      [expect.stringMatching(/^turn( \d+)?: b$/), 'b'],
    ])
  })

  test('a session that was cut off is not named for ever', async () => {
    const { fork } = await app.fork({ address: await startingPoint(), code: 'head' })
    const path = fork.workspace?.path ?? ''
    const [one, other] = [hookedSession(sandbox.projects, path, fork.sessionId), session(path)]
    await turnOf(other, 'b', path).begin()
    rmSync(join(sandbox.offshootHome, 'captures', 'claude', other.id), { recursive: true })
    const a = turnOf(one, 'a', path)
    await a.begin()
    put('a', '1\n', path)
    await a.end()
    expect(sandbox.git(path, 'log', '-1', '--format=%(trailers)')).not.toContain('Shared')
  })

  async function startingPoint(): Promise<string> {
    const one = session()
    const turn = turnOf(one, 'first')
    await turn.begin()
    await turn.end()
    return one.id
  }
})

test('a transcript that cannot be read costs no judgement', async () => {
  const [one, other] = [session(), session()]
  const [a, b] = [turnOf(one, 'a'), turnOf(other, 'b')]
  await a.begin()
  await b.begin()
  b.write('b', '1\n')
  a.write('a', '1\n')
  await b.end()
  await a.end()
  await app.refresh()
  rmSync(other.path)
  mkdirSync(other.path)
  expect(await snapshots(one)).toMatchObject([{ files: ['a'] }])
})
