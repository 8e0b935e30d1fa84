// Forks with the code of captured turns: exactly what was there when the turn ended, whatever has become of the work tree since.
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { parseHookEvent } from '../../src/agents/hook-events.ts'
import { recordEvent } from '../../src/capture/record-event.ts'
import type { Plan } from '../../src/model/fork.ts'
import { readMarker } from '../../src/snapshots/workspace-marker.ts'
import { type HookedSession, hookedSession, type Payload, playTurn } from '../capture/session.ts'
import { copyOf } from '../git/copy-of.ts'
import { testGit } from '../git/scratch.ts'
import { createSandbox, type Sandbox } from './sandbox.ts'
import { seededClaude } from './seeded-claude.ts'

let sandbox: Sandbox
let repo: string
beforeEach(() => {
  sandbox = createSandbox()
  repo = sandbox.repository('repo')
})
afterEach(() => sandbox.close())

async function tell(payload: Payload): Promise<void> {
  const event = parseHookEvent('claude', payload)
  if (event === null) throw new Error('no event')
  const context = { folder: sandbox.offshootHome, git: testGit(), now: Date.now, maxFileBytes: 1000 }
  await recordEvent(context, { agent: 'claude', event, by: 'hook' })
}

const turn = (session: HookedSession, text: string, work: () => void) => playTurn(tell, session, text, work)

function put(name: string, text: string, root = repo): void {
  mkdirSync(join(root, name, '..'), { recursive: true })
  writeFileSync(join(root, name), text)
}

/** What is said of the code; the made-up model has no price. */
function warningsOf({ warnings }: Plan) {
  return warnings.filter(({ code }) => code !== 'no_price')
}

/** Five turns: edits, an untracked file, a commit by hand in between, a deletion and a rename, nothing at all. */
async function fiveTurns() {
  const session = hookedSession(sandbox.projects, repo)
  const copies = [copyOf(repo)]
  const ids: string[] = []
  const work = [
    () => put('a.txt', '1'),
    () => put('dir/b.txt', '2'),
    () => {
      rmSync(join(repo, 'a.txt'))
      symlinkSync('dir', join(repo, 'link'))
    },
    () => undefined,
    () => put('dir/b.txt', '5'),
  ]
  const found: Record<string, string>[] = []
  for (const [i, each] of work.entries()) {
    if (i === 1) put('by-hand.txt', 'hand')
    if (i === 2) {
      sandbox.git(repo, 'add', '-A')
      sandbox.git(repo, 'commit', '-qm', 'by hand')
    }
    found.push(copyOf(repo))
    ids.push(await turn(session, `prompt ${i + 1}`, each))
    copies.push(copyOf(repo))
  }
  return { session, copies, found, ids }
}

test('the plan shows what was captured of its turn', async () => {
  const { session } = await fiveTurns()
  const app = sandbox.app({ cwd: repo })
  const plan = await app.planFork({ address: session.id, at: '2' })
  const turns = await app.listTurns((await app.resolve(session.id)).session)
  expect(plan.turn?.snapshot).toMatchObject({ files: ['dir/b.txt'], added: 1 })
  expect(plan.turn).toEqual(turns[1])
  const message = await app.planFork({ address: `${session.id}@m:${turns[1]?.lastMessageId}` })
  expect(message.turn).toEqual(turns[1])
})

test('every turn gives the files it left, and undo takes the fork away', async () => {
  const { session, copies } = await fiveTurns()
  put('later.txt', 'not of any turn')
  const app = sandbox.app({ cwd: repo })
  const status = sandbox.git(repo, 'status', '--porcelain=v2')
  for (const number of [1, 2, 3, 4, 5]) {
    const plan = await app.planFork({ address: session.id, at: String(number) })
    expect(plan.code).toMatchObject({ mode: 'turn', from: { kind: 'snapshot', turnNumber: number, moment: 'end' } })
    expect(plan).toMatchObject({ keptTurns: number, confirm: [], blockers: [] })
    expect(warningsOf(plan)).toEqual([])
    expect(plan.steps[0]).toContain(`as turn ${number} left it`)
    const { fork, proof } = await app.executeFork(plan)
    const path = fork.workspace?.path ?? ''
    expect(copyOf(path)).toEqual(copies[number])
    expect(proof).toMatchObject({ sourceUnchanged: true, prefixVerified: true, cwdVerified: true })
    expect(proof.details.join()).toContain(`tree ${plan.code.from?.tree}`)
    const gitDir = sandbox.git(path, 'rev-parse', '--absolute-git-dir').trim()
    expect(await readMarker(gitDir)).toMatchObject({ agent: 'claude', sessionId: fork.sessionId, keptTurns: number, push: null })
    expect(await app.undo(fork.id)).toMatchObject({ undone: true, kept: [] })
    expect(existsSync(path)).toBe(false)
  }
  expect(sandbox.git(repo, 'status', '--porcelain=v2')).toBe(status)
  expect(sandbox.git(repo, 'branch', '--list', 'offshoot/*')).toBe('')
}, 60_000)

test("a seed's record names the work tree the code was captured in", async () => {
  const { session } = await fiveTurns()
  const app = sandbox.app({ cwd: repo, agents: [seededClaude([])] })
  const { plan } = await app.fork({ address: session.id, at: '2', strategy: 'seed', code: 'turn' })
  expect(plan.code.mode).toBe('turn')
  const db = new Sqlite(join(sandbox.offshootHome, 'offshoot.db'), { readonly: true })
  const rows = db.prepare('SELECT parent_workspace FROM fork_seeds').all()
  db.close()
  expect(rows).toEqual([{ parent_workspace: repo }])
})

test('--before takes what the turn found, --code-at another turn, 0 the state before the first prompt', async () => {
  const { session, copies, found } = await fiveTurns()
  const app = sandbox.app({ cwd: repo })
  const fill = async (request: object) => {
    const { fork, plan } = await app.fork({ address: session.id, ...request })
    return { files: copyOf(fork.workspace?.path ?? ''), plan }
  }
  const before = await fill({ before: '2' })
  expect(before.files).toEqual(found[1])
  expect(before.files).not.toEqual(copies[1])
  expect(before.plan).toMatchObject({
    keptTurns: 1,
    pendingPrompt: 'prompt 2',
    code: { from: { moment: 'start', turnNumber: 2 } },
  })
  const same = await fill({ before: '4' })
  expect(same.files).toEqual(copies[3])
  const other = await fill({ at: '5', codeAt: '2' })
  expect(other.files).toEqual(copies[2])
  expect(other.plan).toMatchObject({ keptTurns: 5, code: { mode: 'turn', from: { turnNumber: 2 } } })
  const zero = await fill({ at: '1', codeAt: '0' })
  expect(zero.files).toEqual(copies[0])
  expect(zero.plan.code.from).toMatchObject({ turnId: null, turnNumber: 0, kind: 'snapshot' })
}, 60_000)

test('staged, changed and untracked come back each as such; what differs is on the plan', async () => {
  put('a.txt', 'a')
  put('b.txt', 'b')
  sandbox.git(repo, 'add', '-A')
  sandbox.git(repo, 'commit', '-qm', 'files')
  const session = hookedSession(sandbox.projects, repo)
  let status = ''
  await turn(session, 'go', () => {
    put('a.txt', 'staged')
    sandbox.git(repo, 'add', 'a.txt')
    put('b.txt', 'changed')
    put('new.txt', 'new')
    put('big.bin', 'x'.repeat(2000))
    status = sandbox.git(repo, 'status', '--porcelain').replace('?? big.bin\n', '')
  })
  sandbox.git(repo, 'reset', '-q', '--hard')
  sandbox.git(repo, 'commit', '-q', '--allow-empty', '-m', 'later')
  const app = sandbox.app({ cwd: repo })
  const plan = await app.planFork({ address: session.id })
  expect(plan.code).toMatchObject({
    dirtyFiles: ['a.txt', 'b.txt'],
    untracked: ['new.txt'],
    leftBehind: ['big.bin'],
    commit: sandbox.git(repo, 'rev-parse', 'HEAD~1').trim(),
  })
  expect(warningsOf(plan)).toMatchObject([{ code: 'left_behind', message: expect.stringContaining('big.bin (too large)') }])
  const { fork } = await app.executeFork(plan)
  expect(sandbox.git(fork.workspace?.path ?? '', 'status', '--porcelain')).toBe(status)
})

test('the plan of a captured turn lists the same files as git status did', async () => {
  for (const name of ['reset.txt', 'unstaged.txt', 'untracked-again.txt', 'deleted.txt', 'same.txt']) put(name, name)
  sandbox.git(repo, 'add', '-A')
  sandbox.git(repo, 'commit', '-qm', 'files')
  const session = hookedSession(sandbox.projects, repo)
  await tell(session.prompt('go'))
  session.writePrompt()
  for (const name of ['staged-new.txt', 'staged-then-deleted.txt', 'announced.txt']) put(name, name)
  put('reset.txt', 'staged')
  sandbox.git(repo, 'add', 'staged-new.txt', 'staged-then-deleted.txt', 'reset.txt')
  sandbox.git(repo, 'add', '--intent-to-add', 'announced.txt')
  sandbox.git(repo, 'rm', '-q', '--cached', 'untracked-again.txt')
  put('reset.txt', 'reset.txt')
  put('unstaged.txt', 'changed')
  put('new.txt', 'new')
  for (const name of ['staged-then-deleted.txt', 'deleted.txt']) rmSync(join(repo, name))
  session.writeAnswer()
  const app = sandbox.app({ cwd: repo })
  const now = (await app.planFork({ address: session.id, code: 'now' })).code
  await tell(session.stop())
  const { code } = await sandbox.app({ cwd: repo }).planFork({ address: session.id, code: 'turn' })
  expect(code.dirtyFiles).toContain('staged-new.txt')
  expect(code.untracked).toEqual(['new.txt', 'untracked-again.txt'])
  expect({ dirty: code.dirtyFiles, untracked: code.untracked }).toEqual({ dirty: now.dirtyFiles, untracked: now.untracked })
})

test('before the first commit, the plan of a captured turn lists staged and untracked files', async () => {
  const fresh = join(sandbox.root, 'fresh')
  mkdirSync(fresh)
  sandbox.git(fresh, 'init', '-q')
  const session = hookedSession(sandbox.projects, fresh)
  await turn(session, 'go', () => {
    put('staged.txt', 'staged', fresh)
    sandbox.git(fresh, 'add', 'staged.txt')
    put('new.txt', 'new', fresh)
  })
  const { code } = await sandbox.app({ cwd: fresh }).planFork({ address: session.id, code: 'turn' })
  expect(code).toMatchObject({ commit: null, dirtyFiles: ['staged.txt'], untracked: ['new.txt'] })
})

test('a turn that ended without a word says that its code is of a little later', async () => {
  const session = hookedSession(sandbox.projects, repo)
  await tell(session.prompt('interrupted'))
  session.writePrompt()
  put('a.txt', 'half')
  session.writeAnswer()
  put('b.txt', 'by hand')
  await turn(session, 'next', () => put('c.txt', 'c'))
  const plan = await sandbox.app({ cwd: repo }).planFork({ address: session.id, at: '1' })
  expect(plan.code.from?.kind).toBe('late')
  expect(warningsOf(plan)).toMatchObject([{ code: 'code_late' }])
  expect(plan.confirm).toEqual([])
})

describe('only the repository has to be there', () => {
  test('the work tree it was taken of is gone', async () => {
    const other = join(sandbox.root, 'other')
    sandbox.git(repo, 'worktree', 'add', '-q', '-b', 'side', other)
    mkdirSync(join(other, 'packages'))
    const session = hookedSession(sandbox.projects, join(other, 'packages'))
    await turn(session, 'go', () => put('packages/x.txt', 'x', other))
    const app = sandbox.app({ cwd: sandbox.root })
    await app.listSessions()
    sandbox.git(repo, 'worktree', 'remove', '--force', other)
    const { fork, plan } = await app.fork({ address: session.id })
    expect(plan.code.mode).toBe('turn')
    const path = fork.workspace?.path ?? ''
    expect(readFileSync(join(path, 'packages', 'x.txt'), 'utf8')).toBe('x')
    expect(fork.command.cwd).toBe(join(path, 'packages'))
  })

  test('the commit was rewritten and pruned: the files come all the same', async () => {
    put('a.txt', 'a')
    sandbox.git(repo, 'add', '-A')
    sandbox.git(repo, 'commit', '-qm', 'soon gone')
    const session = hookedSession(sandbox.projects, repo)
    await turn(session, 'go', () => put('b.txt', 'b'))
    sandbox.git(repo, 'reset', '-q', '--hard', 'HEAD~1')
    sandbox.git(repo, 'reflog', 'expire', '--expire=now', '--all')
    sandbox.git(repo, 'gc', '-q', '--prune=now')
    const { fork, plan } = await sandbox.app({ cwd: repo }).fork({ address: session.id })
    expect(warningsOf(plan)).toMatchObject([{ code: 'workspace', message: expect.stringContaining('is gone') }])
    expect(Object.keys(copyOf(fork.workspace?.path ?? '')).sort()).toEqual(['a.txt', 'b.txt'])
  })
})

test('a fork of a fork finds the code of the turns it inherited', async () => {
  const { session, copies } = await fiveTurns()
  const app = sandbox.app({ cwd: repo })
  const first = await app.fork({ address: session.id, at: '3' })
  const second = await app.fork({ address: first.fork.sessionId, at: '2' })
  expect(second.plan.code.from).toMatchObject({ kind: 'snapshot', turnNumber: 2 })
  expect(copyOf(second.fork.workspace?.path ?? '')).toEqual(copies[2])
  expect(second.fork.command.cwd).toBe(second.fork.workspace?.path)
}, 30_000)

test('what fails on the way leaves nothing, and the snapshots stay', async () => {
  const session = hookedSession(sandbox.projects, repo)
  await turn(session, 'go', () => put('a.txt', 'a'))
  // What the transcript told only later is added to a snapshot when it is first asked for.
  await sandbox.app({ cwd: repo }).planFork({ address: session.id })
  const refs = sandbox.git(repo, 'for-each-ref')
  const onForkStep = (moment: string) => {
    if (moment === 'session begun') throw new Error('cut off here')
  }
  await expect(sandbox.app({ cwd: repo, onForkStep }).fork({ address: session.id })).rejects.toThrow('cut off here')
  const app = sandbox.app({ cwd: repo })
  expect(await app.listForks()).toEqual([])
  expect(existsSync(join(sandbox.offshootHome, 'worktrees', 'repo'))).toBe(false)
  expect(sandbox.git(repo, 'for-each-ref')).toBe(refs)
  expect((await app.fork({ address: session.id })).plan.code.from?.kind).toBe('snapshot')
})

test('a plan whose snapshot was removed is stale; planned again it offers the next best', async () => {
  const { session } = await fiveTurns()
  const app = sandbox.app({ cwd: repo })
  const plan = await app.planFork({ address: session.id, at: '2' })
  for (const line of sandbox.git(repo, 'for-each-ref', '--format=%(refname)', 'refs/offshoot').trim().split('\n')) {
    sandbox.git(repo, 'update-ref', '-d', line)
  }
  sandbox.git(repo, 'gc', '-q', '--prune=now')
  await expect(app.executeFork(plan)).rejects.toMatchObject({ code: 'plan_stale' })
  expect(await app.listForks()).toEqual([])
  const again = await app.planFork({ address: session.id, at: '2' })
  // The commit made by hand has the very tree of the turn; whether it counts is a matter of whole seconds.
  expect(['reconstructed', 'nearest_commit']).toContain(again.code.from?.kind)
})

test('a turn that was not captured is put together from the snapshot before it', async () => {
  const session = hookedSession(sandbox.projects, repo)
  put('untracked-before.txt', 'was here')
  await turn(session, 'one', () => put('a.txt', '1'))
  session.prompt('not told to any hook')
  session.writePrompt()
  session.writeAnswer()
  const app = sandbox.app({ cwd: repo })
  const plan = await app.planFork({ address: session.id, at: '2', code: 'turn' })
  expect(plan.code.from).toMatchObject({ kind: 'reconstructed', turnNumber: 2 })
  const { fork } = await app.executeFork(plan)
  expect(Object.keys(copyOf(fork.workspace?.path ?? '')).sort()).toEqual(['a.txt', 'untracked-before.txt'])
  expect((await app.planFork({ address: session.id, at: '2' })).code.mode).toBe('now')
})
