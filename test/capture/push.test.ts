// The branch of a workspace gets to its remote after each turn, where that was asked for: in the background, again after a
// failure, never with force and never with a question.
import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { afterCapture } from '../../src/capture/after.ts'
import { checkCaptures } from '../../src/capture/checks.ts'
import type { CaptureContext } from '../../src/capture/context.ts'
import { ingest } from '../../src/capture/ingest.ts'
import { pushDue, pushStates, waitAfter } from '../../src/capture/push.ts'
import { watchCaptures } from '../../src/capture/watcher.ts'
import { writeMarker } from '../../src/snapshots/workspace-marker.ts'
import { bin } from '../cli/run-cli.ts'
import { createSandbox, type Sandbox } from '../fork/sandbox.ts'
import { captureContext } from './capture.ts'
import { type HookedSession, hookedSession, type Payload, playTurn } from './session.ts'
import { tellHere } from './tell.ts'

const branch = 'offshoot/session/abcd2345'
let sandbox: Sandbox
let repo: string
let space: string
let remote: string
let session: HookedSession
let context: CaptureContext
let clock: number
beforeEach(async () => {
  sandbox = createSandbox()
  repo = sandbox.repository('repo')
  space = join(sandbox.root, 'space')
  remote = join(sandbox.root, 'remote.git')
  clock = Date.now()
  sandbox.git(sandbox.root, 'init', '-q', '--bare', remote)
  sandbox.git(repo, 'remote', 'add', 'origin', remote)
  sandbox.git(repo, 'worktree', 'add', '-q', '-b', branch, space)
  const marker = { version: 1 as const, id: 'abcd2345', branch, agent: 'claude' as const, sessionId: null, keptTurns: 0 }
  await writeMarker(join(repo, '.git', 'worktrees', 'space'), { ...marker, push: 'origin' })
  session = hookedSession(sandbox.projects, space)
  context = captureContext(sandbox, () => clock++)
  const row = { id: 'abcd2345', path: space, branch, baseCommit: null, commonDir: join(repo, '.git'), made: null }
  context.store().workspaces.put({ ...row, createdAt: 1, removedAt: null })
})
afterEach(() => sandbox.close())

const tell = (payload: Payload) => tellHere(sandbox.offshootHome, payload)
const turn = (text: string) => playTurn(tell, session, text, () => writeFileSync(join(space, 'a'), text))

const tip = (place: string) => sandbox.git(place, 'rev-parse', `refs/heads/${branch}`).trim()
const follow = () => afterCapture(context, { stayMs: 0 })

/** What a person or a program sees of it in the list of sessions. */
function listedPushes(): unknown {
  const env = { PATH: process.env.PATH, HOME: sandbox.home, OFFSHOOT_HOME: sandbox.offshootHome }
  const printed = execFileSync(process.execPath, [bin, 'sessions', '--all', '--json'], { env, encoding: 'utf8' })
  return (JSON.parse(printed) as { pushes?: unknown }).pushes
}

describe('a branch that is to be pushed', () => {
  test('is, after each turn', async () => {
    await turn('one')
    expect(await follow()).toMatchObject({ problems: [] })
    expect(tip(remote)).toBe(tip(repo))
    await turn('two')
    await follow()
    expect(tip(remote)).toBe(tip(repo))
    expect(sandbox.git(remote, 'log', '--format=%s', branch)).toMatch(/^turn 2: two\nturn 1: one\n/)
    expect(pushStates(context)).toMatchObject([{ branch, remote: 'origin', pushedCommit: tip(repo), attempts: 0, problem: null }])
  })

  test('is tried again later and later, and doctor tells', async () => {
    sandbox.git(repo, 'remote', 'set-url', 'origin', join(sandbox.root, 'nowhere.git'))
    await turn('one')
    await follow()
    expect(pushStates(context)).toMatchObject([
      { attempts: 1, pushedCommit: null, problem: expect.stringContaining('nowhere.git') },
    ])
    await follow()
    expect(pushStates(context)[0]?.attempts).toBe(1)
    clock += waitAfter(1)
    await follow()
    expect(pushStates(context)[0]?.attempts).toBe(2)
    const checks = (await sandbox.app().doctor()).filter(({ id }) => id === 'push')
    expect(checks).toMatchObject([{ state: 'warn', message: expect.stringContaining(branch) }])
    expect(listedPushes()).toMatchObject([
      { branch, remote: 'origin', attempts: 2, pushed_commit: null, problem: expect.stringContaining('nowhere.git') },
    ])
    sandbox.git(repo, 'remote', 'set-url', 'origin', remote)
    clock += waitAfter(2)
    await follow()
    expect(tip(remote)).toBe(tip(repo))
    expect(pushStates(context)).toMatchObject([{ attempts: 0, problem: null, nextAt: null }])
  })

  test('is tried with the next turn, however long the pause after the last failure is', async () => {
    sandbox.git(repo, 'remote', 'set-url', 'origin', join(sandbox.root, 'nowhere.git'))
    await turn('one')
    for (let tries = 1; tries <= 5; tries += 1) {
      await follow()
      clock += waitAfter(tries)
    }
    await follow()
    sandbox.git(repo, 'remote', 'set-url', 'origin', remote)
    await follow()
    expect(pushStates(context)).toMatchObject([{ attempts: 6 }])
    await turn('two')
    await follow()
    expect(tip(remote)).toBe(tip(repo))
  })

  test('keeps nobody busy where its workspace is gone, or the branch is back at what was pushed', async () => {
    await turn('one')
    await follow()
    const pushed = tip(repo)
    sandbox.git(repo, 'remote', 'set-url', 'origin', join(sandbox.root, 'nowhere.git'))
    await turn('two')
    await follow()
    sandbox.git(space, 'reset', '-q', '--hard', pushed)
    clock += waitAfter(1)
    await afterCapture(context)
    expect(pushStates(context)).toMatchObject([{ pushedCommit: pushed, problem: null, nextAt: null }])
    await turn('three')
    await follow()
    rmSync(space, { recursive: true })
    clock += waitAfter(1)
    await afterCapture(context)
    expect(pushStates(context)).toMatchObject([{ pushedCommit: pushed, problem: null, nextAt: null }])
  })

  test('shows that it waits when whoever pushes was cut off, and is pushed by who watches', async () => {
    await turn('one')
    await sandbox.app().listSessions()
    await ingest(context)
    expect(pushStates(context)).toMatchObject([{ pushedCommit: null, problem: null, nextAt: expect.any(Number) }])
    const checks = async (now: number) => (await checkCaptures({ ...context, now: () => now })).filter(({ id }) => id === 'push')
    expect(await checks(clock)).toEqual([])
    expect(await checks(clock + 600_000)).toMatchObject([{ state: 'warn', message: expect.stringMatching(`${branch} waits`) }])
    const watching = await watchCaptures(context, { pushEveryMs: 20 })
    await expect.poll(() => pushStates(context)[0]?.pushedCommit, { timeout: 20_000 }).toBe(tip(repo))
    await watching.close()
    expect(tip(remote)).toBe(tip(repo))
  })

  test('a remote that says nothing does not hold whoever watches and wants to leave', async () => {
    const server = createServer()
    const asked = new Promise<unknown>((resolve) => server.on('connection', resolve))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const address = server.address()
    sandbox.git(repo, 'remote', 'set-url', 'origin', `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/x.git`)
    await turn('one')
    await ingest(context)
    const watching = await watchCaptures(context, { pushEveryMs: 20 })
    await asked
    await watching.close()
    server.close()
    // Not a failure: it was we who left.
    expect(pushStates(context)).toMatchObject([{ attempts: 0, problem: null, nextAt: expect.any(Number) }])
  })

  test('a remote that says nothing holds up no other, nor a turn that ends meanwhile', async () => {
    const sockets: Socket[] = []
    const server = createServer((socket) => sockets.push(socket))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const address = server.address()
    const hung = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/x.git`
    sandbox.git(repo, 'remote', 'add', 'hung', hung)
    for (const id of ['aaaa2345', 'aaab2345', 'aaac2345']) {
      const other = { id, path: join(sandbox.root, id), branch: `offshoot/session/${id}`, baseCommit: null }
      sandbox.git(repo, 'worktree', 'add', '-q', '-b', other.branch, other.path)
      context.store().workspaces.put({ ...other, commonDir: join(repo, '.git'), made: null, createdAt: 1, removedAt: null })
      const waits = { workspaceId: id, remote: 'hung', pushedCommit: null, attempts: 0, problem: null }
      context.store().pushes.put({ ...waits, nextAt: clock, updatedAt: clock })
    }
    await turn('one')
    await ingest(context)
    const pushing = pushDue(context)
    const pushed = () => pushStates(context).find(({ remote }) => remote === 'origin')?.pushedCommit
    await expect.poll(pushed, { timeout: 20_000 }).toBe(tip(repo))
    await turn('two')
    await ingest(context)
    await expect.poll(pushed, { timeout: 20_000 }).toBe(tip(repo))
    expect(sandbox.git(remote, 'log', '--format=%s', '-1', branch)).toBe('turn 2: two\n')
    expect(sockets).toHaveLength(1)
    server.close()
    for (const socket of sockets) socket.destroy()
    await pushing
    expect(pushStates(context).map(({ attempts }) => attempts)).toEqual([1, 1, 1, 0])
  })

  test('runs no hook of the person, and has Git LFS send its files first', async () => {
    const ran = join(sandbox.root, 'ran')
    writeFileSync(ran, '')
    const tool = (name: string, does: string) => writeFileSync(name, `#!/bin/sh\necho "${does}" >> ${ran}\n`, { mode: 0o755 })
    mkdirSync(join(sandbox.root, 'bin'))
    tool(join(repo, '.git', 'hooks', 'pre-push'), 'hook')
    tool(join(sandbox.root, 'bin', 'git-lfs'), 'lfs $*')
    const vars = { ...context.env.vars, PATH: `${join(sandbox.root, 'bin')}:${process.env.PATH}` }
    context = { ...context, env: { ...context.env, vars } }
    await turn('one')
    await follow()
    expect(readFileSync(ran, 'utf8')).toBe('')
    await playTurn(tell, session, 'two', () => writeFileSync(join(space, '.gitattributes'), '*.bin filter=lfs -text\n'))
    await follow()
    expect(readFileSync(ran, 'utf8')).toBe(`lfs push origin refs/heads/${branch}\n`)
    expect(tip(remote)).toBe(tip(repo))
  })

  test('is not forced on a remote that went elsewhere', async () => {
    await turn('one')
    await follow()
    const other = sandbox.git(remote, 'commit-tree', `${branch}^{tree}`, '-m', 'other').trim()
    sandbox.git(remote, 'update-ref', `refs/heads/${branch}`, other)
    await turn('two')
    await follow()
    expect(tip(remote)).toBe(other)
    expect(pushStates(context)[0]?.problem).toMatch(/\(fetch first\)/)
  })

  test('says why the remote would not have it, and is tried at once when somebody asks, also while another rests', async () => {
    const hook = join(remote, 'hooks', 'pre-receive')
    writeFileSync(hook, '#!/bin/sh\necho "not on a Sunday" >&2\nexit 1\n', { mode: 0o755 })
    await turn('one')
    const resting = afterCapture(context)
    await expect
      .poll(() => pushStates(context)[0]?.problem, { timeout: 20_000 })
      .toMatch(/\(pre-receive hook declined\): not on a Sunday/)
    rmSync(hook)
    await afterCapture(context, { stayMs: 0, pushNow: true })
    expect(tip(remote)).toBe(tip(repo))
    await resting
  })

  test('asks nobody for a password: no askpass program, ssh in batch mode', async () => {
    const asked = join(sandbox.root, 'asked')
    const bin = join(sandbox.root, 'bin')
    mkdirSync(bin)
    for (const name of ['askpass', 'ssh']) {
      writeFileSync(
        join(bin, name),
        `#!/bin/sh\necho "${name} $*" >> ${asked}\necho "Permission denied (publickey)." >&2\nexit 255\n`,
      )
      chmodSync(join(bin, name), 0o755)
    }
    writeFileSync(asked, '')
    const vars = {
      ...context.env.vars,
      PATH: `${bin}:${process.env.PATH}`,
      SSH_ASKPASS: join(bin, 'askpass'),
      GIT_ASKPASS: join(bin, 'askpass'),
    }
    context = { ...context, env: { ...context.env, vars } }
    const server = createServer((socket) => {
      socket.end(
        'HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Basic realm="x"\r\nContent-Length: 0\r\nConnection: close\r\n\r\n',
      )
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const address = server.address()
    const port = typeof address === 'object' ? address?.port : 0
    sandbox.git(repo, 'remote', 'set-url', 'origin', `http://someone:secret@127.0.0.1:${port}/x.git`)
    await turn('one')
    await follow()
    expect(pushStates(context)[0]?.problem).toBeTruthy()
    expect(pushStates(context)[0]?.problem).not.toContain('secret')
    sandbox.git(repo, 'remote', 'set-url', 'origin', 'git@example.invalid:x.git')
    clock += waitAfter(1)
    await pushDue(context)
    server.close()
    expect(pushStates(context)[0]?.problem).toMatch(/: Permission denied \(publickey\)\.$/)
    expect(readFileSync(asked, 'utf8')).toMatch(/^ssh .*-oBatchMode=yes/)
    expect(readFileSync(asked, 'utf8')).not.toContain('askpass')
  })
})

test('nothing is pushed where nobody asked for it', async () => {
  const marker = { version: 1 as const, id: 'abcd2345', branch, agent: 'claude' as const, sessionId: null, keptTurns: 0 }
  await writeMarker(join(repo, '.git', 'worktrees', 'space'), { ...marker, push: null })
  await turn('one')
  await follow()
  expect(sandbox.git(remote, 'for-each-ref')).toBe('')
  expect(pushStates(context)).toEqual([])
})
