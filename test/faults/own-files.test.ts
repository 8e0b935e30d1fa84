// Something else in the place of offshoot's own files: every command says what is wrong, and `doctor --fix` moves it aside.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createFaultHome, type FaultHome } from './fault-home.ts'

let home: FaultHome
beforeAll(async () => {
  home = await createFaultHome()
}, 120_000)
afterAll(() => home.remove())

const bind =
  'import os, socket, sys; os.chdir(os.path.dirname(sys.argv[1])); socket.socket(socket.AF_UNIX).bind(os.path.basename(sys.argv[1]))'
const kinds: Readonly<Record<string, (path: string) => void>> = {
  'a directory': (path) => {
    mkdirSync(join(path, 'sub'), { recursive: true })
    writeFileSync(join(path, 'sub', 'kept.txt'), 'kept')
  },
  'a socket': (path) => execFileSync('python3', ['-c', bind, path]),
  'a pipe': (path) => execFileSync('mkfifo', [path]),
  'a link': (path) => symlinkSync(join(dirname(path), 'nothing'), path),
}

const locks = [
  'archive.lock',
  'search.lock',
  'captures/after.lock',
  'captures/push.lock',
  'captures/ingest.lock',
  'tokens.lock',
  'server.lock',
]
const files = [...locks, 'token', 'tokens.json', 'server.json', 'background.json', 'logs/hook.log', 'logs/offshoot.log']
const at = (name: string) => join(home.vars.OFFSHOOT_HOME ?? '', name)

async function putEverywhere(put: (path: string) => void): Promise<void> {
  await home.reset()
  for (const name of files) {
    rmSync(at(name), { recursive: true, force: true })
    mkdirSync(dirname(at(name)), { recursive: true })
    put(at(name))
  }
}

interface Checks {
  readonly checks: readonly { readonly id: string; readonly state: string; readonly message: string }[]
}

/** Of a home in which nothing is wrong. */
const everyCheck = ['node', 'home', 'config', 'files', 'server', 'git', 'captures', 'index']

describe.each(Object.entries(kinds))('%s in the place of every file', (kind, put) => {
  beforeAll(() => putEverywhere(put), 60_000)

  test.each([
    ['sessions'],
    ['fork claude:4be17d5c@1 --terminal none --yes'],
    ['restore claude:4be17d5c@1 --all --yes'],
    ['search sqlite'],
    ['index'],
    ['gc'],
    ['token list'],
    ['token create --name reader --scope read'],
    ['hooks status'],
  ])('%s is not a bug, and does not blame the database', async (command) => {
    const { status, stderr } = await home.run(command.split(' '))
    expect(status, stderr).not.toBe(70)
    expect(stderr).not.toMatch(/database|dmesg/)
  })

  test('doctor names each of them and runs every other check', async () => {
    const { stdout, stderr, status } = await home.run(['doctor', '--json'])
    expect({ status, stderr }).toEqual({ status: 1, stderr: '' })
    const { checks } = JSON.parse(stdout) as Checks
    expect(checks.map(({ id }) => id)).toEqual(expect.arrayContaining(everyCheck))
    const named = checks.filter(({ id, state }) => id === 'files' && state === 'fail').map(({ message }) => message)
    expect(named.toSorted()).toEqual(files.map((name) => `${at(name)} is ${kind}, and offshoot keeps a file there`).toSorted())
  })

  test('doctor --fix moves each of them aside, and nothing is wrong afterwards', async () => {
    await putEverywhere(put)
    const { stdout, stderr, status } = await home.run(['doctor', '--fix', '--json'])
    expect(status, stderr).toBe(0)
    const { checks } = JSON.parse(stdout) as Checks
    expect(checks.filter(({ state }) => state === 'fail')).toEqual([])
    if (kind !== 'a directory') return
    const moved = execFileSync('find', [at('.'), '-name', 'kept.txt'], { encoding: 'utf8' })
      .trim()
      .split('\n')
    expect(moved).toHaveLength(files.length)
  })
})

test.each(locks)('a damaged %s stops nothing', async (name) => {
  await home.reset()
  mkdirSync(dirname(at(name)), { recursive: true })
  writeFileSync(at(name), '{}')
  const { status, stderr } = await home.run(['doctor', '--fix'])
  expect(status, stderr).toBe(0)
  expect(stderr).not.toMatch(/database|lock/)
  const created = await home.run(['token', 'create', '--name', 'reader', '--scope', 'read'])
  expect(created.status, created.stderr).toBe(0)
  expect(existsSync(at('tokens.json'))).toBe(true)
})
