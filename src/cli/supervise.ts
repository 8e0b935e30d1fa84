// `serve` and `mcp` run in a child of a small process that does nothing but wait. Node handles signals on the main thread alone, so a
// server that is stuck there would ignore them; this process passes the first signal on and kills the child when it does not stop.
import { type ChildProcess, spawn } from 'node:child_process'
import { constants } from 'node:os'

/** Names the supervising process to the child; descriptor 3 of the child is open as long as that process lives. */
export const supervisorVariable = 'OFFSHOOT_SUPERVISOR'

/** Longer than a stop in order takes, shorter than systemd and launchd wait (20 s, services/). */
export const stopGraceMs = 15_000

const signals = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const

/**
 * The child leads a session of its own: Ctrl-C in a terminal reaches this process only, and the child gets it once. Output and exit
 * status are the child's.
 */
export function supervise(program: string, args: readonly string[]): void {
  const speaksOnStdin = args[0] === 'mcp'
  const child = spawn(process.execPath, [...process.execArgv, program, ...args], {
    detached: true,
    env: { ...process.env, [supervisorVariable]: String(process.pid) },
    stdio: [speaksOnStdin ? 'pipe' : 'inherit', 'inherit', 'inherit', 'pipe'],
  })
  let asked: (typeof signals)[number] | null = null
  const killLater = () => {
    setTimeout(() => {
      child.kill('SIGKILL')
      process.stderr.on('error', () => undefined) // the terminal may be closed
      process.stderr.write(`error: the server did not stop within ${stopGraceMs / 1000} s and was killed\n`)
    }, stopGraceMs)
  }
  for (const signal of signals) {
    process.on(signal, () => {
      // Claude Code sends a stdio server SIGINT and soon after SIGTERM: only at a terminal a second signal means impatience. One that is
      // closed sends SIGHUP twice, by itself and by its shell.
      if (asked !== null) return void (speaksOnStdin || signal === 'SIGHUP' || child.kill('SIGKILL'))
      asked = signal
      child.kill(signal)
      killLater()
    })
  }
  followJobControl(child)
  if (speaksOnStdin) passStdin(child, killLater)
  child.stdio[3]?.on('error', () => undefined) // its end is seen below
  child.on('error', (error) => {
    process.stderr.write(`error: offshoot could not start its server: ${error.message}\n`)
    process.stderr.write('hint: end some programs, or raise the limits of processes and open files (`ulimit -u`, `ulimit -n`)\n')
    process.exit(1)
  })
  child.on('exit', (status, signal) => {
    if (signal === 'SIGKILL' && asked !== null) process.exit(128 + constants.signals[asked])
    if (signal === null) process.exit(status ?? 1)
    // Killed by somebody else: whoever started this process sees the same end.
    process.removeAllListeners(signal)
    process.kill(process.pid, signal)
  })
}

/** Reads for the child, because a child that is stuck does not notice that its client has gone. */
function passStdin(child: ChildProcess, onEnd: () => void): void {
  const { stdin } = process
  child.stdin?.on('error', () => stdin.destroy()) // it is going away
  stdin.on('error', () => child.stdin?.end())
  stdin.on('close', onEnd)
  if (child.stdin !== null) stdin.pipe(child.stdin)
}

/** Ctrl-Z and `fg`, which the terminal tells this process only. */
function followJobControl(child: ChildProcess): void {
  process.on('SIGTSTP', () => {
    child.kill('SIGSTOP')
    process.kill(process.pid, 'SIGSTOP')
  })
  process.on('SIGCONT', () => child.kill('SIGCONT'))
}
