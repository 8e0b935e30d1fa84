// What the installed Codex can do, from its version. Measured: 0.142 forks whole threads and has hooks, 0.150 forks at a turn;
// versions in between and before were not tried and count as unable.
import { anyFolder, exec } from '../../lib/exec.ts'
import { findProgram, isAtLeast } from '../../lib/find-program.ts'
import { type Abilities, type AgentEnv, noAbilities } from '../agent-env.ts'

const timeoutMs = 5000
const forkSince = [0, 142] as const
const forkAtTurnSince = [0, 150] as const
const excludeTurnsSince = [0, 151] as const

export async function probeAbilities(env: AgentEnv): Promise<Abilities> {
  const path = findProgram('codex', env.vars.PATH)
  if (path === null) return { ...noAbilities, problem: 'codex is not on the PATH' }
  const { stdout, stderr, exitCode, timedOut } = await exec(path, ['--version'], { cwd: anyFolder, env: env.vars, timeoutMs })
  const version = /\b(\d+\.\d+\.\d+\S*)/.exec(stdout)?.[1] ?? null
  if (version === null) {
    const why = timedOut
      ? `did not answer within ${timeoutMs / 1000} s`
      : `ended with ${exitCode}: ${stderr.trim().slice(0, 200)}`
    return { ...noAbilities, installed: true, path, problem: `codex --version ${why}` }
  }
  const fork = isAtLeast(version, forkSince)
  const problem = fork ? null : `older than ${forkSince.join('.')}, the oldest version forking was tested with`
  return { installed: true, version, path, fork, forkAtTurn: canForkAtTurn(version), hooks: fork, problem }
}

export function canForkAtTurn(version: string): boolean {
  return isAtLeast(version, forkAtTurnSince)
}

/** Before, `thread/fork` answers with all that was said; that it need not was an experiment in between. */
export function canExcludeTurns(version: string): boolean {
  return isAtLeast(version, excludeTurnsSince)
}

/** Threads have locks, and one that nobody listens to is closed and says so: 0.166 does, 0.142 does neither. */
export function canUnload(version: string): boolean {
  return isAtLeast(version, forkAtTurnSince)
}
