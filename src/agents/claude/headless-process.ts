// The process below a headless conversation: `claude -p` speaking JSON lines both ways, head of a process group of its own.
// Lines that are torn, no JSON or no object are passed over: what an unknown version says besides must not end a turn.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { findProgram } from '../../lib/find-program.ts'
import { isObject } from '../../lib/jsonl.ts'
import { endProcesses, processesBelow, signalProcess } from '../../lib/process-tree.ts'
import { AppError } from '../../model/error.ts'

export interface ProcessEnd {
  readonly status: number | null
  readonly signal: string | null
  /** The end of what it wrote to stderr. */
  readonly said: string
}

export interface HeadlessProcess {
  readonly pid: number
  write(line: object): void
  readonly ended: Promise<ProcessEnd>
  /** By closing its input, else by force; with everything below it. */
  end(): Promise<void>
}

export interface ProcessRequest {
  readonly argv: readonly string[]
  readonly cwd: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly onLine: (line: Record<string, unknown>) => void
}

/** How long each step of ending it may take. An idle one leaves within 30 ms of its input closing (2.1.197 and 2.1.325). */
const closedInputMs = 2000
const terminatedMs = 2000
/** A grandchild may hold the pipes open long after the process is gone. */
const lastOutputMs = 500
const keptStderr = 4000

/**
 * Ends Claude Code when we are gone, however that happened: with its input closed it would finish the turn first, unattended, and
 * wait for ever for an answer that never comes. Descriptor 3 is open as long as we live. SIGINT makes both 2.1.197 and 2.1.325 end
 * their shell commands too; SIGTERM does not (2.1.197). The watcher belongs to the group, so its number is not used again.
 */
const endWithUs = `
  (trap '' INT TERM
   read -r _ <&3
   kill -INT $$ || exit
   sleep 3
   kill -KILL -- -$$) </dev/null >/dev/null 2>&1 &
  exec 3<&-
  exec "$0" "$@"`

export async function startProcess({ argv, cwd, env, onLine }: ProcessRequest): Promise<HeadlessProcess> {
  if (!existsSync(cwd)) throw new AppError('failed', `The working directory ${cwd} does not exist.`)
  const program = findProgram('claude', env.PATH)
  if (program === null) throw new AppError('tool_missing', 'claude is not on the PATH.')
  const child = spawn('/bin/sh', ['-c', endWithUs, program, ...argv], {
    cwd,
    env: { ...env },
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
  })
  let said = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(-keptStderr)
  })
  child.stdout.setEncoding('utf8').on('data', splitLines(onLine))
  // A process that is going away closes its input under us; its end says what there is to say.
  child.stdin.on('error', () => undefined)
  const exited = new Promise<Omit<ProcessEnd, 'said'>>((resolve) => {
    child.on('exit', (status, signal) => {
      child.stdio[3]?.destroy() // the watcher is not needed any more
      resolve({ status, signal })
    })
  })
  const closed = new Promise<void>((resolve) => child.on('close', () => resolve()))
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve)
    child.once('error', (cause) => reject(new AppError('tool_missing', `claude did not start: ${cause.message}`, { cause })))
  })
  const pid = child.pid ?? 0
  const ended = exited.then(async (end) => {
    await Promise.race([closed, pause(lastOutputMs)])
    child.stdout.destroy()
    child.stderr.destroy()
    return { ...end, said: said.trim() }
  })
  const endsWithin = (limitMs: number): Promise<boolean> =>
    Promise.race([exited.then(() => true), pause(limitMs, false, { ref: false })])

  async function end(): Promise<void> {
    if (child.exitCode !== null || child.signalCode !== null) return void (await ended)
    const below = await processesBelow(pid, env)
    child.stdin.end()
    if (!(await endsWithin(closedInputMs))) {
      signalProcess(-pid, 'SIGTERM')
      if (!(await endsWithin(terminatedMs))) signalProcess(-pid, 'SIGKILL')
    }
    await ended
    await endProcesses(below, env)
  }
  let ending: Promise<void> | null = null

  return {
    pid,
    ended,
    write(line) {
      if (child.stdin.writable) child.stdin.write(`${JSON.stringify(line)}\n`)
    },
    end() {
      ending ??= end()
      return ending
    },
  }
}

function splitLines(onLine: ProcessRequest['onLine']): (text: string) => void {
  let rest = ''
  return (text) => {
    const end = text.lastIndexOf('\n')
    if (end === -1) {
      rest += text // a long line comes in many pieces: looked at once, when it is whole
      return
    }
    const lines = (rest + text.slice(0, end)).split('\n')
    rest = text.slice(end + 1)
    for (const line of lines) {
      const value = parse(line)
      if (value !== undefined) onLine(value)
    }
  }
}

function parse(line: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(line)
    return isObject(value) ? value : undefined
  } catch {
    return undefined // no line of the protocol
  }
}
