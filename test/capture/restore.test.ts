// Restoring in a real work tree: what is touched, what is never touched, and kill -9 at every step of it.
import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { App } from '../../src/app.ts'
import type { RestorePlan } from '../../src/model/capture.ts'
import { nothingRecovered } from '../../src/model/fork.ts'
import { makeFakeAgent } from '../cli/fake-agent.ts'
import { runCutOff } from '../fork/run-cut-off.ts'
import { createSandbox, type Sandbox } from '../fork/sandbox.ts'
import { type HookedSession, hookedSession, type Payload, playTurn } from './session.ts'
import { tellHere } from './tell.ts'

let sandbox: Sandbox
let repo: string
let app: App
beforeEach(() => {
  sandbox = createSandbox()
  repo = sandbox.repository('repo')
  app = sandbox.app({ cwd: repo })
})
afterEach(() => sandbox.close())

const cutOff = (verb: string, name: string, moment: string, path = process.env.PATH ?? '') =>
  runCutOff(new URL('./cut-off.ts', import.meta.url), [verb, sandbox.home, sandbox.offshootHome, repo, name, moment, path])

const at = (name: string) => join(repo, name)
const read = (name: string) => (existsSync(at(name)) ? readFileSync(at(name), 'utf8') : null)

function write(name: string, text: string | null): void {
  mkdirSync(dirname(at(name)), { recursive: true })
  if (text === null) rmSync(at(name), { recursive: true })
  else writeFileSync(at(name), text)
}

type Files = Readonly<Record<string, string | null>>

const tell = (payload: Payload) => tellHere(sandbox.offshootHome, payload)
const turn = (session: HookedSession, prompt: string, files: Files) =>
  playTurn(tell, session, prompt, () => {
    for (const [name, text] of Object.entries(files)) write(name, text)
  })

const open = () => hookedSession(sandbox.projects, repo)

/** Two turns: the second changes, removes, renames and adds. */
async function work(): Promise<HookedSession> {
  const session = open()
  await turn(session, 'first', { 'a.txt': 'one\n', 'd/b.txt': 'b\n', 'old.txt': 'moved\n' })
  await turn(session, 'second', { 'a.txt': 'two\n', 'd/b.txt': null, 'old.txt': null, 'new.txt': 'moved\n', 'added.txt': 'x\n' })
  return session
}

const afterFirst: Files = { 'a.txt': 'one\n', 'd/b.txt': 'b\n', 'old.txt': 'moved\n', 'new.txt': null, 'added.txt': null }
const afterSecond: Files = { 'a.txt': 'two\n', 'd/b.txt': null, 'old.txt': null, 'new.txt': 'moved\n', 'added.txt': 'x\n' }
const now = (files: Files): Files => Object.fromEntries(Object.keys(files).map((name) => [name, read(name)]))

const plan = (session: HookedSession, ...paths: string[]) => app.planRestore({ address: `${session.id}@1`, paths })
// A mount of our own: as root by itself, else as the root of a user namespace.
const mount = ['-m', '-rm'].find((each) => spawnSync('unshare', [each, 'mount', '-t', 'tmpfs', 'none', '/mnt']).status === 0)

/** As Claude itself says it: in its registry of running sessions. */
function answering({ id }: HookedSession): void {
  const registry = join(sandbox.home, '.claude', 'sessions')
  mkdirSync(registry, { recursive: true })
  const entry = { pid: process.pid, sessionId: id, cwd: repo, status: 'busy' }
  writeFileSync(join(registry, `${process.pid}.json`), JSON.stringify(entry))
}

describe('restoring a turn', () => {
  test('brings back what the session changed after it, renames and deletions included, and undo what was before', async () => {
    const session = await work()
    write('mine.txt', 'mine\n')
    const plan = await app.planRestore({ address: `claude:${session.id}@1` })
    expect(plan.changes.map(({ path, status }) => `${status} ${path}`)).toEqual([
      'M a.txt',
      'D added.txt',
      'A d/b.txt',
      'D new.txt',
      'A old.txt',
    ])
    const { id, restored, refused } = await app.restore(plan)
    expect(refused).toEqual([])
    expect(restored).toHaveLength(5)
    expect(now(afterFirst)).toEqual(afterFirst)
    expect(read('mine.txt')).toBe('mine\n')
    expect(await app.undo()).toMatchObject({ kind: 'restore', restore: { id }, undone: true, kept: [] })
    expect(now(afterSecond)).toEqual(afterSecond)
    expect(await app.listRestores()).toMatchObject([{ id, state: 'undone' }])
  })

  test('to before the first prompt leaves what was there then', async () => {
    write('mine.txt', 'mine\n')
    const session = await work()
    await app.restore(await app.planRestore({ address: `${session.id}@0` }))
    expect(now(afterSecond)).toEqual(Object.fromEntries(Object.keys(afterSecond).map((name) => [name, null])))
    expect(read('mine.txt')).toBe('mine\n')
  })

  test("leaves another session's work, and what both changed, unless it is named", async () => {
    const one = open()
    const other = open()
    await turn(one, 'first', { 'one.txt': '1\n', 'both.txt': '1\n' })
    await turn(one, 'second', { 'one.txt': '2\n', 'both.txt': '2\n' })
    await turn(other, 'else', { 'other.txt': 'other\n', 'both.txt': 'other\n' })
    const plan = await app.planRestore({ address: `${one.id}@1` })
    expect(plan.changes.map(({ path }) => path)).toEqual(['one.txt'])
    expect(plan.refused).toEqual([{ path: 'both.txt', reason: expect.stringContaining(`claude:${other.id} changed it too`) }])
    await app.restore(plan)
    expect(now({ 'one.txt': '', 'both.txt': '', 'other.txt': '' })).toEqual({
      'one.txt': '1\n',
      'both.txt': 'other\n',
      'other.txt': 'other\n',
    })
    await app.restore(await app.planRestore({ address: `${one.id}@1`, paths: ['both.txt'] }))
    expect(read('both.txt')).toBe('1\n')
    const all = await app.planRestore({ address: `${one.id}@1`, all: true })
    expect(all.changes.map(({ path }) => path)).toEqual(['other.txt'])
  })

  test("in another worktree is where one stands for named paths, and the session's own for the rest", async () => {
    const session = await work()
    const second = join(sandbox.root, 'second')
    sandbox.git(repo, 'worktree', 'add', '-q', second)
    const there = sandbox.app({ cwd: second })
    const named = await there.planRestore({ address: `${session.id}@1`, paths: ['a.txt'] })
    expect(named).toMatchObject({ root: second, changes: [{ path: 'a.txt', status: 'A' }] })
    expect(named.warnings.join()).toContain('where you stand')
    expect(await there.planRestore({ address: `${session.id}@1` })).toMatchObject({ root: repo })
  })

  test('does not call later turns uncaptured that were captured', async () => {
    const session = await work()
    expect((await app.planRestore({ address: `${session.id}@1` })).warnings).toEqual([])
  })

  test('does not list a file with converted line ends whose bytes are the same', async () => {
    write('.gitattributes', '*.txt text eol=crlf\n')
    const session = open()
    await turn(session, 'first', { 'same.txt': 'a\r\nb\r\n', 'mixed.txt': '1\n2\r\n', 'other.txt': '1\r\n' })
    await turn(session, 'second', { 'other.txt': '1\n' })
    const listed = async (request: { paths?: string[]; all?: boolean }) =>
      (await app.planRestore({ address: `${session.id}@1`, ...request })).changes.map(({ path }) => path)
    expect(await listed({ all: true })).toEqual(['other.txt'])
    expect(await listed({ paths: ['same.txt', 'mixed.txt'] })).toEqual([])
    await app.restore(await app.planRestore({ address: `${session.id}@1`, all: true }))
    expect(read('other.txt')).toBe('1\r\n')
    expect(await listed({ all: true })).toEqual([])
  })

  test('a plan that no longer holds is refused, and leaves nothing behind', async () => {
    const session = await work()
    const plan = await app.planRestore({ address: `${session.id}@1` })
    write('a.txt', 'three\n')
    await expect(app.restore(plan)).rejects.toMatchObject({ code: 'plan_stale' })
    expect(read('a.txt')).toBe('three\n')
    expect(await app.listRestores()).toEqual([])
    expect(sandbox.git(repo, 'for-each-ref', 'refs/offshoot/safety/')).toBe('')
  })

  test('does not follow a folder that became a link, nor write over ignored files', async () => {
    const session = open()
    await turn(session, 'first', { 'd/b.txt': 'b\n', build: 'a file\n' })
    await turn(session, 'second', { 'd/b.txt': 'changed\n', build: null, '.gitignore': 'build/\n' })
    const outside = join(sandbox.root, 'outside')
    mkdirSync(outside)
    writeFileSync(join(outside, 'b.txt'), 'victim\n')
    rmSync(at('d'), { recursive: true })
    symlinkSync(outside, at('d'))
    write('build/out.bin', 'precious\n')
    const { refused } = await app.restore(await app.planRestore({ address: `${session.id}@1` }))
    expect(readFileSync(join(outside, 'b.txt'), 'utf8')).toBe('victim\n')
    expect(read('build/out.bin')).toBe('precious\n')
    expect(refused.map(({ path }) => path)).toContain('build')
  })

  test('of a name that is not UTF-8 is not undone over later work either', async () => {
    const odd = Buffer.concat([Buffer.from(`${repo}/n`), Buffer.from([0xff])])
    const session = open()
    await playTurn(tell, session, 'first', () => writeFileSync(odd, 'one\n'))
    await playTurn(tell, session, 'second', () => writeFileSync(odd, 'two\n'))
    await app.restore(await app.planRestore({ address: `${session.id}@1` }))
    writeFileSync(odd, 'by hand\n')
    await expect(app.undo()).rejects.toMatchObject({ code: 'changed_since' })
    expect(readFileSync(odd, 'utf8')).toBe('by hand\n')
  })

  test('says which later turns nobody captured: what they changed is not known', async () => {
    const session = await work()
    session.prompt('third')
    session.writePrompt()
    write('a.txt', 'three\n')
    session.writeAnswer()
    const { warnings } = await app.planRestore({ address: `${session.id}@2` })
    expect(warnings).toEqual(['Turn 3 was not captured: what it changed is not known here; name the paths, or use `all`.'])
  })

  test('of a path that neither state has is an error, with the one that was meant', async () => {
    write('same.txt', 'same\n')
    const session = await work()
    write('.gitignore', '*.log\n')
    write('x.log', 'ignored\n')
    const plan = (...paths: string[]) => app.planRestore({ address: `${session.id}@1`, paths })
    await expect(plan('a.tx')).rejects.toMatchObject({ code: 'not_captured', message: expect.stringContaining('a.tx') })
    await expect(plan('d/bb.txt')).rejects.toThrow('Did you mean d/b.txt?')
    await expect(plan('a.txt', 'x.log')).rejects.toMatchObject({ code: 'not_captured' })
    expect((await plan('same.txt')).warnings).toEqual(['same.txt is the same in both states.'])
  })

  test('waits for no other: while one is at work in the work tree, a second is told so', async () => {
    const session = await work()
    const other = sandbox.app({ cwd: repo })
    const [one, two] = await Promise.all(['a.txt', 'new.txt'].map((name) => plan(session, name)))
    let second: Promise<unknown> | undefined
    const first = sandbox.app({
      cwd: repo,
      onForkStep(moment) {
        if (moment !== 'restore safe') return
        second = other.restore(two as RestorePlan)
        second.catch(() => undefined)
      },
    })
    await first.restore(one as RestorePlan)
    await expect(second).rejects.toMatchObject({ code: 'busy', message: expect.stringContaining(repo) })
    expect(now(afterSecond)).toEqual({ ...afterSecond, 'a.txt': 'one\n' })
    expect(await app.listRestores()).toHaveLength(1)
  })

  test('and its undo are refused while an agent is answering there, unless forced', async () => {
    const session = await work()
    const seen = await app.planRestore({ address: `${session.id}@1` })
    answering(session)
    await expect(app.restore(seen)).rejects.toMatchObject({ code: 'busy' })
    const { id } = await app.restore(seen, { force: true })
    await expect(app.undo(id)).rejects.toMatchObject({ code: 'busy', message: expect.stringContaining(session.id) })
    expect(now(afterFirst)).toEqual(afterFirst)
    await app.undo(id, { force: true })
    expect(now(afterSecond)).toEqual(afterSecond)
  })

  test.runIf(mount !== undefined)('that fails half way is brought back at once, and said', async () => {
    const disk = join(sandbox.root, 'disk')
    mkdirSync(disk)
    const script = fileURLToPath(new URL('./restore-on-full-disk.ts', import.meta.url))
    const program = `TMPDIR='${disk}' exec '${process.execPath}' --import tsx '${script}'`
    const run = `mount -t tmpfs -o size=24m none '${disk}' && ${program}`
    const said = JSON.parse(execFileSync('unshare', [mount ?? '', 'sh', '-c', run], { encoding: 'utf8' }))
    expect(said).toMatchObject({ code: 'disk_full', a: 'second\n', left: 'small\n', states: ['undone'] })
    expect(said.message).toMatch(/^The restore failed: .*disk.* The files are as they were before\.$/)
    expect(said.hint).toContain('Free some space')
  })

  test('that cannot be brought back says what is left to do', async () => {
    const session = await work()
    const failing = sandbox.app({
      cwd: repo,
      onForkStep(moment) {
        if (moment === 'restore safe') renameSync(repo, `${repo}-away`)
      },
    })
    const failed = failing.restore(await app.planRestore({ address: `${session.id}@1` }))
    await expect(failed).rejects.toMatchObject({ code: 'failed', hint: expect.stringContaining('offshoot doctor --fix') })
    renameSync(`${repo}-away`, repo)
    expect(await app.recover()).toMatchObject({ rolledBack: [{ kind: 'restore' }], problems: [] })
    expect(now(afterSecond)).toEqual(afterSecond)
  })

  test('does not remove what was there then but was not captured', async () => {
    const session = open()
    await turn(session, 'first', { 'a.txt': 'one\n', 'big.bin': 'x'.repeat(2_000_000) })
    await turn(session, 'second', { 'a.txt': 'two\n', 'big.bin': 'small\n' })
    const seen = await app.planRestore({ address: `${session.id}@1` })
    expect(seen.changes.map(({ path }) => path)).toEqual(['a.txt'])
    expect(seen.refused).toEqual([{ path: 'big.bin', reason: expect.stringContaining('could not be captured (too_large)') }])
    await app.restore(seen)
    expect(now({ 'a.txt': '', 'big.bin': '' })).toEqual({ 'a.txt': 'one\n', 'big.bin': 'small\n' })
  })

  test('staged work stays staged', async () => {
    const session = await work()
    sandbox.git(repo, 'add', 'a.txt')
    const index = readFileSync(join(repo, '.git', 'index'))
    await app.restore(await app.planRestore({ address: `${session.id}@1` }))
    await app.undo()
    expect(readFileSync(join(repo, '.git', 'index'))).toEqual(index)
  })
})

describe('cut off by kill -9', () => {
  test.each(['restore recorded', 'restore safe', 'restore worked'])('a restore at "%s" is brought back', async (moment) => {
    const session = await work()
    expect((await cutOff('restore', `${session.id}@1`, moment)).signal).toBe('SIGKILL')
    expect((await app.doctor()).some(({ id }) => id === 'restores')).toBe(true)
    expect(await app.recover()).toMatchObject({ rolledBack: [{ kind: 'restore' }], problems: [] })
    expect(now(afterSecond)).toEqual(afterSecond)
    expect(await app.recover()).toEqual(nothingRecovered)
    expect(sandbox.git(repo, 'fsck', '--no-dangling')).toBe('')
  })

  test('half way, with some files restored and some not, it is brought back too', async () => {
    const session = await work()
    await cutOff('restore', `${session.id}@1`, 'restore safe')
    write('a.txt', 'one\n')
    write('added.txt', null)
    write('d/b.txt', 'b\n')
    await app.recover()
    expect(now(afterSecond)).toEqual(afterSecond)
  })

  test('what somebody changed after the cut stays', async () => {
    const session = await work()
    await cutOff('restore', `${session.id}@1`, 'restore worked')
    write('a.txt', 'by hand\n')
    await app.recover()
    expect(now(afterSecond)).toEqual({ ...afterSecond, 'a.txt': 'by hand\n' })
  })

  test('a restore at its end is whole', async () => {
    const session = await work()
    await cutOff('restore', `${session.id}@1`, 'restored')
    expect(await app.recover()).toEqual(nothingRecovered)
    expect(now(afterFirst)).toEqual(afterFirst)
    await app.undo()
    expect(now(afterSecond)).toEqual(afterSecond)
  })

  test.each(['undo restore begun', 'undo restore worked'])('an undo at "%s" is carried through', async (moment) => {
    const session = await work()
    const { id } = await app.restore(await app.planRestore({ address: `${session.id}@1` }))
    expect((await cutOff('undo', id, moment)).signal).toBe('SIGKILL')
    expect(await app.recover()).toMatchObject({ undone: [{ id, kind: 'restore' }], problems: [] })
    expect(now(afterSecond)).toEqual(afterSecond)
    expect(await app.undo(id)).toMatchObject({ undone: false })
  })

  const steps = ['record begun', 'record done', 'workspace begun', 'workspace claimed', 'workspace worked', 'workspace done']
  test.each(steps)('a start at "%s" leaves nothing', async (moment) => {
    const path = `${makeFakeAgent(sandbox.root)}:${process.env.PATH}`
    chmodSync(join(sandbox.root, 'agents', 'claude'), 0o755)
    const { signal, stderr } = await cutOff('start', '', moment, path)
    expect(signal, stderr).toBe('SIGKILL')
    expect(await app.recover()).toMatchObject({ rolledBack: [expect.objectContaining({ id: expect.any(String) })], problems: [] })
    expect(await app.listStarts()).toEqual([])
    expect(existsSync(join(sandbox.offshootHome, 'worktrees', 'repo'))).toBe(false)
    expect(sandbox.git(repo, 'branch', '--list', 'offshoot/*')).toBe('')
    expect(sandbox.git(repo, 'worktree', 'list', '--porcelain').match(/^worktree /gm)).toHaveLength(1)
  })
})

describe('in a sparse checkout', () => {
  /** Turn 1 changes a file that the checkout leaves out afterwards. */
  async function sparse(): Promise<HookedSession> {
    write('src/d0/f0.txt', 'zero\n')
    write('src/d1/f1.txt', 'committed\n')
    sandbox.git(repo, 'add', '-A')
    sandbox.git(repo, 'commit', '-qm', 'sources')
    const session = open()
    await turn(session, 'first', { 'src/d0/f0.txt': 'changed\n', 'src/d1/f1.txt': 'changed\n' })
    sandbox.git(repo, 'stash', '-q', '-u')
    sandbox.git(repo, 'sparse-checkout', 'set', 'src/d0')
    expect(read('src/d1/f1.txt')).toBeNull()
    return session
  }
  const mark = () => sandbox.git(repo, 'ls-files', '-t', 'src/d1/f1.txt').slice(0, 1)

  test('a restore of everything leaves out what the checkout leaves out, and names it', async () => {
    const session = await sparse()
    const made = await app.planRestore({ address: `${session.id}@1`, all: true })
    expect(made.changes.map(({ path }) => path)).toEqual(['src/d0/f0.txt'])
    expect(made.refused).toEqual([{ path: 'src/d1/f1.txt', reason: expect.stringContaining('sparse checkout') }])
    const { id, restored } = await app.restore(made)
    expect([restored, read('src/d1/f1.txt'), mark()]).toEqual([['src/d0/f0.txt'], null, 'S'])
    await app.undo(id)
    expect([read('src/d0/f0.txt'), read('src/d1/f1.txt'), mark()]).toEqual(['zero\n', null, 'S'])
  })

  test('a file that is named is restored, and the undo removes it again', async () => {
    const session = await sparse()
    const { id } = await app.restore(await plan(session, 'src/d1/f1.txt'))
    expect(read('src/d1/f1.txt')).toBe('changed\n')
    await app.undo(id)
    expect([read('src/d1/f1.txt'), mark()]).toEqual([null, 'S'])
  })
})
