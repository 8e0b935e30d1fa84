import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type BackgroundStatus, idlePipeline } from '../model/background.ts'
import { claimHome, leaveHome } from '../server/server-file.ts'
import { createToken } from '../server/tokens/token-file.ts'
import { renderUnit } from '../services/systemd-unit.ts'
import { checkFiles } from './file-checks.ts'
import { describeBackground } from './indexing/describe-background.ts'
import { checkServer } from './server-checks.ts'
import { findProgram, specOf } from './service-spec.ts'
import { recordContext } from './test-output.testkit.ts'
import { readVersion } from './version.ts'

let home: string
let root: string
beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), 'offshoot-checks-')))
  root = join(home, '.offshoot')
  mkdirSync(root, { mode: 0o700 })
})
afterEach(async () => {
  await leaveHome(root)
  rmSync(home, { recursive: true, force: true })
})

const look = async () => checkServer(recordContext({ home, vars: {} }).context)
const rowOf = async (id: string) => (await look()).find((check) => check.id === id)
const serve = (version = readVersion()) =>
  claimHome(root, { host: '127.0.0.1', instance: 'x', version, startedAt: 0 }, async () => 4777)

test('no server; one that runs; one of another version', async () => {
  expect(await rowOf('server')).toMatchObject({ state: 'ok', message: expect.stringContaining('no server runs') })
  await serve()
  expect(await rowOf('server')).toMatchObject({ state: 'ok', message: expect.stringContaining('http://127.0.0.1:4777') })
  await leaveHome(root)
  await serve('0.0.1')
  expect(await rowOf('server')).toMatchObject({ state: 'warn', fix: 'Restart the server.' })
})

test('a token others could read is replaced, but not under a server that runs', async () => {
  const token = join(root, 'token')
  expect(await rowOf('token')).toBeUndefined()
  writeFileSync(token, 'x', { mode: 0o600 })
  expect(await rowOf('token')).toMatchObject({ state: 'ok' })
  rmSync(token)
  writeFileSync(token, 'x', { mode: 0o644 })
  await serve()
  expect(await rowOf('token')).toMatchObject({ state: 'warn', fix: expect.stringContaining('Stop the server') })
  expect((await rowOf('token'))?.mend).toBeUndefined()
  await leaveHome(root)
  await (await rowOf('token'))?.mend?.()
  expect(existsSync(token)).toBe(false)
  symlinkSync('/dev/null', token)
  expect(await rowOf('token')).toBeUndefined()
  const { context } = recordContext({ home, vars: {} })
  expect(checkFiles(context)).toMatchObject([{ id: 'files', state: 'fail', message: expect.stringContaining('token is a link') }])
})

test('expired tokens are named, and removed by --fix', async () => {
  expect(await rowOf('tokens')).toBeUndefined()
  const request = { scope: 'read', projects: [] } as const
  await createToken(root, { ...request, expiresAt: null, name: 'forever' }, 0)
  expect(await rowOf('tokens')).toMatchObject({ state: 'ok', message: '1 token' })
  await createToken(root, { ...request, expiresAt: -1, name: 'old' }, -2)
  const row = await rowOf('tokens')
  expect(row).toMatchObject({
    state: 'warn',
    message: '1 token expired and not removed: old',
    fix: expect.stringContaining('offshoot token revoke old'),
  })
  await row?.mend?.()
  expect(await rowOf('tokens')).toMatchObject({ state: 'ok', message: '1 token' })
  writeFileSync(join(root, 'tokens.json'), '{')
  expect(await rowOf('tokens')).toMatchObject({ state: 'warn', message: expect.stringContaining('damaged') })
})

const running: BackgroundStatus = {
  state: 'running',
  pid: 1,
  startedAt: 0,
  startsAt: null,
  restarts: 0,
  problem: null,
  index: { ...idlePipeline, state: 'waiting', doneAt: 0, nextAt: 3_600_000 },
  qmd: idlePipeline,
}
const write = (status: BackgroundStatus, pid = process.pid) =>
  writeFileSync(join(root, 'background.json'), JSON.stringify({ server_pid: pid, status }))

test('the background: well, down, a pipeline that is switched off', async () => {
  await serve()
  write(running)
  expect(await rowOf('background')).toMatchObject({ state: 'ok', message: expect.stringContaining('1970-01-01') })
  expect(await rowOf('qmd-indexing')).toBeUndefined()
  write({ ...running, qmd: { ...idlePipeline, problem: 'qmd is not on PATH', fix: 'npm install it' } })
  expect(await rowOf('qmd-indexing')).toMatchObject({ state: 'warn', fix: 'npm install it' })
  write({ ...running, state: 'down', problem: 'it ended with SIGKILL' })
  expect(await rowOf('background')).toMatchObject({ state: 'warn', message: expect.stringContaining('SIGKILL') })
  write(running, 2 ** 30) // of a server that is gone
  expect(await rowOf('background')).toBeUndefined()
  writeFileSync(join(root, 'background.json'), '{"server_pid"')
  expect(await rowOf('background')).toBeUndefined()
})

test('the same for index --status', () => {
  expect(describeBackground(running)).toEqual(['The server keeps the index: waiting, next at 1970-01-01T01:00:00.000Z'])
  const busy = { ...running.index, state: 'running' as const, progress: { step: 'index', done: 3, total: 9 } }
  expect(describeBackground({ ...running, index: busy })).toEqual(['The server keeps the index: running (index 3 of 9)'])
  const off = { ...idlePipeline, problem: 'qmd is not on PATH', fix: 'npm install it' }
  expect(describeBackground({ ...running, qmd: off })[1]).toBe(
    "The server keeps qmd's index: off; qmd is not on PATH: npm install it",
  )
})

if (process.platform === 'linux')
  test('a service whose Node is gone can be mended, one of another Node is told of', async () => {
    expect(await rowOf('service')).toMatchObject({ state: 'ok', message: expect.stringContaining('not installed') })
    const folder = join(home, '.config/systemd/user')
    mkdirSync(folder, { recursive: true })
    const file = join(folder, 'offshoot.service')
    const { context } = recordContext({ home, vars: {} })
    const spec = specOf(context, [])
    writeFileSync(file, renderUnit({ ...spec, argv: ['/gone/node', findProgram().script, 'serve'] }))
    const broken = await rowOf('service')
    expect(broken).toMatchObject({ state: 'fail', message: expect.stringContaining('/gone/node, which is gone') })
    expect(broken?.mend).toBeTypeOf('function')
    writeFileSync(file, renderUnit({ ...spec, argv: ['/bin/sh', findProgram().script, 'serve'] }))
    expect(await rowOf('service')).toMatchObject({ state: 'warn', message: expect.stringContaining('another Node') })
    expect((await rowOf('service'))?.mend).toBeUndefined()
    writeFileSync(file, '[Service]\n')
    expect(await rowOf('service')).toMatchObject({ state: 'warn', message: expect.stringContaining('not written by offshoot') })
  })
