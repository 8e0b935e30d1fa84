// Set-up from a bare tree, with the real npm and tsc: nothing is done twice, two at once do it once, and a run that was killed
// half-way is done again.
import { spawn } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { removeFolder } from './remove-folder.ts'

const repo = fileURLToPath(new URL('../..', import.meta.url))
let root: string

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'offshoot-setup-'))
  cpSync(join(repo, 'scripts'), join(root, 'scripts'), { recursive: true })
  // A package of the tree itself stands for typescript: npm ci makes the link without a network.
  mkdirSync(join(root, 'compiler', 'bin'), { recursive: true })
  write('compiler/package.json', JSON.stringify({ name: 'typescript', version: '1.0.0' }))
  write('compiler/bin/tsc', `await import(${JSON.stringify(join(repo, 'node_modules/typescript/bin/tsc'))})\n`)
  write('compiler/bin/package.json', JSON.stringify({ type: 'module' }))
  const dependencies = { typescript: 'file:compiler' }
  write('package.json', JSON.stringify({ name: 'small', version: '1.0.0', type: 'module', devDependencies: dependencies }))
  writeLock()
  write('tsconfig.json', JSON.stringify({ compilerOptions: { module: 'NodeNext', target: 'ES2023', types: [] } }))
  write(
    'tsconfig.build.json',
    JSON.stringify({ extends: './tsconfig.json', compilerOptions: { rootDir: 'src' }, include: ['src'] }),
  )
  write('src/main.ts', `export const words = ['first']\n`)
  write(
    'bin/offshoot.js',
    `const { words } = await import('../dist/main.js')\nconsole.log(process.pid, ...words, ...process.argv.slice(2))\n`,
  )
})

afterEach(() => removeFolder(root))

function write(path: string, text: string): void {
  mkdirSync(join(root, path, '..'), { recursive: true })
  writeFileSync(join(root, path), text)
}

function writeLock(note = ''): void {
  const lock = {
    name: 'small',
    version: '1.0.0',
    lockfileVersion: 3,
    requires: true,
    note,
    packages: {
      '': { name: 'small', version: '1.0.0', devDependencies: { typescript: 'file:compiler' } },
      compiler: { name: 'typescript', version: '1.0.0', dev: true },
      'node_modules/typescript': { resolved: 'compiler', link: true },
    },
  }
  write('package-lock.json', JSON.stringify(lock))
}

interface Ran {
  pid: number | undefined
  status: number | null
  stdout: string
  stderr: string
}

function start(...args: string[]): Promise<Ran> {
  return startAndWatch(args, () => undefined)
}

function startAndWatch(args: readonly string[], onStderr: (soFar: string) => void): Promise<Ran> {
  return new Promise((done, fail) => {
    const { INIT_CWD: _, ...env } = process.env
    const child = spawn(process.execPath, [join(root, 'scripts', 'start.mjs'), ...args], { env, cwd: tmpdir() })
    let stdout = ''
    let stderr = ''
    child.stdout.on('data', (chunk) => {
      stdout += chunk
    })
    child.stderr.on('data', (chunk) => {
      stderr += chunk
      onStderr(stderr)
    })
    child.on('error', fail)
    child.on('close', (status) => done({ pid: child.pid, status, stdout, stderr }))
  })
}

describe('npm start', () => {
  test('sets up a bare tree, then runs the command in the same process with its arguments; the second time it only runs it', async () => {
    const first = await start('sessions', '--json')
    expect(first.stderr).toMatch(/^Installing .*\nBuilding .*\n$/)
    expect(first.stdout).toBe(`${first.pid} first sessions --json\n`)
    const second = await start('sessions')
    expect(second).toMatchObject({ stderr: '', stdout: `${second.pid} first sessions\n`, status: 0 })
  })

  test('builds again when a source changed, and leaves nothing of a deleted one', async () => {
    write('src/extra.ts', 'export const extra = 1\n')
    await start()
    expect(existsSync(join(root, 'dist', 'extra.js'))).toBe(true)
    rmSync(join(root, 'src', 'extra.ts'))
    write('src/main.ts', `export const words = ['changed']\n`)
    const again = await start()
    expect(again.stderr).toMatch(/^Building .*\n$/)
    expect(again.stdout).toContain('changed')
    expect(existsSync(join(root, 'dist', 'extra.js'))).toBe(false)
  })

  test('installs again when the lock file changed', async () => {
    await start()
    writeLock('another')
    expect((await start()).stderr).toMatch(/^Installing .*\n/)
  })

  test('two at once: one sets up, the other waits for it, both run', async () => {
    const both = await Promise.all([start('a'), start('b')])
    expect(both.map((ran) => ran.status)).toEqual([0, 0])
    const said = both.map((ran) => ran.stderr).join('')
    expect(said.match(/^Installing/gm)).toHaveLength(1)
    expect(said.match(/^Building/gm)).toHaveLength(1)
    expect(readdirSync(root).filter((name) => name.startsWith('.'))).toEqual([])
  })

  test('a set-up that was killed is done again, its lock taken over', async () => {
    const dead = spawn(process.execPath, ['-e', ''])
    await new Promise((done) => dead.on('close', done))
    mkdirSync(join(root, 'node_modules'))
    write('.setup-lock', `${dead.pid}\n`)
    mkdirSync(join(root, '.build-new'))
    const ran = await start()
    expect(ran).toMatchObject({ status: 0 })
    expect(ran.stderr).toMatch(/^Installing .*\nBuilding .*\n$/)
  })

  test('a build that fails says why, keeps the last good one and exits with 1', async () => {
    await start()
    write('src/main.ts', 'export const words: string[] = 1\n')
    const ran = await start()
    expect(ran).toMatchObject({ status: 1, stdout: '' })
    expect(ran.stderr).toMatch(/The build failed:\n.*main\.ts.*TS2322/s)
    expect(readFileSync(join(root, 'dist', 'main.js'), 'utf8')).toContain('first')
  })

  test('an install that fails shows what npm said', async () => {
    write('package-lock.json', '{ "lockfileVersion": 3, "packages": {} }')
    const ran = await start()
    expect(ran).toMatchObject({ status: 1, stdout: '' })
    expect(ran.stderr).toMatch(/npm ci failed/)
  })
})

test('a lock held by a live process is waited for', async () => {
  write('.setup-lock', `${process.pid}\n`)
  const ran = await startAndWatch(['x'], (stderr) => {
    if (/^Waiting.*\n$/.test(stderr)) rmSync(join(root, '.setup-lock'))
  })
  expect(ran.stderr).toContain(`Waiting for another set-up to finish (process ${process.pid})`)
  expect(ran.stdout).toContain('first x')
})
