// The hook program as agents run it: silent, always 0, over in time, whatever it is told and wherever it runs.
import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { readHookLog } from '../../src/capture/hook-log.ts'
import { listSnapshots } from '../../src/snapshots/read-snapshot.ts'
import { takeLock } from '../../src/store/lock.ts'
import { createSandbox, type Sandbox } from '../fork/sandbox.ts'
import { testGit } from '../git/scratch.ts'
import { type HookCall, type HookRun, runHookProcess } from './hook-process.ts'
import { type HookedSession, hookedSession } from './session.ts'
import { tellHere } from './tell.ts'

let sandbox: Sandbox
let repo: string
let session: HookedSession
beforeEach(() => {
  sandbox = createSandbox()
  repo = sandbox.repository('repo')
  session = hookedSession(sandbox.projects, repo)
})
afterEach(() => sandbox.close())

const env = () => ({ PATH: process.env.PATH, HOME: sandbox.home, OFFSHOOT_HOME: sandbox.offshootHome })
const write = (text: string) => writeFileSync(join(repo, 'a'), text)
const log = () => readHookLog(sandbox.offshootHome)
/** What follows a capture has ended: it lets go of this at last. */
const isOver = () => {
  const lock = takeLock(join(sandbox.offshootHome, 'captures', 'push.lock'), 0)
  lock?.release()
  return lock !== null
}
const silent = { stdout: '', stderr: '', status: 0, signal: null }

const run = (payload: unknown, more: Partial<HookCall> = {}): Promise<HookRun> =>
  runHookProcess({ cwd: repo, env: env(), payload, ...more })

async function captured(file = 'a'): Promise<string[]> {
  const all = await listSnapshots(testGit(), join(repo, '.git'))
  const read = (tree: string) =>
    sandbox.git(repo, 'ls-tree', tree, file) === '' ? null : sandbox.git(repo, 'cat-file', '-p', `${tree}:${file}`)
  return all.map(({ tree, meta }) => `${meta.prompt} ${meta.moment} ${read(tree)}`).sort()
}

/** A turn told of by the program itself. */
async function turn(prompt: string, more: Partial<HookCall> = {}): Promise<void> {
  expect(await run(session.prompt(prompt), more)).toEqual(silent)
  write(prompt)
  expect(await run(session.stop(), more)).toEqual(silent)
}

describe('a turn', () => {
  test('is captured and taken up by what follows, without anyone asking', async () => {
    await run(session.prompt('one'))
    session.writePrompt()
    write('1')
    session.writeAnswer()
    expect(await run(session.stop(), { whole: true })).toEqual(silent)
    const app = sandbox.app({ cwd: repo })
    // What follows the capture runs by itself: nothing here takes the notes up.
    await expect.poll(() => app.captureStatus(), { timeout: 30_000, interval: 100 }).toMatchObject({ captures: 2, waiting: 0 })
    const archived = () => existsSync(join(sandbox.offshootHome, 'archive', 'claude', session.id, 'manifest.json'))
    await expect.poll(archived, { timeout: 30_000, interval: 100 }).toBe(true)
    await expect.poll(isOver, { timeout: 30_000, interval: 100 }).toBe(true)
  })

  test('of our own processes is none', async () => {
    expect(await run(session.prompt('one'), { env: { ...env(), OFFSHOOT_INTERNAL: '1' }, whole: true })).toEqual(silent)
    expect(existsSync(sandbox.offshootHome)).toBe(false)
  })

  test('is not captured where that is switched off', async () => {
    mkdirSync(sandbox.offshootHome)
    writeFileSync(join(sandbox.offshootHome, 'config.toml'), '[snapshots]\nenabled = false\n')
    await turn('one')
    expect(await captured()).toEqual([])
  })

  test('leaves out large files, as the settings say, also when those have a fault', async () => {
    mkdirSync(sandbox.offshootHome)
    writeFileSync(join(sandbox.offshootHome, 'config.toml'), '[snapshots]\nmax_file_mb = 1\n')
    writeFileSync(join(repo, 'big'), 'x'.repeat(2 << 20))
    await turn('one')
    const [end] = (await listSnapshots(testGit(), join(repo, '.git'))).filter(({ meta }) => meta.moment === 'end')
    expect(end?.meta.notCovered).toEqual([{ path: 'big', reason: 'too_large' }])
    writeFileSync(join(sandbox.offshootHome, 'config.toml'), '[snapshots\n')
    await turn('two')
    expect(await captured()).toContain('two end two')
    expect(log().at(-1)?.problem).toContain('config.toml')
  })

  test('is captured by a notification, which brings its payload as an argument', async () => {
    write('x')
    const payload = { type: 'agent-turn-complete', 'thread-id': 't', 'turn-id': 'u', cwd: repo, 'input-messages': ['one'] }
    expect(await run('', { agent: 'codex', args: [JSON.stringify(payload)] })).toEqual(silent)
    expect(await captured()).toEqual(['one end x'])
  })
})

test('hooks of one session at once, as of the user and of the project: each waits for the other', async () => {
  const prompt = session.prompt('one')
  expect(await Promise.all([run(prompt), run(prompt), run(prompt)])).toEqual([silent, silent, silent])
  write('1')
  expect(await Promise.all([run(session.stop()), run(session.stop()), run(session.end())])).toEqual([silent, silent, silent])
  expect(await captured()).toEqual(['one end 1', 'one start null'])
  expect(log().filter(({ problem }) => problem !== undefined)).toEqual([])
})

describe('whatever it is told', () => {
  test.each<[string, unknown]>([
    ['nothing', ''],
    ['not JSON', 'hello {'],
    ['no object', '[1,2]'],
    ['null', 'null'],
    ['bytes', Buffer.from([0xff, 0xfe, 0x00, 0x80])],
    ['deep JSON', '['.repeat(100_000)],
    ['an event that is not ours', { hook_event_name: 'PreToolUse', session_id: 'a', cwd: '/' }],
    ['fields of other types', { hook_event_name: 'Stop', session_id: 7, cwd: [], prompt_id: {} }],
    ['ids that are paths', { hook_event_name: 'Stop', session_id: '../../../etc', cwd: '/', prompt_id: 'a/../b' }],
    ['a folder with a zero in it', { hook_event_name: 'Stop', session_id: 'a', cwd: '/tmp\0x', prompt_id: 'b' }],
  ])('%s: it says nothing and ends well', async (_, payload) => {
    expect(await run(payload, { whole: true })).toEqual(silent)
  })

  test('an agent nobody knows, or none', async () => {
    expect(await run(session.stop(), { agent: 'emacs' })).toEqual(silent)
    expect(await run(session.stop(), { agent: '' })).toEqual(silent)
    expect(log().map(({ problem }) => problem)).toEqual(['called without an agent', 'called without an agent'])
  })

  test('50 MB: the turn is captured', async () => {
    write('x')
    const payload = { ...session.prompt('long'), prompt: `long\n${'y'.repeat(50 << 20)}` }
    expect(await run(payload)).toEqual(silent)
    expect(await captured()).toEqual(['long start x'])
  })

  test('more than it reads: it reads to the end and says so in its log', async () => {
    expect(await run(Buffer.alloc(65 << 20, 'x'))).toEqual(silent)
    expect(log().at(-1)?.problem).toMatch(/more than \d+ bytes/)
  })

  test('no end of it: it gives up when its time is over', async () => {
    const result = await run(null, { limitMs: 300 })
    expect(result).toEqual(silent)
    expect(log().at(-1)?.problem).toBe('gave up after 300 ms')
  })

  test('nothing of what was said gets into its log', async () => {
    await run({ ...session.prompt('the secret words'), cwd: '/no/such/folder' })
    await run('the secret words')
    await turn('the secret words')
    expect(readFileSync(join(sandbox.offshootHome, 'logs', 'hook.log'), 'utf8')).not.toContain('secret words')
    expect(log().length).toBeGreaterThan(2)
  })
})

describe('wherever it runs', () => {
  test('a home that cannot be written', async () => {
    writeFileSync(sandbox.offshootHome, 'a file, not a folder')
    expect(await run(session.prompt('one'))).toEqual(silent)
    rmSync(sandbox.offshootHome)
    await turn('two')
    expect(await captured()).toContain('two end two')
  })

  test('index.lock, a merge or a rebase of the person: captured, and theirs is as it was', async () => {
    write('base')
    sandbox.git(repo, 'add', '-A')
    sandbox.git(repo, 'commit', '-qm', 'base')
    sandbox.git(repo, 'checkout', '-qb', 'side')
    write('side')
    sandbox.git(repo, 'commit', '-qam', 'side')
    sandbox.git(repo, 'checkout', '-q', 'main')
    write('main')
    sandbox.git(repo, 'commit', '-qam', 'main')
    expect(() => sandbox.git(repo, 'rebase', 'side')).toThrow()
    writeFileSync(join(repo, '.git', 'index.lock'), '')
    const own = () => ['index', 'HEAD', 'rebase-merge/onto'].map((name) => readFileSync(join(repo, '.git', name), 'latin1'))
    const before = own()
    await turn('one')
    expect(own()).toEqual(before)
    expect(existsSync(join(repo, '.git', 'index.lock'))).toBe(true)
    expect(await captured()).toContain('one end one')
    rmSync(join(repo, '.git', 'index.lock'))
    sandbox.git(repo, 'rebase', '--abort')
    expect(sandbox.git(repo, 'fsck', '--strict', '--no-dangling')).toBe('')
  })

  test('a folder that was removed under it', async () => {
    const doomed = join(repo, 'doomed')
    mkdirSync(doomed)
    write('x')
    const through = ['sh', '-c', `cd '${doomed}' && rmdir '${doomed}' && exec "$@"`, 'sh']
    const payload = { ...session.prompt('one'), cwd: doomed }
    expect(await run(payload, { whole: true, through, env: { ...env(), CLAUDE_PROJECT_DIR: repo } })).toEqual(silent)
    expect(await captured()).toEqual(['one start x'])
  })

  test('no git at all: the turn is lost, the agent is not', async () => {
    expect(await run(session.prompt('one'), { env: { ...env(), PATH: '/nowhere' } })).toEqual(silent)
    expect(log().at(-1)?.problem).toContain('git is not installed')
  })

  test('a git that hangs is ended with all it started', async () => {
    const bin = join(sandbox.root, 'bin')
    mkdirSync(bin)
    writeFileSync(join(bin, 'git'), `#!/bin/sh\necho $$ >> ${sandbox.root}/pids\nexec sleep 600\n`)
    chmodSync(join(bin, 'git'), 0o755)
    // On a busy machine its time may be over before it has come to ask git: then it gets more.
    for (let limitMs = 800; !existsSync(join(sandbox.root, 'pids')) && limitMs < 30_000; limitMs *= 2) {
      const result = await run(session.prompt('one'), { env: { ...env(), PATH: `${bin}:${process.env.PATH}` }, limitMs })
      expect(result).toMatchObject({ status: 0, stderr: '' })
      expect(log().at(-1)?.problem).toBe(`gave up after ${limitMs} ms`)
    }
    const pids = readFileSync(join(sandbox.root, 'pids'), 'utf8').trim().split('\n').filter(Boolean).map(Number)
    expect(pids.length).toBeGreaterThan(0)
    for (const pid of pids) await expect.poll(() => isRunning(pid), { timeout: 10_000 }).toBe(false)
    await turn('two')
    expect(await captured()).toContain('two end two')
  })
})

const mount = ['-m', '-rm'].find((each) => spawnSync('unshare', [each, 'mount', '-t', 'tmpfs', 'none', '/mnt']).status === 0)

describe.runIf(mount !== undefined)('on disks that cannot be written', () => {
  /** The hook in a world where `setup` has been done to the mounts. */
  const within = (setup: string): Partial<HookCall> => ({
    through: ['unshare', mount ?? '', 'sh', '-c', `${setup} && exec "$@"`, 'sh'],
  })

  test('a read-only .git: nothing is captured, and the next turn is', async () => {
    write('0')
    await tellHere(sandbox.offshootHome, session.prompt('one'))
    write('1')
    const readOnly = within(`mount --bind '${repo}/.git' '${repo}/.git' && mount -o remount,bind,ro '${repo}/.git'`)
    expect(await run(session.stop(), readOnly)).toEqual(silent)
    expect(log().at(-1)?.problem).toMatch(/read-only|unable to|insufficient permission/i)
    expect(await captured()).toEqual(['one start 0'])
    await turn('two')
    expect(await captured()).toEqual(['one end 1', 'one start 0', 'two end two'])
    expect(sandbox.git(repo, 'fsck', '--strict', '--no-dangling')).toBe('')
  })

  test('a read-only .git at the prompt: its turn is captured all the same once it can be', async () => {
    await tellHere(sandbox.offshootHome, session.prompt('one'))
    const readOnly = within(`mount --bind '${repo}/.git' '${repo}/.git' && mount -o remount,bind,ro '${repo}/.git'`)
    expect(await run(session.prompt('two'), readOnly)).toEqual(silent)
    write('2')
    expect(await run(session.stop())).toEqual(silent)
    expect(await captured()).toEqual(['one start null', 'two end 2'])
  })

  test('a full disk: nothing is captured, nothing broken, and the next turn is', async () => {
    write('0')
    await tellHere(sandbox.offshootHome, session.prompt('one'))
    writeFileSync(join(repo, 'large'), Buffer.from(Array.from({ length: 900_000 }, (_, at) => (at * 7919 + (at >> 5)) & 255)))
    write('1')
    // The repository's objects on a disk of 64 kB that holds what was there before.
    const objects = `${repo}/.git/objects`
    const full = within(`mount -t tmpfs -o size=64k none /mnt && cp -a '${objects}/.' /mnt/ && mount --bind /mnt '${objects}'`)
    expect(await run(session.stop(), full)).toEqual(silent)
    expect(log().at(-1)?.problem).toBeDefined()
    await turn('two')
    expect(await captured()).toEqual(['one end 1', 'one start 0', 'two end two'])
    expect(sandbox.git(repo, 'fsck', '--strict', '--no-dangling')).toBe('')
    expect(readdirSync(join(repo, '.git', 'objects')).some((name) => name.startsWith('tmp_'))).toBe(false)
  })

  test('a full home: the snapshot stands, and is told of by the next event', async () => {
    await tellHere(sandbox.offshootHome, session.prompt('one'))
    write('1')
    const home = sandbox.offshootHome
    const full = within(
      `mount -t tmpfs -o size=128k none /mnt && cp -a '${home}/.' /mnt/ && mount --bind /mnt '${home}' && ` +
        `dd if=/dev/zero of='${home}/fill' bs=4k 2>/dev/null; true`,
    )
    expect(await run(session.stop(), full)).toEqual(silent)
    await turn('two')
    expect(await captured()).toContain('two end two')
    expect(await captured()).toContain('one end 1')
  })
})

function isRunning(pid: number): boolean {
  try {
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}
