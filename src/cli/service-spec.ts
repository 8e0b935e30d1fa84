// What a service of this installation runs: this Node, this program, the projects it was given, and the few variables it needs.
import { realpathSync } from 'node:fs'
import { dirname, isAbsolute } from 'node:path'
import { fileURLToPath } from 'node:url'
import { exec } from '../lib/exec.ts'
import { findNode } from '../services/node-path.ts'
import type { ServiceManager, ServiceSpec } from '../services/service.ts'
import { findManager } from '../services/services.ts'
import type { Context } from './context.ts'

const program = new URL('../../bin/offshoot.js', import.meta.url)

/** Where its files and programs are, and what configures it; no keys: those stay in the person's own environment. */
const carried = [
  'OFFSHOOT_SEARCH_ENGINE',
  'OFFSHOOT_QMD_INDEXING',
  'OFFSHOOT_INDEX_INTERVAL',
  'OFFSHOOT_PORT',
  'OFFSHOOT_ALLOW_REPOS',
  'OFFSHOOT_TERMINAL',
  // Else it would look for another tmux server than the person's.
  'TMUX_TMPDIR',
  'LANG',
  'LC_ALL',
  'XDG_CONFIG_HOME',
  'XDG_CACHE_HOME',
]

/** Told apart, to compare an installed service with. */
export function findProgram(): { readonly node: string; readonly script: string } {
  return { node: findNode(process.execPath), script: realpathSync(fileURLToPath(program)) }
}

export function specOf({ vars, home, paths }: Context, projects: readonly string[]): ServiceSpec {
  const { node, script } = findProgram()
  // Absolute, whatever they were: the service stands elsewhere.
  const folders = { OFFSHOOT_HOME: paths.root, CLAUDE_CONFIG_DIR: paths.claude, CODEX_HOME: paths.codex }
  const known: Readonly<Record<string, string | undefined>> = {
    ...Object.fromEntries(carried.map((name) => [name, vars[name]])),
    ...Object.fromEntries(Object.entries(folders).filter(([name]) => vars[name])),
  }
  const env = Object.fromEntries(Object.entries(known).flatMap(([name, value]) => (value ? [[name, value]] : [])))
  const argv = [node, script, 'serve', '--service', ...(projects.length === 0 ? [] : ['--project', ...projects])] as const
  return { argv, env: { PATH: cleanPath(vars.PATH ?? '', node), ...env }, workingDirectory: home, logs: paths.logs }
}

/** A manager starts it with a PATH of its own, on which neither git of Homebrew nor an agent is. */
function cleanPath(path: string, node: string): string {
  const folders = [...path.split(':'), dirname(node), '/usr/local/bin', '/usr/bin', '/bin']
  // biome-ignore lint/suspicious/noControlCharactersInRegex: no folder of programs has them
  const usable = folders.filter((folder) => isAbsolute(folder) && !/[\u0000-\u001f\u007f]/.test(folder))
  return [...new Set(usable)].join(':')
}

export function managerOf({ vars, home, paths }: Context): ServiceManager {
  const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))
  return findManager(process.platform, { exec, home, vars, uid: process.getuid?.() ?? 0, logs: paths.logs, pause })
}
