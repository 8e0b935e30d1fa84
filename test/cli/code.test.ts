// diff, restore, gc, turns and undo as processes, over a session whose turns were captured by the hook program.
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type CapturedFixture, captured, createCapturedFixture } from './captured.ts'
import { runProcess } from './run-cli.ts'

let home: CapturedFixture
beforeAll(async () => {
  home = await createCapturedFixture()
})
afterAll(() => home.remove())

const git = async (...args: string[]) => (await runProcess('git', args, home.repository, home.vars)).stdout
const at = (name: string) => join(home.repository, name)
const read = (name: string) => readFileSync(at(name), 'utf8')

interface TurnsJson {
  turns: { number: number; snapshot: { tree: string; files: string[]; added: number; removed: number; by: string } | null }[]
}

describe('turns', () => {
  test('say what each changed', async () => {
    const { stdout } = await home.run(['turns', captured])
    expect(stdout).toMatch(/Turn 1 +\S+( ago)? +\+4 -0 +store\.mjs +complete +Keep the list/)
    expect(stdout).toMatch(/Turn 3 +\S+( ago)? +\+3 -8 +store\.mjs, store\.test\.mjs/)
  })

  test('have their snapshot in JSON', async () => {
    const { turns } = await home.json<TurnsJson>(['turns', captured, '--json'])
    expect(turns.map(({ snapshot }) => snapshot)).toMatchObject([
      { files: ['store.mjs'], added: 4, removed: 0, by: 'hook', not_covered: [] },
      { files: ['store.test.mjs'], added: 5, removed: 0 },
      { files: ['store.mjs', 'store.test.mjs'], added: 3, removed: 8 },
    ])
    expect(turns[0]?.snapshot?.tree).toMatch(/^[0-9a-f]{40}$/)
    const shown = await home.json<{ turn: unknown }>(['show', `${captured}@2`, '--json'])
    expect(shown.turn).toEqual(turns[1])
    const planned = await home.json<{ plan: { turn: unknown } }>(['fork', captured, '--at', '2', '--dry-run', '--json'])
    expect(planned.plan.turn).toEqual(turns[1])
  })

  test('that were not captured say so', async () => {
    const { turns } = await home.json<TurnsJson>(['turns', 'claude:60309e1e', '--json'])
    expect(turns.every(({ snapshot }) => snapshot === null)).toBe(true)
    expect((await home.run(['turns', 'claude:60309e1e'])).stdout).toMatch(/^Give every task .* \[not captured\]\n/)
    const fork = await home.run(['fork', captured])
    expect(fork.status).toBe(2)
    expect(fork.stderr).toMatch(/ {3}2 .* \+5 -0 {2}store\.test\.mjs {2}Write a test/)
  })
})

describe('diff', () => {
  test('of two turns is a patch that git applies', async () => {
    const { stdout, status, stderr } = await home.run(['diff', `${captured}@1`, `${captured}@2`])
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    expect(stdout).toContain('+++ b/store.test.mjs')
    const tree = (await home.json<TurnsJson>(['turns', captured, '--json'])).turns[0]?.snapshot?.tree ?? ''
    const index = { ...home.vars, GIT_INDEX_FILE: join(home.home, 'scratch-index') }
    await runProcess('git', ['read-tree', tree], home.repository, index)
    const applied = await runProcess('git', ['apply', '--cached'], home.repository, index, { input: stdout })
    expect(applied).toMatchObject({ status: 0, stderr: '' })
  })

  test('of one turn is what that turn changed', async () => {
    const { stdout } = await home.run(['diff', `${captured}@2`, '--stat'])
    expect(stdout).toBe(' store.test.mjs | 5 +++++\n 1 file changed, 5 insertions(+)\n')
    expect((await home.run(['diff', captured, '--name-only'])).stdout).toBe('store.mjs\nstore.test.mjs\n')
  })

  test('knows the state before the first prompt, the present one, and paths', async () => {
    const all = await home.run(['diff', `${captured}@0`, `${captured}@3`, '--name-only'])
    expect(all.stdout).toBe('store.mjs\n')
    expect(await home.run(['diff', `${captured}@3`, 'now'])).toMatchObject({ stdout: '', status: 0 })
    const only = await home.run(['diff', `${captured}@0`, `${captured}@2`, '--name-only', '--', 'store.test.mjs'])
    expect(only.stdout).toBe('store.test.mjs\n')
    const one = await home.run(['diff', `${captured}@3`, '--name-only', '--', 'store.mjs'])
    expect(one.stdout).toBe('store.mjs\n')
  })

  test('as JSON names both sides', async () => {
    const diff = await home.json<Record<string, unknown>>(['diff', `${captured}@2`, `${captured}@3`, '--json'])
    expect(diff).toMatchObject({
      from: { name: expect.stringContaining('@2') },
      to: { name: expect.stringContaining('@3') },
      files: [
        { path: 'store.mjs', status: 'M', added: 3, removed: 3 },
        { path: 'store.test.mjs', status: 'D', added: 0, removed: 5 },
      ],
      added: 3,
      removed: 8,
      patch: expect.stringContaining('deleted file'),
    })
  })

  test.each([
    [['diff'], 2, 'missing required argument'],
    [['diff', `${captured}@9`], 3, 'has turns 1 to 3'],
    [['diff', 'claude:60309e1e@1'], 3, 'was not captured'],
    [['diff', 'claude:60309e1e'], 3, 'No turn of claude:60309e1e'],
    [['diff', `${captured}@1`, 'claude:60309e1e@1'], 3, 'was not captured'],
    [['diff', 'now'], 2, 'Compare `now` with a turn'],
    [['diff', `${captured}@0`], 2, 'no turn made it'],
    [['diff', `${captured}@1`, `${captured}@2`, `${captured}@3`], 2, 'one too many'],
    [['diff', `${captured}@1`, '--', '../outside'], 2, 'outside of the work tree'],
    [['diff', `${captured}@1`, '--', '.git/config'], 2, "git's own"],
    [['diff', `${captured}@1`, '--stat', '--name-only'], 2, 'cannot be used with'],
    [['diff', 'nobody1'], 3, 'There is no session'],
  ])('%j is refused', async (args, status, words) => {
    const run = await home.run(args)
    expect(run).toMatchObject({ status, stdout: '' })
    expect(run.stderr).toContain(words)
  })

  test('outside of a repository `now` is an error, two turns are not', async () => {
    const now = await home.run(['diff', `${captured}@1`, 'now'], { cwd: home.home })
    expect(now).toMatchObject({ status: 3, stdout: '' })
    expect(now.stderr).toContain('in no git repository')
    const turns = await home.run(['diff', `${captured}@1`, `${captured}@2`, '--name-only'], { cwd: home.home })
    expect(turns).toMatchObject({ status: 0, stdout: 'store.test.mjs\n' })
  })
})

describe('restore', () => {
  beforeEach(async () => {
    // As turn 3 left it.
    await home.run(['restore', `${captured}@3`, '--all', '--yes'])
    expect(existsSync(at('store.test.mjs'))).toBe(false)
  })

  test('shows first, and does nothing then', async () => {
    const before = await git('status', '--porcelain')
    const { stdout, status } = await home.run(['restore', `${captured}@2`, '--dry-run'])
    expect(status).toBe(0)
    expect(stdout).toContain('store.test.mjs | 5 +++++')
    expect(await git('status', '--porcelain')).toBe(before)
    const { plan } = await home.json<{ plan: unknown }>(['restore', `${captured}@2`, '--dry-run', '--json'])
    expect(plan).toMatchObject({
      root: home.repository,
      changes: [{ path: 'store.mjs' }, { path: 'store.test.mjs', status: 'A' }],
    })
  })

  test('needs a yes where nobody can be asked', async () => {
    const { status, stderr, stdout } = await home.run(['restore', `${captured}@2`])
    expect({ status, stdout }).toEqual({ status: 4, stdout: '' })
    expect(stderr).toContain('--yes')
    expect(existsSync(at('store.test.mjs'))).toBe(false)
    const json = await home.run(['restore', `${captured}@2`, '--json'])
    expect(json.status).toBe(4)
    expect(JSON.parse(json.stdout)).toMatchObject({
      error: { code: 'confirm_needed', details: { plan: { root: home.repository } } },
    })
  })

  test('touches only what the session changed; undo brings all of it back', async () => {
    writeFileSync(at('README.md'), 'mine\n')
    writeFileSync(at('new.txt'), 'mine too\n')
    const index = readFileSync(join(home.repository, '.git', 'index'))
    const { stdout, status } = await home.run(['restore', `${captured}@2`, '--yes'])
    expect(status).toBe(0)
    expect(read('store.test.mjs')).toContain('assert.equal')
    expect(read('store.mjs')).toContain('writeFileSync')
    expect(read('README.md')).toBe('mine\n')
    expect(read('new.txt')).toBe('mine too\n')
    expect(readFileSync(join(home.repository, '.git', 'index'))).toEqual(index)
    const id = /offshoot undo (\S+)/.exec(stdout)?.[1] ?? ''
    const undone = await home.json<Record<string, unknown>>(['undo', '--json'])
    expect(undone).toMatchObject({ kind: 'restore', undone: true, restore: { id }, restored: ['store.mjs', 'store.test.mjs'] })
    expect(existsSync(at('store.test.mjs'))).toBe(false)
    expect(read('store.mjs')).toContain('better-sqlite3')
    expect(read('README.md')).toBe('mine\n')
    expect((await home.run(['undo', id])).stdout).toContain('was undone before')
    rmSync(at('new.txt'))
    await git('checkout', '--', 'README.md')
  })

  test('of a named path restores just that one, from a subfolder too', async () => {
    mkdirSync(at('deep'), { recursive: true })
    const { status, stderr } = await home.run(['restore', `${captured}@2`, '../store.test.mjs', '--yes'], { cwd: at('deep') })
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    expect(existsSync(at('store.test.mjs'))).toBe(true)
    expect(read('store.mjs')).toContain('better-sqlite3')
    const { stdout } = await home.run(['restore', `${captured}@3`, 'store.test.mjs', '--yes'])
    expect(stdout).toContain('  removed   store.test.mjs\n')
  })

  test('is not undone over later work, unless forced', async () => {
    await home.run(['restore', `${captured}@2`, '--yes'])
    writeFileSync(at('store.mjs'), 'later work\n')
    const refused = await home.run(['undo'])
    expect(refused.status).toBe(4)
    expect(refused.stderr).toContain('store.mjs')
    expect(read('store.mjs')).toBe('later work\n')
    expect((await home.run(['undo', '--force'])).status).toBe(0)
    expect(read('store.mjs')).toContain('better-sqlite3')
  })

  test('never writes through a link that leads out', async () => {
    const outside = join(home.home, 'outside')
    mkdirSync(outside, { recursive: true })
    writeFileSync(join(outside, 'victim'), 'untouched\n')
    rmSync(at('store.mjs'))
    symlinkSync(join(outside, 'victim'), at('store.mjs'))
    expect((await home.run(['restore', `${captured}@2`, 'store.mjs', '--yes'])).status).toBe(0)
    expect(readFileSync(join(outside, 'victim'), 'utf8')).toBe('untouched\n')
    expect(read('store.mjs')).toContain('writeFileSync')
  })

  test('nothing to do is no error', async () => {
    const { status, stdout } = await home.run(['restore', `${captured}@3`, '--yes'])
    expect(status).toBe(0)
    expect(stdout).toContain('Nothing to restore')
    // Which session that is, is not plain to who has just forked.
    expect((await home.run(['restore', 'last', '--yes'])).stderr).toMatch(/^The last session is claude:\S+: \S/m)
  })

  test('while an agent is at work there is refused', async () => {
    const sessions = join(home.vars.CLAUDE_CONFIG_DIR ?? '', 'sessions')
    mkdirSync(sessions, { recursive: true })
    const id = '4be17d5c-2f0a-4c63-9a1e-70d2c9b8e5f1'
    const entry = join(sessions, `${process.pid}.json`)
    writeFileSync(entry, JSON.stringify({ pid: process.pid, sessionId: id, status: 'busy' }))
    const { status, stderr } = await home.run(['restore', `${captured}@2`, '--yes'])
    expect(status).toBe(4)
    expect(stderr).toContain('is at work in')
    expect((await home.run(['restore', `${captured}@2`, '--yes', '--force'])).status).toBe(0)
    rmSync(entry)
  })

  test.each([
    [['restore', `${captured}@9`], 3, 'has turns 1 to 3'],
    [['restore', 'claude:60309e1e@1'], 3, 'was not captured'],
    [['restore', 'now'], 2, 'name a turn'],
    [['restore', `${captured}@2`, '../other'], 2, 'outside of the work tree'],
    [['restore', `${captured}@2`, '.git/HEAD'], 2, "git's own"],
    [['restore', `${captured}@2`, '--all', 'store.mjs'], 2, 'not both'],
  ])('%j is refused', async (args, status, words) => {
    const run = await home.run(args)
    expect(run).toMatchObject({ status, stdout: '' })
    expect(run.stderr).toContain(words)
  })
})

describe('a fork with its code', () => {
  test('has the code of its turn, and can be compared', async () => {
    const { fork } = await home.json<{ fork: { id: string; session_id: string; workspace: { path: string } } }>([
      'fork',
      captured,
      '--at',
      '1',
      '--yes',
      '--json',
    ])
    expect(readFileSync(join(fork.workspace.path, 'store.mjs'), 'utf8')).toContain('writeFileSync')
    expect(existsSync(join(fork.workspace.path, 'store.test.mjs'))).toBe(false)
    const diff = await home.run(['diff', `claude:${fork.session_id}`, `${captured}@2`, '--name-only'])
    expect(diff).toMatchObject({ status: 0, stdout: 'store.test.mjs\n' })
    expect((await home.run(['undo', fork.id])).status).toBe(0)
  })
})

test('the new commands are completed', async () => {
  const complete = async (...words: string[]) =>
    (await home.run(['__complete', '--', ...words])).stdout.split('\n').map((line) => line.split('\t')[0])
  expect(await complete('')).toEqual(expect.arrayContaining(['start', 'diff', 'restore', 'gc', 'hooks']))
  expect(await complete('start', '')).toEqual(['claude', 'codex', ''])
  expect(await complete('start', 'claude', '--code', '')).toEqual(['head', 'now', ''])
  expect(await complete('diff', `${captured}@2`, 'n')).toEqual(['now', ''])
  expect(await complete('restore', `${captured}@2`, 'sto')).toEqual(['store.mjs', 'store.test.mjs', ''])
  expect(await complete('restore', `${captured}@2`, 'store.mjs', 'store.t')).toEqual(['store.test.mjs', ''])
  expect(await complete('gc', '--')).toEqual(['--all', '--dry-run', '--force', '--json', '--help', ''])
})
