// Opens a fork right here: the agent as a child that has the terminal. Signals and its exit status are passed on, and when it
// suspends itself (Claude Code stops only its own process on Ctrl-Z) we stop too, so that the shell gets its prompt back.
import { execFileSync, spawn } from 'node:child_process'
import { constants } from 'node:os'
import { readRegularText } from '../../lib/regular-file.ts'
import { AppError } from '../../model/error.ts'
import type { CommandSpec } from '../../model/fork.ts'
import type { Context } from '../context.ts'
import { shellLine } from './shell-line.ts'

const restMs = 50

/** For good: the agent may stay open for days, and no database is held open meanwhile. Gives the exit status to end with. */
export async function giveTerminal(context: Context, command: CommandSpec): Promise<number> {
  await context.out.flush()
  context.close()
  return launchHere(context, command)
}

/** Gives the exit status to end with. */
export function launchHere(context: Context, command: CommandSpec): Promise<number> {
  const [program = '', ...args] = command.argv
  return new Promise((resolve, reject) => {
    const env = { ...context.vars, ...command.env }
    const child = spawn(program, args, { cwd: command.cwd, env, stdio: 'inherit' })
    // The terminal gives Ctrl-C to the agent as well: sent on, it would arrive twice, which makes an agent quit.
    const release = context.takeSignals((signal) => {
      if (signal !== 'SIGINT') child.kill(signal)
    })
    let looking = false
    const onChild = () => {
      if (looking || child.pid === undefined) return
      // Looking may take a process, whose own end is one more SIGCHLD.
      looking = true
      setTimeout(() => {
        looking = false
      }, restMs).unref()
      if (isStopped(child.pid)) process.kill(process.pid, 'SIGSTOP')
    }
    const onContinue = () => child.kill('SIGCONT')
    process.on('SIGCHLD', onChild)
    process.on('SIGCONT', onContinue)
    const end = () => {
      release()
      process.removeListener('SIGCHLD', onChild)
      process.removeListener('SIGCONT', onContinue)
    }
    child.on('error', (cause: NodeJS.ErrnoException) => {
      end()
      reject(describeFault(cause, program, command))
    })
    child.on('exit', (code, signal) => {
      end()
      resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal]))
    })
  })
}

function isStopped(pid: number): boolean {
  try {
    if (process.platform === 'linux') return /\) T [^)]*$/.test(readRegularText(`/proc/${pid}/stat`))
    return execFileSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8', stdio: 'pipe' }).startsWith('T')
  } catch {
    return false // it has ended, or there is no ps: then nothing can be told
  }
}

function describeFault(cause: NodeJS.ErrnoException, program: string, command: CommandSpec): AppError {
  const why = cause.code === 'ENOENT' ? 'it is not on the PATH' : cause.message
  return new AppError('tool_missing', `The session is made, but ${program} could not be started: ${why}.`, {
    cause,
    hint: `Open it later with: ${shellLine(command)}`,
  })
}
