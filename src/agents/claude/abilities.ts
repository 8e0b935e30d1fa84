// What the installed CLI can do, from its version: `--version` takes 15 to 110 ms and starts no session.
import { accessSync, constants, statSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { anyFolder, exec } from '../../lib/exec.ts'
import type { Abilities, AgentEnv } from '../agent.ts'

const timeoutMs = 5000
/** The oldest version the fork flags were run on: `--fork-session --session-id`, `--resume-session-at`. */
const oldestKnown = [2, 1, 197] as const
const versionPattern = /(\d+)\.(\d+)\.(\d+)/

const absent: Abilities = {
  installed: false,
  version: null,
  path: null,
  fork: false,
  forkAtTurn: false,
  hooks: false,
  problem: null,
}

export async function probeAbilities(env: AgentEnv): Promise<Abilities> {
  const path = findOnPath(env)
  if (path === undefined) return { ...absent, problem: 'claude is not on the PATH' }
  const { stdout, stderr, exitCode, timedOut } = await exec(path, ['--version'], { cwd: anyFolder, env: env.vars, timeoutMs })
  const numbers = versionPattern.exec(stdout)
  if (exitCode !== 0 || numbers === null) {
    const problem = timedOut ? `did not answer within ${timeoutMs} ms` : stderr.trim() || stdout.trim() || 'gave no version'
    return { ...absent, installed: true, path, problem: `claude --version: ${problem}` }
  }
  const known = isAtLeast(numbers.slice(1).map(Number), oldestKnown)
  return {
    installed: true,
    version: numbers[0],
    path,
    fork: known,
    forkAtTurn: known,
    hooks: known,
    problem: known ? null : `older than ${oldestKnown.join('.')}, the oldest version forking was tested with`,
  }
}

function isAtLeast(version: readonly number[], wanted: readonly number[]): boolean {
  const at = wanted.findIndex((part, i) => part !== version[i])
  return at === -1 || (version[at] ?? 0) > (wanted[at] ?? 0)
}

function findOnPath({ vars }: AgentEnv): string | undefined {
  for (const folder of (vars.PATH ?? '').split(delimiter)) {
    const path = join(folder, 'claude')
    if (folder !== '' && isExecutable(path)) return path
  }
  return undefined
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false // not there, or not ours to run
  }
}
