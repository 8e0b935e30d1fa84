// Forks with the code of turns that nobody captured: put together from recorded edits, or the nearest commit; never silently.
import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { FakeSession, Line } from '../../src/catalog/sandbox.testkit.ts'
import { addToolTurn, bash, edit, write } from './edit-lines.ts'
import { createSandbox, type Sandbox } from './sandbox.ts'

let sandbox: Sandbox
let repo: string
/** After everything that was committed. */
let at: number
beforeEach(() => {
  sandbox = createSandbox()
  repo = sandbox.repository('repo')
  writeFileSync(join(repo, 'a.txt'), 'one\ntwo\n')
  writeFileSync(join(repo, 'run.sh'), '#!/bin/sh\n')
  chmodSync(join(repo, 'run.sh'), 0o755)
  sandbox.git(repo, 'add', '.')
  sandbox.git(repo, 'commit', '-qm', 'files')
  at = Date.now() + 60_000
})
afterEach(() => sandbox.close())

function inRepo(name: string): string {
  return join(repo, name)
}

function edited(): FakeSession {
  const source = sandbox.session({ cwd: repo, at })
  addToolTurn(source, 'first', [bash('ls -la && git status'), edit(inRepo('a.txt'), 'one\ntwo\n', 'two', 'zwei')])
  addToolTurn(source, 'second', [
    write(inRepo('dir/new.txt'), 'new\n'),
    edit(inRepo('run.sh'), '#!/bin/sh\n', 'sh\n', 'sh\nexit 0\n'),
  ])
  addToolTurn(source, 'third', [write('/elsewhere/x', 'not of this repository'), bash('npm test')])
  addToolTurn(source, 'fourth', [edit(inRepo('a.txt'), 'something else', 'else', 'more')])
  return source
}

/** Everything in the repository that a fork may not touch. */
function observe(): string {
  return [
    sandbox.git(repo, 'status', '--porcelain=v2'),
    sandbox.git(repo, 'for-each-ref'),
    sandbox.git(repo, 'count-objects', '-v'),
  ].join()
}

test('every recorded edit is done again in the workspace, planning writes nothing, undo removes it', async () => {
  const { id } = edited()
  const app = sandbox.app({ cwd: repo })
  const before = observe()
  const plan = await app.planFork({ address: id, at: '2', code: 'turn' })
  expect(observe()).toBe(before)
  expect(plan.code).toMatchObject({ mode: 'turn', from: { kind: 'reconstructed', turnNumber: 2, moment: 'end', tree: null } })
  expect(plan.warnings).toMatchObject([{ code: 'code_reconstructed', message: expect.stringContaining('3 recorded edits') }])
  expect(plan.confirm).toEqual([])
  expect(plan.steps[0]).toContain('put together')
  const { fork, proof } = await app.executeFork(plan)
  const path = fork.workspace?.path ?? ''
  expect(readFileSync(join(path, 'a.txt'), 'utf8')).toBe('one\nzwei\n')
  expect(readFileSync(join(path, 'dir', 'new.txt'), 'utf8')).toBe('new\n')
  expect(readFileSync(join(path, 'run.sh'), 'utf8')).toBe('#!/bin/sh\nexit 0\n')
  expect(sandbox.git(path, 'status', '--porcelain')).toBe(' M a.txt\n M run.sh\n?? dir/\n')
  expect(sandbox.git(path, 'diff', '--summary')).toBe('')
  expect(readFileSync(join(repo, 'a.txt'), 'utf8')).toBe('one\ntwo\n')
  expect(proof.details.join()).toContain('put together anew')
  expect(readdirSync(sandbox.offshootHome).filter((name) => name.startsWith('reconstruct-'))).toEqual([])
  await app.undo(fork.id)
  expect(existsSync(path)).toBe(false)
})

test('another turn’s code with this turn’s conversation, and the state before the first prompt', async () => {
  const { id } = edited()
  const app = sandbox.app({ cwd: repo })
  const first = await app.planFork({ address: id, at: '2', codeAt: '1' })
  expect(first).toMatchObject({ keptTurns: 2, code: { mode: 'turn', from: { turnNumber: 1, kind: 'reconstructed' } } })
  const before = await app.planFork({ address: id, before: '2', code: 'turn' })
  expect(before.code.from).toMatchObject({ turnNumber: 2, moment: 'start', kind: 'reconstructed' })
  const { fork } = await app.executeFork(before)
  expect(sandbox.git(fork.workspace?.path ?? '', 'status', '--porcelain')).toBe(' M a.txt\n')
  const zero = await app.planFork({ address: id, at: '1', codeAt: '0' })
  expect(zero.code.from).toMatchObject({ turnId: null, turnNumber: 0, kind: 'nearest_commit' })
  await expect(app.planFork({ address: id, codeAt: '1', code: 'head' })).rejects.toMatchObject({ code: 'usage' })
  await expect(app.planFork({ address: id, codeAt: '9' })).rejects.toMatchObject({ code: 'turn_not_found' })
})

test('what nobody recorded leaves the nearest commit, with a yes', async () => {
  const { id } = edited()
  const app = sandbox.app({ cwd: repo })
  writeFileSync(join(repo, 'a.txt'), 'dirty now\n')
  const plan = await app.planFork({ address: id, at: '3', code: 'turn' })
  expect(plan.code.from?.kind).toBe('nearest_commit')
  expect(plan.confirm).toEqual(['code_approximate'])
  expect(plan.warnings).toMatchObject([{ code: 'code_approximate', message: expect.stringMatching(/nearest commit.*Bash: npm/) }])
  await expect(app.executeFork(plan)).rejects.toMatchObject({ code: 'confirm_needed' })
  const { fork } = await app.executeFork(plan, { accept: ['code_approximate'] })
  const path = fork.workspace?.path ?? ''
  expect(sandbox.git(path, 'status', '--porcelain')).toBe('')
  expect(readFileSync(join(path, 'a.txt'), 'utf8')).toBe('one\ntwo\n')
})

test('an edit that does not fit is not guessed at', async () => {
  const source = sandbox.session({ cwd: repo, at })
  addToolTurn(source, 'first', [edit(inRepo('a.txt'), 'something else', 'else', 'more')])
  const plan = await sandbox.app({ cwd: repo }).planFork({ address: source.id, code: 'turn' })
  expect(plan.warnings).toMatchObject([{ code: 'code_approximate', message: expect.stringContaining('a.txt was not what') }])
})

test('commits that came in meanwhile are not overlooked', async () => {
  const source = sandbox.session({ cwd: repo, at })
  addToolTurn(source, 'first', [edit(inRepo('a.txt'), 'one\ntwo\n', 'two', 'zwei')])
  writeFileSync(join(repo, 'pulled.txt'), 'x')
  sandbox.git(repo, 'add', '.')
  sandbox.git(repo, 'commit', '-qm', 'pulled')
  const reflog = join(repo, '.git', 'logs', 'HEAD')
  const between = Math.floor(at / 1000) + 30
  writeFileSync(reflog, readFileSync(reflog, 'utf8').replace(/> \d+ (.*pulled\n)$/, `> ${between} $1`))
  addToolTurn(source, 'second', [])
  const app = sandbox.app({ cwd: repo })
  const plan = await app.planFork({ address: source.id, at: '2', code: 'turn' })
  expect(plan.warnings).toMatchObject([{ code: 'code_approximate', message: expect.stringContaining('commits made meanwhile') }])
  expect(plan.code.commit).toBe(sandbox.git(repo, 'rev-parse', 'HEAD').trim())
})

describe('edits that are not what they seem', () => {
  const planOf = (source: FakeSession) => sandbox.app({ cwd: repo }).planFork({ address: source.id, code: 'turn' })

  /** The conversation goes on behind the answer that is now last; what came since is a dead branch. */
  function rewindTo(source: FakeSession, count: number): void {
    const lines = source.lines as Line[]
    const parent = lines[count - 1]?.uuid
    const turnId = source.addTurn('another way')
    const text = readFileSync(source.path, 'utf8')
    const prompt = lines.find(({ uuid }) => uuid === turnId)
    writeFileSync(source.path, text.replace(JSON.stringify(prompt), JSON.stringify({ ...prompt, parentUuid: parent })))
  }

  test('a turn that was rewound may have left its files', async () => {
    const source = sandbox.session({ cwd: repo, at })
    addToolTurn(source, 'first', [edit(inRepo('a.txt'), 'one\ntwo\n', 'two', 'zwei')])
    const count = source.lines.length
    addToolTurn(source, 'second', [write(inRepo('left.txt'), 'still there\n')])
    rewindTo(source, count)
    expect((await planOf(source)).warnings).toMatchObject([
      { code: 'code_approximate', message: expect.stringContaining('a turn that was rewound') },
    ])
    const first = await sandbox.app({ cwd: repo }).planFork({ address: source.id, at: '1', code: 'turn' })
    expect(first.code.from?.kind).toBe('reconstructed')
  })

  test('a rewound turn that only read is no hindrance', async () => {
    const source = sandbox.session({ cwd: repo, at })
    addToolTurn(source, 'first', [edit(inRepo('a.txt'), 'one\ntwo\n', 'two', 'zwei')])
    const count = source.lines.length
    addToolTurn(source, 'second', [bash('cat a.txt')])
    rewindTo(source, count)
    expect((await planOf(source)).code.from?.kind).toBe('reconstructed')
  })

  test('a file named through a link is the file it is; one in a folder that is gone may be any', async () => {
    symlinkSync(repo, join(sandbox.root, 'link'))
    const source = sandbox.session({ cwd: repo, at })
    addToolTurn(source, 'first', [
      edit(join(sandbox.root, 'link', 'a.txt'), 'one\ntwo\n', 'two', 'zwei'),
      edit(join(repo, 'no', '..', 'a.txt'), 'one\nzwei\n', 'one', 'eins'),
      write(inRepo('.git/description'), 'none of the code\n'),
    ])
    const app = sandbox.app({ cwd: repo })
    const { fork } = await app.executeFork(await app.planFork({ address: source.id, code: 'turn' }))
    expect(readFileSync(join(fork.workspace?.path ?? '', 'a.txt'), 'utf8')).toBe('eins\nzwei\n')
    addToolTurn(source, 'second', [write(join(sandbox.root, 'old-worktree', 'a.txt'), 'x')])
    expect((await planOf(source)).warnings).toMatchObject([
      { code: 'code_approximate', message: expect.stringContaining('is gone') },
    ])
  })

  test('a file of a repository within this one is not of its code', async () => {
    sandbox.git(repo, 'init', '-q', 'inner')
    const source = sandbox.session({ cwd: repo, at })
    addToolTurn(source, 'first', [write(inRepo('inner/x.txt'), 'x')])
    expect((await planOf(source)).warnings).toMatchObject([
      { code: 'code_approximate', message: expect.stringContaining('inner/x.txt lies in a repository of its own') },
    ])
  })

  test('a beginning that is known by its date only needs a yes', async () => {
    rmSync(join(repo, '.git', 'logs'), { recursive: true })
    const source = sandbox.session({ cwd: repo, at })
    addToolTurn(source, 'first', [edit(inRepo('a.txt'), 'one\ntwo\n', 'two', 'zwei')])
    const plan = await planOf(source)
    expect(plan.warnings).toMatchObject([{ code: 'code_reconstructed', message: expect.stringContaining('by its date only') }])
    expect(plan.confirm).toEqual(['code_reconstructed'])
  })
})

describe('nothing can be said', () => {
  test('before there was a commit', async () => {
    const source = sandbox.session({ cwd: repo, at: Date.UTC(2020, 1, 1), turns: 1 })
    const plan = await sandbox.app({ cwd: repo }).planFork({ address: source.id, code: 'turn' })
    expect(plan.blockers).toMatchObject([{ code: 'code_unavailable', message: expect.stringContaining('`code: "now"`') }])
    expect(plan.workspace).toBeNull()
  })

  test('outside of git, and where the folder is gone', async () => {
    const outside = sandbox.session({ cwd: sandbox.root, at, turns: 1 })
    const app = sandbox.app({ cwd: repo })
    const plan = await app.planFork({ address: outside.id, code: 'turn' })
    expect(plan.blockers).toMatchObject([{ code: 'code_unavailable' }])
    const gone = sandbox.session({ cwd: join(sandbox.root, 'gone'), at, turns: 1 })
    expect((await app.planFork({ address: gone.id, code: 'turn' })).blockers).toMatchObject([{ code: 'code_unavailable' }])
  })
})

describe('without a choice of the code', () => {
  test('an earlier turn is put together from recorded edits where that is possible', async () => {
    const { id } = edited()
    const plan = await sandbox.app({ cwd: repo }).planFork({ address: id, at: '2' })
    expect(plan.code).toMatchObject({ mode: 'turn', from: { kind: 'reconstructed', turnNumber: 2 } })
    expect(plan.warnings.map(({ code }) => code)).not.toContain('code_now')
  })

  test('an earlier turn takes the nearest commit where the edits do not tell', async () => {
    const { id } = edited()
    const plan = await sandbox.app({ cwd: repo }).planFork({ address: id, at: '3' })
    expect(plan).toMatchObject({ code: { mode: 'turn', from: { kind: 'nearest_commit' } }, confirm: ['code_approximate'] })
  })

  test('an earlier turn of which nothing is known takes the present state only when that is accepted', async () => {
    const { id } = sandbox.session({ cwd: repo, at: Date.UTC(2020, 1, 1), turns: 3 })
    writeFileSync(join(repo, 'a.txt'), 'changed since\n')
    const app = sandbox.app({ cwd: repo })
    for (const request of [{ at: '2' }, { before: '3' }, { before: '1' }, { at: '2', code: 'now' as const }]) {
      const plan = await app.planFork({ address: id, ...request })
      expect(plan).toMatchObject({ code: { mode: 'now' }, confirm: ['code_now', 'dirty'], blockers: [] })
    }
    const plan = await app.planFork({ address: id, at: '2' })
    const warning = plan.warnings.find(({ code }) => code === 'code_now')
    expect(warning?.message).toMatch(
      /as it is now, not the code as turn 2 left it, which was not captured \(.*no commit of that time/,
    )
    await expect(app.executeFork(plan, { accept: ['dirty'] })).rejects.toMatchObject({
      code: 'confirm_needed',
      hint: expect.stringContaining('`accept: ["code_now"]`'),
    })
    const { fork } = await app.executeFork(plan, { accept: ['dirty', 'code_now'] })
    expect(readFileSync(join(fork.workspace?.path ?? '', 'a.txt'), 'utf8')).toBe('changed since\n')
  })

  test('the last turn takes the present state as a matter of course', async () => {
    const { id } = edited()
    const plan = await sandbox.app({ cwd: repo }).planFork({ address: id })
    expect(plan).toMatchObject({ code: { mode: 'now' }, confirm: [] })
    expect(plan.code.from).toBeUndefined()
  })

  test('a turn of a dead branch is not the present state', async () => {
    const source = sandbox.session({ cwd: repo, at: Date.UTC(2020, 1, 1), turns: 1 })
    const dead = source.addTurn('dead end')
    const live = source.addTurn('taken instead')
    const prompt = source.lines.find(({ uuid }) => uuid === live)
    const rewound = { ...prompt, parentUuid: source.lines[1]?.uuid }
    writeFileSync(source.path, readFileSync(source.path, 'utf8').replace(JSON.stringify(prompt), JSON.stringify(rewound)))
    const plan = await sandbox.app({ cwd: repo }).planFork({ address: source.id, at: dead })
    expect(plan).toMatchObject({ turn: { number: null }, code: { mode: 'now' }, confirm: ['code_now'] })
  })
})

test('a plan whose transcript was rewritten since is stale', async () => {
  const source = edited()
  const app = sandbox.app({ cwd: repo })
  const plan = await app.planFork({ address: source.id, at: '2', code: 'turn' })
  const text = readFileSync(source.path, 'utf8')
  rmSync(source.path)
  writeFileSync(source.path, text.replaceAll('zwei', 'drei'))
  await expect(app.executeFork(plan)).rejects.toMatchObject({ code: 'plan_stale' })
  expect(await app.listForks()).toEqual([])
})
