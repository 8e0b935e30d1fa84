// What must be in place before offshoot runs from a checkout: packages and the build. Each is remembered by a stamp that is
// written last, so that nothing is done twice and a killed run is done again. The quick path loads no child process code.
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

export const repoRoot = resolve(dirname(fileURLToPath(import.meta.url)), '..')

/** What must be done, said in one line; stdout belongs to the command. */
const say = (text) => process.stderr.write(`${text}\n`)

export class SetupError extends Error {}

export async function prepare(root = repoRoot) {
  checkNode()
  await ensureInstalled(root)
  await ensureBuilt(root)
}

export function checkNode(version = process.versions.node) {
  const [major, minor] = version.split('.').map(Number)
  if (major > 20 || (major === 20 && minor >= 19)) return
  throw new SetupError(`offshoot needs Node 20.19 or newer; this is ${version}.`)
}

/** `npm ci` unless the lock file, Node's ABI and the platform are those of the last complete install. */
export async function ensureInstalled(
  folder,
  { what = 'the packages; SQLite may have to be compiled, a minute or two', check = checkSqlite, npmArgs = [] } = {},
) {
  const stampPath = join(folder, 'node_modules', '.offshoot-stamp')
  if (readStamp(stampPath) === installStamp(folder)) return false
  await locked(folder, async (addPid) => {
    const stamp = installStamp(folder)
    if (readStamp(stampPath) === stamp) return
    say(`Installing (npm ci, once: ${what}) ...`)
    const { npmCi } = await import('./install.mjs')
    await npmCi(folder, npmArgs, addPid)
    await check(folder)
    writeStamp(stampPath, stamp)
  })
  return true
}

/** Compiles src/ to dist/ and bundles it unless no source changed. The new dist is swapped in whole: a deleted source leaves nothing behind. */
export async function ensureBuilt(root = repoRoot) {
  const stampPath = join(root, 'dist', '.offshoot-stamp')
  if (readStamp(stampPath) === buildStamp(root)) return false
  await locked(root, async (addPid) => {
    const stamp = buildStamp(root)
    if (readStamp(stampPath) === stamp) return
    say('Building (tsc) ...')
    const fresh = join(root, '.build-new')
    const old = join(root, '.build-old')
    rmSync(fresh, { recursive: true, force: true })
    const { compile } = await import('./install.mjs')
    await compile(root, fresh, addPid)
    const { bundle } = await import('./bundle.mjs')
    await bundle(root, fresh)
    writeStamp(join(fresh, '.offshoot-stamp'), stamp)
    rmSync(old, { recursive: true, force: true })
    if (existsSync(join(root, 'dist'))) renameSync(join(root, 'dist'), old)
    renameSync(fresh, join(root, 'dist'))
    rmSync(old, { recursive: true, force: true })
  })
  return true
}

function installStamp(folder) {
  const hash = createHash('sha256')
    .update(readFileSync(join(folder, 'package-lock.json')))
    .digest('hex')
  return `${hash} node-abi-${process.versions.modules} ${process.platform}-${process.arch}`
}

/** Name, size and time of every source: 200 files cost a few milliseconds, reading them would cost more than the command. */
function buildStamp(root) {
  const hash = createHash('sha256').update(readStamp(join(root, 'node_modules', '.offshoot-stamp')))
  const files = readdirSync(join(root, 'src'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.test.ts'))
    .map((entry) => join(entry.parentPath, entry.name))
  for (const file of [
    ...files.sort(),
    ...['tsconfig.json', 'tsconfig.build.json', 'scripts/bundle.mjs'].map((name) => join(root, name)),
  ]) {
    const { size, mtimeMs } = statSync(file)
    hash.update(`${file}\0${size}\0${mtimeMs}\n`)
  }
  return hash.digest('hex')
}

function readStamp(path) {
  return existsSync(path) ? readFileSync(path, 'utf8') : ''
}

function writeStamp(path, stamp) {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, stamp)
}

async function locked(folder, work) {
  const { withLock } = await import('./lock.mjs')
  return withLock(join(folder, '.setup-lock'), (pid) => say(`Waiting for another set-up to finish (process ${pid}) ...`), work)
}

/** npm may have left an install script out without failing; a database that cannot be opened must not be found out later. */
async function checkSqlite(folder) {
  const { checkNativeSqlite } = await import('./install.mjs')
  await checkNativeSqlite(folder)
}
