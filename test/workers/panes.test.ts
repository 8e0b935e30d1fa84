// Sending into panes of a real tmux, against every way in which it goes wrong: nothing is sent into a question, nothing twice.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type App, createApp } from '../../src/app.ts'
import type { CatalogSession } from '../../src/model/catalog.ts'
import { AppError } from '../../src/model/error.ts'
import { renderWorker } from '../../src/model/render-worker.ts'
import { openStore } from '../../src/store/store.ts'
import { removeFolder } from '../setup/remove-folder.ts'
import { fakeAgent, installFake, type Manners, received } from './fake-agent.ts'

let root: string
let app: App
let log: string

const tmux = (...args: string[]) =>
  execFileSync('tmux', ['-S', join(root, 'tmux'), '-f', '/dev/null', ...args], { encoding: 'utf8', stdio: 'pipe' })

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'offshoot-panes-')))
  mkdirSync(join(root, 'work'))
  installFake(join(root, 'bin'))
  log = join(root, 'log')
  app = openApp()
})

afterEach(async () => {
  for (const { id } of await app.listWorkers()) await app.stopWorker(id)
  await app.shutDown()
  app.close()
  try {
    tmux('kill-server')
  } catch {
    // none was started, or it ended with its last pane
  }
  removeFolder(root)
})

function openApp(socketPath = join(root, 'tmux')): App {
  const vars = {
    PATH: `${join(root, 'bin')}:${process.env.PATH}`,
    HOME: root,
    OFFSHOOT_HOME: join(root, 'home'),
    LANG: 'C.UTF-8',
  }
  const socket = { socket: socketPath, config: '/dev/null' }
  return createApp({ home: root, vars, cwd: join(root, 'work'), now: Date.now, agents: [fakeAgent], tmux: socket })
}

const spawn = (manners: Manners, name = 'one', readyTimeoutMs = 20_000) =>
  app.spawnWorker({
    agent: 'claude',
    terminal: 'tmux',
    projectPath: join(root, 'work'),
    workspace: false,
    name,
    settings: { env: { FAKE_MANNERS: manners, FAKE_LOG: log }, readyTimeoutMs },
  })

const took = () => received(log).filter((each) => each.startsWith('TOOK'))
const pasted = () => received(log).filter((each) => each.includes('\u001b[200~'))

test('a prompt arrives once and whole', async () => {
  await spawn('good')
  const prompt = 'two lines;\n- and #(touch x) \u001b[201~ evil'
  const sent = await app.sendToWorker('one', prompt, { wait: false })
  expect(sent).toMatchObject({ delivery: 'confirmed', outcome: 'running', worker: { state: 'running' } })
  expect(took()).toEqual(['TOOK two lines;\n- and #(touch x) [201~ evil'])
  await expect(app.sendToWorker('one', 'another')).rejects.toMatchObject({ code: 'worker_busy' })
  expect(pasted()).toHaveLength(1)
})

test('an Enter that is lost is given once more', async () => {
  await spawn('loses-enter')
  expect(await app.sendToWorker('one', 'hello', { wait: false })).toMatchObject({ delivery: 'confirmed' })
  expect(took()).toEqual(['TOOK hello'])
  expect(pasted()).toHaveLength(1)
})

test('where everything is slow, a slow agent is waited for', async () => {
  const real = (process.env.PATH ?? '').split(':').find((folder) => existsSync(join(folder, 'tmux')))
  writeFileSync(join(root, 'bin', 'tmux'), `#!/bin/sh\nsleep 0.15\nexec '${real}/tmux' "$@"\n`, { mode: 0o755 })
  await spawn('late')
  expect(await app.sendToWorker('one', 'hello', { wait: false })).toMatchObject({ delivery: 'confirmed' })
  expect(took()).toEqual(['TOOK hello'])
})

test('what is never taken is said to be unconfirmed, and not sent again', async () => {
  await spawn('deaf')
  expect(await app.sendToWorker('one', 'hello')).toMatchObject({ delivery: 'unconfirmed', answer: null })
  expect(took()).toEqual([])
  expect(pasted()).toHaveLength(1)
  // However many it found waiting at a time.
  expect(received(log).join('').match(/\r/g)).toHaveLength(2)
  // What stands there now is not ours to send along.
  await expect(app.sendToWorker('one', 'again')).rejects.toMatchObject({ code: 'worker_busy' })
})

test('a question that comes up with the paste gets no Enter', async () => {
  await spawn('asks-at-paste')
  await expect(app.sendToWorker('one', 'yes')).rejects.toMatchObject({ code: 'worker_waiting' })
  expect(received(log)).not.toContain('APPROVED')
  expect(received(log).filter((each) => each.includes('\r'))).toEqual([])
})

test('nothing at all is sent while it asks', async () => {
  const worker = await spawn('asks')
  expect(worker).toMatchObject({ state: 'waiting', permission: { summary: 'May I?' } })
  await expect(app.sendToWorker('one', 'y')).rejects.toMatchObject({ code: 'worker_waiting' })
  await expect(app.interruptWorker('one')).rejects.toMatchObject({ code: 'worker_waiting' })
  expect(received(log)).toEqual([])
})

test('what somebody has begun to type is neither sent nor thrown away', async () => {
  await spawn('has-draft')
  await expect(app.sendToWorker('one', 'mine')).rejects.toMatchObject({ code: 'worker_busy' })
  expect(received(log)).toEqual([])
})

test('the name of a worker whose pane is gone is free, though nobody has looked since', async () => {
  await spawn('good')
  await expect(spawn('good')).rejects.toMatchObject({ code: 'name_taken' })
  tmux('kill-server')
  expect(await spawn('good')).toMatchObject({ name: 'one', state: 'idle' })
})

test('a pane in copy mode is left and sent to', async () => {
  const { terminalId } = await spawn('good')
  tmux('copy-mode', '-t', terminalId ?? '')
  expect(await app.sendToWorker('one', 'hello', { wait: false })).toMatchObject({ delivery: 'confirmed' })
  expect(took()).toEqual(['TOOK hello'])
})

test('many senders at once: one is taken, the others are told', async () => {
  await spawn('good')
  const other = openApp()
  const all = await Promise.allSettled([
    app.sendToWorker('one', 'first', { wait: false }),
    other.sendToWorker('one', 'second', { wait: false }),
    app.sendToWorker('one', 'third', { wait: false }),
  ])
  expect(all.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  expect(took()).toHaveLength(1)
  await other.shutDown()
  other.close()
})

test('one that ends at once says how, with its last words, and its name is free again', async () => {
  for (const manners of ['ends-at-once', 'ends-slowly'] as const) {
    await expect(spawn(manners)).rejects.toThrow(/status 7|cannot be run here/)
  }
  expect(await app.listWorkers()).toEqual([])
  expect(await spawn('good')).toMatchObject({ name: 'one', state: 'idle' })
})

test('one that is not ready in time is told, and stays', async () => {
  await expect(spawn('never-ready', 'slow', 400)).rejects.toMatchObject({ code: 'timed_out' })
  expect(await app.findWorker('slow')).toMatchObject({ state: 'starting' })
  await expect(app.sendToWorker('slow', 'hello')).rejects.toMatchObject({ code: 'worker_busy' })
  expect(await app.stopWorker('slow')).toMatchObject({ state: 'stopped' })
})

test('names are taken across processes, found by their beginning, and missed with a suggestion', async () => {
  await spawn('good', 'calm-otter')
  const other = openApp()
  await expect(spawn('good', 'calm-otter')).rejects.toMatchObject({ code: 'name_taken' })
  expect(await other.findWorker('worker:calm-otter')).toMatchObject({ name: 'calm-otter', state: 'idle' })
  expect(await other.findWorker('calm')).toMatchObject({ name: 'calm-otter' })
  await expect(other.findWorker('kalm-otter')).rejects.toThrow(/Did you mean calm-otter/)
  await expect(other.forkWorker('calm-otter')).rejects.toMatchObject({ code: 'worker_unforkable' })
  await expect(other.resolve('worker:calm-otter')).rejects.toThrow(/has no turn yet/)
  other.close()
})

test('a person ends it in the pane: it is seen, and told once', async () => {
  const { terminalId, id } = await spawn('good')
  const exits: unknown[] = []
  app.onEvent(({ type, data }) => type === 'worker.exited' && exits.push(data))
  tmux('kill-pane', '-t', terminalId ?? '')
  const seen = await Promise.all([app.findWorker(id), app.findWorker(id), app.listWorkers()])
  const ended = await app.findWorker(id)
  expect(['exited', 'lost']).toContain(ended.state)
  expect(ended.endedAt).not.toBeNull()
  expect(seen[2].length).toBeLessThanOrEqual(1)
  expect(exits).toHaveLength(1)
  await expect(app.attachWorker(id)).rejects.toMatchObject({ code: 'worker_ended' })
})

test('values of its environment are in no answer, no database and no listing of processes', async () => {
  const worker = await spawn('good')
  expect(worker.settings.env).toEqual({ FAKE_LOG: '***', FAKE_MANNERS: '***' })
  expect(JSON.stringify([worker, renderWorker(worker)])).not.toContain(log)
  for (const name of ['offshoot.db', 'offshoot.db-wal'])
    expect(readFileSync(join(root, 'home', name), 'latin1')).not.toContain(log)
  expect(execFileSync('ps', ['-A', '-o', 'args='], { encoding: 'utf8' })).not.toContain(log)
  const file = join(root, 'home', 'workers', worker.id, 'env.json')
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(readFileSync(file, 'utf8')).toContain(log)
})

test('one whose process was killed before its pane was there does not keep its name', async () => {
  const { id } = await spawn('good', 'real')
  const store = openStore({ folder: join(root, 'home'), now: Date.now })
  const record = store.workers.get(id)
  if (record === null) throw new Error('no record')
  const owner = { pid: 4_000_000, startedAt: '1', host: hostname(), instance: 'x' }
  store.workers.put({ ...record, id: 'dead', name: 'half', sessionId: 'other', pane: null, state: 'starting', owner })
  store.close()
  expect(await app.findWorker('half')).toMatchObject({ state: 'lost' })
  expect((await app.listWorkers()).map(({ name }) => name)).toEqual(['real'])
  expect(await spawn('good', 'half')).toMatchObject({ name: 'half', state: 'idle' })
})

/** As if the process that started it was killed before it wrote the pane down. */
function loseOpener(id: string): void {
  const store = openStore({ folder: join(root, 'home'), now: Date.now })
  const record = store.workers.get(id)
  if (record === null) throw new Error('no record')
  const owner = { pid: 4_000_000, startedAt: '1', host: hostname(), instance: 'x' }
  store.workers.put({ ...record, pane: null, pid: null, state: 'starting', owner })
  store.close()
}

test('one whose process was killed after its pane opened is found by what the pane wrote of itself, and goes on', async () => {
  const { id, pid, terminalId } = await spawn('good')
  loseOpener(id)
  expect(await app.findWorker('one')).toMatchObject({ state: 'idle', terminalId, pid, endedAt: null })
  expect(received(log)).toEqual([])
  loseOpener(id)
  expect(await app.sendToWorker('one', 'hello', { wait: false })).toMatchObject({ delivery: 'confirmed' })
  expect(took()).toEqual(['TOOK hello'])
  loseOpener(id)
  expect(await app.attachWorker('one')).toMatchObject({ command: expect.arrayContaining(['tmux']) })
  loseOpener(id)
  expect(await app.stopWorker('one')).toMatchObject({ state: 'stopped' })
  expect(() => process.kill(pid ?? 0, 0)).toThrow('ESRCH')
})

test('a pane that another server of tmux holds is found there', async () => {
  const { id, terminalId } = await spawn('good')
  loseOpener(id)
  const elsewhere = openApp(join(root, 'other-tmux'))
  expect(await elsewhere.findWorker('one')).toMatchObject({ state: 'idle', terminalId })
  elsewhere.close()
})

test('a pane that may still come is waited for; once its worker is given up, nothing starts in it', async () => {
  const { id } = await spawn('good', 'real')
  const store = openStore({ folder: join(root, 'home'), now: Date.now })
  const record = store.workers.get(id)
  if (record === null) throw new Error('no record')
  const owner = { pid: 4_000_000, startedAt: '1', host: hostname(), instance: 'x' }
  const jobs = ['young', 'stops', 'old'].map((name) => {
    store.workers.put({ ...record, id: name, name, sessionId: name, pane: null, state: 'starting', owner })
    const job = join(root, 'home', 'panes', name)
    mkdirSync(job, { mode: 0o700 })
    mkdirSync(join(root, 'home', 'workers', name))
    writeFileSync(join(job, 'job.json'), '{}', { mode: 0o600 })
    return job
  })
  const [young = '', stops = '', old = ''] = jobs
  store.close()
  utimesSync(join(old, 'job.json'), 1, 1)
  expect(await app.findWorker('young')).toMatchObject({ state: 'starting', endedAt: null })
  await expect(app.sendToWorker('young', 'hello')).rejects.toMatchObject({ code: 'worker_busy' })
  expect(await app.stopWorker('stops')).toMatchObject({ state: 'stopped' })
  expect(await app.findWorker('old')).toMatchObject({ state: 'lost' })
  expect([young, stops, old].map((job) => existsSync(job))).toEqual([true, false, false])
})

test('one that is killed and leaves nothing on its screen says nothing, not an empty word', async () => {
  const { id, pid } = await spawn('full-screen')
  const errors: unknown[] = []
  app.onEvent(({ type, data }) => type === 'worker.exited' && errors.push(data.error))
  process.kill(pid ?? 0, 'SIGKILL')
  await expect.poll(async () => (await app.findWorker(id)).exitSignal, { timeout: 15_000 }).toBe('SIGKILL')
  expect([errors, (await app.findWorker(id)).error]).toEqual([[null], null])
})

test('in a terminal of the person nothing is typed, and that is said', async () => {
  const { id } = await app.spawnWorker({
    agent: 'claude',
    terminal: 'print',
    projectPath: join(root, 'work'),
    workspace: false,
    name: 'mine',
    settings: { env: { FAKE_MANNERS: 'good', FAKE_LOG: log } },
  })
  const refused = { code: 'refused', message: '"mine" runs in a terminal of your own, where offshoot cannot type.' }
  const unrun = { ...refused, hint: 'Run its command first, then type there: `offshoot attach mine`.' }
  await expect(app.sendToWorker('mine', 'hello')).rejects.toMatchObject(unrun)
  const { command } = await app.attachWorker('mine')
  tmux('new-session', '-d', '--', ...(command ?? []))
  await expect.poll(async () => (await app.findWorker(id)).pid, { timeout: 15_000 }).not.toBeNull()
  await expect(app.sendToWorker('mine', 'hello')).rejects.toMatchObject({ ...refused, hint: 'Type there.' })
})

test.each(['tmux', 'print'] as const)(
  'the first prompt on the command line of a pane (%s) is its last input',
  async (terminal) => {
    const worker = await app.spawnWorker({
      agent: 'claude',
      terminal,
      projectPath: join(root, 'work'),
      workspace: false,
      prompt: 'First things first',
      settings: { env: { FAKE_MANNERS: 'asks', FAKE_LOG: log } },
    })
    expect(worker.lastInput).toBe('First things first')
  },
)

test('a failed start names the folder to look in, but not one that is gone', async () => {
  const hints: (string | undefined)[] = []
  const fail = async (workspace: boolean) => {
    const settings = { env: { FAKE_MANNERS: 'ends-at-once', FAKE_LOG: log } }
    const request = { agent: 'claude', terminal: 'tmux', projectPath: join(root, 'work'), workspace, settings } as const
    const error = await app.spawnWorker(request).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ message: expect.stringContaining('status 7') })
    hints.push((error as AppError).hint)
  }
  await fail(false)
  const git = (...args: string[]) => execFileSync('git', args, { cwd: join(root, 'work'), stdio: 'pipe' })
  git('init', '-q')
  git('-c', 'user.name=x', '-c', 'user.email=x@x', 'commit', '-q', '--allow-empty', '-m', 'first')
  await fail(true)
  expect(hints).toEqual([`Run its agent by hand in ${join(root, 'work')} to see more.`, new AppError('failed', '').hint])
})

test('one whose terminal cannot be asked hides none of the others', async () => {
  await spawn('good', 'seen')
  const store = openStore({ folder: join(root, 'home'), now: Date.now })
  const [record] = store.workers.open()
  if (record === undefined) throw new Error('no record')
  const pane = { terminal: 'wezterm', server: '', serverPid: null, id: '9', tag: 'x', job: join(root, 'nowhere') }
  store.workers.put({ ...record, id: 'unseen', name: 'unseen', sessionId: 'other', terminal: 'wezterm', pane })
  expect((await app.listWorkers()).find(({ name }) => name === 'seen')).toMatchObject({ state: 'idle' })
  store.workers.remove('unseen')
  store.close()
})

test('what a person does in a pane is told: who watches idle panes sees a question come up in one of them', async () => {
  const asking = await spawn('asks-at-paste', 'asker')
  await spawn('good', 'bystander')
  const events: string[] = []
  app.onEvent(({ type, data }) => {
    if ('workerId' in data) events.push(`${type} ${data.workerId === asking.id ? 'asker' : 'bystander'}`)
  })
  const watch = await app.keepWatch()
  tmux('set-buffer', '-b', 'typed', 'by hand')
  tmux('paste-buffer', '-p', '-b', 'typed', '-t', asking.terminalId ?? '')
  await expect.poll(() => events, { timeout: 15_000 }).toContain('permission.requested asker')
  expect((await app.listWorkers()).find(({ id }) => id === asking.id)).toMatchObject({ permission: { summary: 'May I?' } })
  tmux('send-keys', '-t', asking.terminalId ?? '', 'Enter')
  await expect.poll(() => events, { timeout: 15_000 }).toContain('permission.resolved asker')
  expect(events.filter((event) => event.endsWith('bystander'))).toEqual([])
  await watch.close()
})

test('another model is not for a worker in a pane, and what is no name of one goes nowhere', async () => {
  const worker = await spawn('good')
  const session = { agent: 'claude', id: worker.sessionId, cwd: worker.cwd } as CatalogSession
  await expect(app.sendToSession(session, 'hello', { model: 'opus' })).rejects.toMatchObject({ code: 'refused' })
  await expect(app.sendToSession(session, 'hello', { model: '--evil' })).rejects.toMatchObject({ code: 'usage' })
  expect(took()).toEqual([])
})
