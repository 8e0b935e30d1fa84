// The background process for real: it indexes what is written, survives its own end, and goes with the server.
import { type ChildProcess, spawn } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createLog } from '../../src/lib/log.ts'
import type { IndexProgress } from '../../src/model/search.ts'
import { type Background, type BackgroundOptions, startBackground } from '../../src/server/background.ts'
import { readBackground } from '../../src/server/background-file.ts'
import { createSandbox, type Sandbox } from '../search/sandbox.ts'

let sandbox: Sandbox
let folder: string
const open: Background[] = []
/** By its address: the process stands in another folder. */
const tsx = import.meta.resolve('tsx')
const slow = { timeout: 40_000, interval: 100 }

beforeEach(() => {
  sandbox = createSandbox()
  folder = join(sandbox.home, '.offshoot')
  mkdirSync(folder, { mode: 0o700 })
})
afterEach(async () => {
  for (const background of open.splice(0)) await background.close()
  sandbox.close()
})

function start(options: Partial<BackgroundOptions> = {}) {
  const progress: IndexProgress[] = []
  const background = startBackground({
    home: sandbox.home,
    vars: sandbox.vars,
    folder,
    now: Date.now,
    log: createLog({ folder: join(folder, 'logs'), now: Date.now }),
    onProgress: (each) => void progress.push(each),
    execArgv: ['--import', tsx],
    firstPauseMs: 50,
    ...options,
  })
  open.push(background)
  return { background, progress }
}

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false // gone
  }
}
const readLog = () => readFileSync(join(folder, 'logs', 'offshoot.log'), 'utf8')

test('what was there and what is written since is searchable within seconds, without the server doing anything', async () => {
  const project = sandbox.repository('proj')
  const transcript = sandbox.session(['tell me about walruses'], { cwd: project })
  const { background, progress } = start()
  await expect.poll(() => background.status().index.doneAt, slow).not.toBeNull()
  expect(progress.at(-1)).toMatchObject({ files: 1, filesDone: 1 })
  const app = sandbox.app({ cwd: project })
  const find = async (text: string) => (await app.search({ text }, { updateMs: 0 })).results.length
  expect(await find('walruses')).toBe(1)
  transcript.add('and now narwhals')
  await expect.poll(() => find('narwhals'), slow).toBe(1)
  expect(background.status()).toMatchObject({ state: 'running', restarts: 0, index: { problem: null }, qmd: { state: 'off' } })
  await expect.poll(() => readBackground(folder)?.state, slow).toBe('running')
  const { pid } = background.status()
  await background.close()
  expect(background.status().state).toBe('stopped')
  expect(isAlive(pid ?? 0)).toBe(false)
  expect(existsSync(join(folder, 'background.json'))).toBe(false)
  expect(readBackground(folder)).toBeNull()
})

test('killed, it comes back; what it was at is done then', async () => {
  const { background } = start()
  await expect.poll(() => background.status().index.doneAt, slow).not.toBeNull()
  const { pid } = background.status()
  process.kill(pid ?? 0, 'SIGKILL')
  await expect.poll(() => background.status().restarts, slow).toBe(1)
  expect(background.status().problem).toBe('it ended with SIGKILL')
  sandbox.session(['written while it was away'], { cwd: sandbox.repository('proj') })
  await expect.poll(() => background.status().state, slow).toBe('running')
  const app = sandbox.app()
  await expect.poll(async () => (await app.search({ text: 'written away' }, { updateMs: 0 })).results.length, slow).toBe(1)
  expect(readLog()).toContain('the background process ended')
})

test('one that cannot even start is tried again with growing pauses, and the last words it had are told', async () => {
  const program = join(sandbox.root, 'broken.mjs')
  writeFileSync(program, 'throw new Error("no such module")')
  const { background } = start({ program, execArgv: [], firstPauseMs: 20 })
  await expect.poll(() => background.status().restarts, slow).toBeGreaterThan(2)
  expect(background.status().problem).toContain('no such module')
  const pauses = [...readLog().matchAll(/"pauseMs":(\d+)/g)].map(([, ms]) => Number(ms))
  expect(pauses.slice(0, 3)).toEqual([20, 40, 80])
})

test('one that hangs is ended and started anew', async () => {
  const program = join(sandbox.root, 'hangs.mjs')
  writeFileSync(program, 'process.on("SIGTERM", () => {}); for (;;) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)')
  const { background } = start({ program, execArgv: [], checkMs: 30, missesAllowed: 5 })
  await expect.poll(() => background.status().restarts, slow).toBeGreaterThan(0)
  expect(background.status().problem).toBe('it ended with SIGKILL')
})

test('a bad interval is told, and the index is kept all the same', async () => {
  const { background } = start({ vars: { ...sandbox.vars, OFFSHOOT_INDEX_INTERVAL: 'soon' } })
  await expect.poll(() => background.status().index.doneAt, slow).not.toBeNull()
  expect(background.status().index.problem).toContain('OFFSHOOT_INDEX_INTERVAL must look like')
})

test.each([
  ['absent', null, 'qmd is not on PATH'],
  ['crashing', 'kill -SEGV $$', 'crashed'],
  ['failing', 'echo "no such table" >&2; exit 1', 'no such table'],
])('qmd %s: its pipeline is off and says why, the index goes on', async (_, script, message) => {
  sandbox.session(['x'], { cwd: sandbox.repository('proj') })
  const bin = join(sandbox.root, 'bin')
  mkdirSync(bin)
  if (script !== null) {
    writeFileSync(join(bin, 'qmd'), `#!/bin/sh\n${script}\n`)
    chmodSync(join(bin, 'qmd'), 0o755)
  }
  const { background } = start({ vars: { ...sandbox.vars, PATH: `${bin}:/usr/bin:/bin`, OFFSHOOT_QMD_INDEXING: 'true' } })
  await expect.poll(() => background.status().qmd.problem ?? '', slow).toContain(message)
  expect(background.status().qmd).toMatchObject({ state: 'off', fix: expect.stringContaining('restart the server') })
  await expect.poll(() => background.status().index.doneAt, slow).not.toBeNull()
  expect(readLog()).toContain('qmd indexing is off')
})

test('a qmd that hangs holds up neither the index nor the end, and is ended with all it started', async () => {
  sandbox.session(['x'], { cwd: sandbox.repository('proj') })
  const bin = join(sandbox.root, 'bin')
  mkdirSync(bin)
  const pidFile = join(sandbox.root, 'pid')
  writeFileSync(join(bin, 'qmd'), `#!/bin/sh\nsleep 600 &\necho $! > '${pidFile}'\nwait\n`)
  chmodSync(join(bin, 'qmd'), 0o755)
  const { background } = start({ vars: { ...sandbox.vars, PATH: `${bin}:/usr/bin:/bin`, OFFSHOOT_QMD_INDEXING: 'true' } })
  await expect.poll(() => existsSync(pidFile) && readFileSync(pidFile, 'utf8').trim(), slow).toMatch(/^\d+$/)
  await expect.poll(() => background.status().index.doneAt, slow).not.toBeNull()
  await expect.poll(() => background.status().qmd, slow).toMatchObject({ state: 'running', progress: { step: 'checks' } })
  await background.close()
  expect(background.status().state).toBe('stopped')
  await expect.poll(() => isAlive(Number(readFileSync(pidFile, 'utf8'))), slow).toBe(false)
})

test.each(['running', 'starting'])('it does not outlive a server that is killed while it is %s', async (when) => {
  const script = fileURLToPath(new URL('./background-child.ts', import.meta.url))
  const server: ChildProcess = spawn(process.execPath, ['--import', tsx, script, sandbox.home, folder, when], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    env: { ...sandbox.vars },
  })
  const pid = await new Promise<number>((resolve) => server.on('message', (message) => resolve(Number(message))))
  expect(isAlive(pid)).toBe(true)
  server.kill('SIGKILL')
  await expect.poll(() => isAlive(pid), slow).toBe(false)
  expect(readBackground(folder)).toBeNull()
})
