// The slow half of set-up: runs npm and tsc, keeps their output to itself unless they fail, and then says what to do.
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { SetupError } from './prepare.mjs'

export async function npmCi(folder, moreArgs, onStart) {
  const args = ['ci', '--include=dev', '--include=optional', '--no-audit', '--no-fund', '--loglevel=error', ...moreArgs]
  const { status, output } = await runNpm(args, folder, onStart)
  if (status === 0) return
  throw new SetupError(explainFailure(`npm ci failed in ${folder}`, output))
}

export async function compile(root, outDir, onStart) {
  const typescript = createRequire(join(root, 'package.json')).resolve('typescript/package.json')
  const args = [
    join(dirname(typescript), 'bin', 'tsc'),
    '-p',
    'tsconfig.build.json',
    '--outDir',
    outDir,
    '--incremental',
    'false',
  ]
  const { status, output } = await run(process.execPath, args, { cwd: root }, onStart)
  if (status !== 0) throw new SetupError(`The build failed:\n${lastLines(output, 40)}`)
}

export async function checkNativeSqlite(folder) {
  const { dependencies = {} } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  if (!('better-sqlite3' in dependencies)) return
  const open = `new (require('better-sqlite3'))(':memory:').close()`
  const { status, output } = await run(process.execPath, ['-e', open], { cwd: folder })
  if (status === 0) return
  throw new SetupError(explainFailure('better-sqlite3 is installed but does not load', `node-gyp\n${output}`))
}

/** Collects stdout and stderr; a command that fails or cannot be found is an answer, not an exception. */
export function run(command, args, options, onStart) {
  return new Promise((done) => {
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], ...options })
    const chunks = []
    child.stdout.on('data', (chunk) => chunks.push(chunk))
    child.stderr.on('data', (chunk) => chunks.push(chunk))
    child.on('error', (error) => done({ status: error.code ?? 'error', output: error.message }))
    child.on('close', (code, signal) => done({ status: code ?? signal, output: Buffer.concat(chunks).toString() }))
    if (child.pid !== undefined) onStart?.(child.pid)
  })
}

function runNpm(args, cwd, onStart) {
  const env = { ...process.env, ...headersBesideNode() }
  const npm = process.env.npm_execpath
  if (npm?.endsWith('.js')) return run(process.execPath, [npm, ...args], { cwd, env }, onStart)
  return run('npm', args, { cwd, env, shell: process.platform === 'win32' }, onStart)
}

/** A source build takes Node's headers from where Node is installed if they are there, instead of downloading them. */
function headersBesideNode() {
  if (process.env.npm_config_nodedir) return {}
  const prefix = dirname(dirname(process.execPath))
  const version = join(prefix, 'include', 'node', 'node_version.h')
  const major = `#define NODE_MAJOR_VERSION ${process.versions.node.split('.')[0]}\n`
  return existsSync(version) && readFileSync(version, 'utf8').includes(major) ? { npm_config_nodedir: prefix } : {}
}

/** Where a compiler is missing, that is the whole story; else what the program said comes first. */
export function explainFailure(what, output, isThere = isOnPath) {
  const said = `${what}:\n${lastLines(output, 30)}`
  if (!/node-gyp|gyp ERR/.test(output)) return said
  const missing = [['python3'], ['make'], ['g++', 'c++', 'clang++']].filter((names) => !names.some(isThere)).map(([name]) => name)
  const found = missing.length > 0 ? `${what}. Not found: ${missing.join(', ')}.` : said
  return `${found}
No prebuilt SQLite (better-sqlite3) could be fetched, and compiling it did not work. That needs a C++ toolchain and Python 3:
  Debian, Ubuntu   apt-get install python3 make g++
  Fedora           dnf install python3 make gcc-c++
  macOS            xcode-select --install
Then run the same command again.`
}

export function isOnPath(name) {
  return spawnSync(name, ['--version'], { stdio: 'ignore' }).error === undefined
}

function lastLines(text, count) {
  return text.trimEnd().split('\n').slice(-count).join('\n')
}
