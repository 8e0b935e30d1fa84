// Runs programs so that all of them, and whatever they started, can be ended at once: for a process that must be over by a
// certain time. Loads nothing but Node's own spawn, and each child is the head of a process group of its own.
import { type ChildProcess, type ChildProcessWithoutNullStreams, type SpawnOptionsWithoutStdio, spawn } from 'node:child_process'
import type { Exec, ExecResult } from './exec.ts'
import { fileErrorCode } from './file-errors.ts'

export interface ExecGroup {
  readonly exec: Exec
  /** Kills what runs; what is started afterwards fails at once. */
  kill(): void
  /** Whether it was ended so. */
  isOver(): boolean
}

export function createExecGroup(): ExecGroup {
  const running = new Set<ChildProcess>()
  let over = false

  const exec: Exec = (command, args, { cwd, env, timeoutMs, input = '', encoding = 'utf8', onStarted }) =>
    new Promise((resolve) => {
      const result = { stdout: '', stderr: '', exitCode: null, missing: false, timedOut: false }
      if (over) return resolve({ ...result, timedOut: true })
      const child = start(command, args, { cwd, env: { ...env }, detached: true, stdio: 'pipe' })
      if (child instanceof Error) return resolve({ ...result, stderr: child.message })
      running.add(child)
      if (child.pid !== undefined) onStarted?.(child.pid)
      let timedOut = false
      const timer = setTimeout(() => {
        timedOut = true
        killGroup(child)
      }, timeoutMs)
      const finish = (outcome: Partial<ExecResult>): void => {
        clearTimeout(timer)
        running.delete(child)
        resolve({ ...result, ...outcome, timedOut: timedOut || over })
      }
      child.stdout.setEncoding(encoding).on('data', (text: string) => (result.stdout += text))
      child.stderr.setEncoding(encoding).on('data', (text: string) => (result.stderr += text))
      child.on('error', (error) => finish({ stderr: error.message, missing: fileErrorCode(error) === 'ENOENT' }))
      child.on('close', (exitCode) => finish({ exitCode }))
      // A program that ends without reading its input says enough by its exit status.
      child.stdin.on('error', () => undefined)
      child.stdin.end(input, encoding)
    })

  return {
    exec,
    kill() {
      over = true
      for (const child of running) killGroup(child)
    },
    isOver: () => over,
  }
}

/** Node itself refuses to start some: a NUL in an argument. */
function start(
  command: string,
  args: readonly string[],
  options: SpawnOptionsWithoutStdio,
): ChildProcessWithoutNullStreams | Error {
  try {
    return spawn(command, args, options)
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error))
  }
}

function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, 'SIGKILL')
  } catch (error) {
    if (fileErrorCode(error) !== 'ESRCH') throw error
  }
}
