// What the installed CLI can do, from its version: `--version` takes 15 to 110 ms and starts no session.
import { anyFolder, exec } from '../../lib/exec.ts'
import { findProgram, isAtLeast } from '../../lib/find-program.ts'
import { type Abilities, type AgentEnv, noAbilities } from '../agent-env.ts'

const timeoutMs = 5000
/** The oldest version the fork flags were run on: `--fork-session --session-id`, `--resume-session-at`. */
const oldestKnown = [2, 1, 197] as const
const versionPattern = /\d+\.\d+\.\d+/

export async function probeAbilities(env: AgentEnv): Promise<Abilities> {
  const path = findProgram('claude', env.vars.PATH)
  if (path === null) return { ...noAbilities, problem: 'claude is not on the PATH' }
  const { stdout, stderr, exitCode, timedOut } = await exec(path, ['--version'], { cwd: anyFolder, env: env.vars, timeoutMs })
  const version = versionPattern.exec(stdout)?.[0]
  if (exitCode !== 0 || version === undefined) {
    const problem = timedOut ? `did not answer within ${timeoutMs} ms` : stderr.trim() || stdout.trim() || 'gave no version'
    return { ...noAbilities, installed: true, path, problem: `claude --version: ${problem}` }
  }
  const known = isAtLeast(version, oldestKnown)
  return {
    installed: true,
    version,
    path,
    fork: known,
    forkAtTurn: known,
    hooks: known,
    problem: known ? null : `older than ${oldestKnown.join('.')}, the oldest version forking was tested with`,
  }
}
