// A client of `codex app-server`: one JSON message a line on stdio, requests with an id, notifications without. The npm
// wrapper of Codex is a process around the real one, so what does not end by itself is ended as a process group.
import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileErrorCode } from '../../lib/file-errors.ts'
import { isObject } from '../../lib/jsonl.ts'
import { AppError } from '../../model/error.ts'
import type { AgentEnv } from '../agent.ts'
import type { Body } from './lines.ts'

export interface AppServer {
  /** As it says itself; `null` when it does not. */
  readonly version: string | null
  request(method: string, params: Body): Promise<Body>
}

export interface ServerOptions {
  readonly cwd: string
  /** For all of it, from the start of the process to the last answer. */
  readonly timeoutMs?: number
}

const defaultTimeoutMs = 60_000
const endMs = 3000
const keptErrors = 2000

/** Runs the server for as long as `use` needs it. */
export async function withAppServer<T>(
  env: AgentEnv,
  { cwd, timeoutMs = defaultTimeoutMs }: ServerOptions,
  use: (server: AppServer) => Promise<T>,
): Promise<T> {
  const vars = { ...env.vars, OFFSHOOT_INTERNAL: '1' }
  const child = spawn('codex', ['app-server'], { cwd, env: vars, detached: true, stdio: ['pipe', 'pipe', 'pipe'] })
  const wire = new Wire(child)
  const timer = setTimeout(() => wire.fail(`did not answer within ${timeoutMs / 1000} s`), timeoutMs)
  try {
    const { userAgent } = await wire.request('initialize', {
      clientInfo: { name: 'offshoot', title: 'offshoot', version: '0' },
    })
    wire.notify('initialized')
    const version = typeof userAgent === 'string' ? (/^[^/]*\/(\d+\.\d+\.\d+\S*)/.exec(userAgent)?.[1] ?? null) : null
    return await use({ version, request: (method, params) => wire.request(method, params) })
  } finally {
    clearTimeout(timer)
    await wire.end()
  }
}

interface Waiting {
  readonly method: string
  readonly resolve: (result: Body) => void
  readonly reject: (error: Error) => void
}

class Wire {
  private readonly child: ChildProcess
  private readonly pending = new Map<number, Waiting>()
  private readonly gone: Promise<void>
  private serial = 0
  private stderr = ''
  /** Why nothing more can be asked. */
  private failure: AppError | null = null

  constructor(child: ChildProcess) {
    this.child = child
    this.gone = new Promise((resolve) => {
      child.once('exit', () => resolve())
      child.once('error', () => resolve())
    })
    child.once('error', (error) => {
      if (fileErrorCode(error) === 'ENOENT') this.abandon(new AppError('tool_missing', 'codex is not on the PATH.'))
      else this.fail(`could not be started: ${error.message}`)
    })
    child.once('exit', (code, signal) => this.fail(`ended with ${code ?? signal}`))
    // Its exit status says enough when it goes without reading all.
    child.stdin?.on('error', () => undefined)
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.stderr = (this.stderr + text).slice(-keptErrors)
    })
    if (child.stdout !== null) createInterface({ input: child.stdout }).on('line', (line) => this.take(line))
  }

  request(method: string, params: Body): Promise<Body> {
    return new Promise((resolve, reject) => {
      if (this.failure !== null) {
        reject(this.failure)
        return
      }
      this.serial += 1
      this.pending.set(this.serial, { method, resolve, reject })
      this.write({ id: this.serial, method, params })
    })
  }

  notify(method: string): void {
    this.write({ method })
  }

  fail(what: string): void {
    const said = this.stderr.trim()
    this.abandon(new AppError('failed', `codex app-server ${what}${said === '' ? '.' : `: ${said}`}`))
  }

  /** Closing its input ends it (0.142 to 0.166); what stays all the same is killed with what it started. */
  async end(): Promise<void> {
    this.child.stdin?.end()
    let timer: NodeJS.Timeout | undefined
    const overTime = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, this.failure === null ? endMs : 0)
    })
    await Promise.race([this.gone, overTime])
    clearTimeout(timer)
    if (this.child.exitCode === null && this.child.signalCode === null) killGroup(this.child.pid)
    this.child.stdout?.destroy()
    this.child.stderr?.destroy()
  }

  private abandon(error: AppError): void {
    this.failure ??= error
    for (const { reject } of this.pending.values()) reject(this.failure)
    this.pending.clear()
  }

  private write(message: Body): void {
    this.child.stdin?.write(`${JSON.stringify(message)}\n`)
  }

  private take(line: string): void {
    const message = parseMessage(line)
    if (message === undefined) {
      this.fail(`said what is no message: ${line.slice(0, 200)}`)
      return
    }
    const waiting = typeof message.id === 'number' && !('method' in message) ? this.pending.get(message.id) : undefined
    if (waiting === undefined) return
    this.pending.delete(Number(message.id))
    if (isObject(message.result)) {
      waiting.resolve(message.result)
      return
    }
    const why = isObject(message.error) ? String(message.error.message) : 'an answer without a result'
    waiting.reject(new AppError('failed', `Codex refused ${waiting.method}: ${why}`))
  }
}

function parseMessage(line: string): Body | undefined {
  try {
    const value: unknown = JSON.parse(line)
    return isObject(value) ? value : undefined
  } catch {
    return undefined // the caller says what was said instead
  }
}

function killGroup(pid: number | undefined): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, 'SIGKILL')
  } catch (error) {
    if (fileErrorCode(error) !== 'ESRCH') throw error // gone already is what we want
  }
}
