// A client of `codex app-server`, for one question or for as long as threads run in it: one JSON message a line on stdio,
// requests with an id, notifications without. The server asks too, with ids of its own that begin at 0 and meet ours: what has a
// method is a question, what has none an answer. The npm wrapper of Codex is a process around the real one, so what does not
// end by itself is ended as a process group.
import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileErrorCode } from '../../lib/file-errors.ts'
import { isObject } from '../../lib/jsonl.ts'
import { lastLines } from '../../lib/last-lines.ts'
import { AppError } from '../../model/error.ts'
import type { AgentEnv } from '../agent-env.ts'
import { innerVars } from '../outer-agent.ts'
import type { Body } from './lines.ts'

export interface AppServer {
  /** As it says itself; `null` when it does not. */
  readonly version: string | null
  request(method: string, params: Body): Promise<Body>
}

export interface ServerOptions {
  readonly cwd: string
  /** In front of `app-server`. */
  readonly flags?: readonly string[]
  /** For all of it, from the start of the process to the last answer. */
  readonly timeoutMs?: number
}

/** How a process ended; `error` in words when it was not by `close`. */
export interface ServerEnd {
  readonly status: number | null
  readonly signal: string | null
  readonly error: string | null
}

export type RequestId = number | string

export interface ServerListener {
  notified(method: string, params: Body): void
  /** Must be answered with `respond` or `refuse`. */
  asked(id: RequestId, method: string, params: Body): void
}

export interface OpenServer extends AppServer {
  readonly pid: number | null
  readonly ended: Promise<ServerEnd>
  respond(id: RequestId, result: Body): void
  refuse(id: RequestId, why: string): void
  close(): Promise<void>
}

export interface OpenOptions {
  readonly cwd: string
  /** The whole environment. */
  readonly vars: AgentEnv['vars']
  /** In front of `app-server`. */
  readonly flags: readonly string[]
}

const defaultTimeoutMs = 60_000
/** Of one answer of a server that stays: nothing it is asked takes as long as a turn. */
const answerTimeoutMs = 60_000
const endMs = 3000
const keptErrors = 2000
const notSupported = -32_601

/** Runs the server for as long as `use` needs it. */
export async function withAppServer<T>(
  env: AgentEnv,
  { cwd, flags = [], timeoutMs = defaultTimeoutMs }: ServerOptions,
  use: (server: AppServer) => Promise<T>,
): Promise<T> {
  const wire = new Wire({ cwd, vars: innerVars(env.vars, { OFFSHOOT_INTERNAL: '1' }), flags })
  const timer = setTimeout(() => wire.fail(`did not answer within ${timeoutMs / 1000} s`), timeoutMs)
  try {
    const version = await wire.greet({})
    return await use({ version, request: (method, params) => wire.request(method, params) })
  } finally {
    clearTimeout(timer)
    await wire.end()
  }
}

/** A server that stays until it is closed. It may be asked what is experimental: only so can shells be ended with their turn. */
export async function openAppServer(options: OpenOptions, listener: ServerListener): Promise<OpenServer> {
  const wire = new Wire(options, listener)
  const request = (method: string, params: Body) => wire.request(method, params, answerTimeoutMs)
  try {
    const version = await wire.greet({ capabilities: { experimentalApi: true } }, answerTimeoutMs)
    return {
      version,
      pid: wire.pid,
      ended: wire.ended,
      request,
      respond: (id, result) => wire.write({ id, result }),
      refuse: (id, message) => wire.write({ id, error: { code: notSupported, message } }),
      close: () => wire.end(),
    }
  } catch (error) {
    await wire.end()
    throw error
  }
}

interface Waiting {
  readonly method: string
  readonly resolve: (result: Body) => void
  readonly reject: (error: Error) => void
}

class Wire {
  readonly ended: Promise<ServerEnd>
  private readonly child: ChildProcess
  private readonly listener: ServerListener | null
  private readonly pending = new Map<number, Waiting>()
  private serial = 0
  private stderr = ''
  private closing = false
  /** Why nothing more can be asked. */
  private failure: AppError | null = null

  constructor({ cwd, vars, flags }: OpenOptions, listener: ServerListener | null = null) {
    this.listener = listener
    const child = spawn('codex', [...flags, 'app-server'], { cwd, env: vars, detached: true, stdio: ['pipe', 'pipe', 'pipe'] })
    this.child = child
    this.ended = new Promise((resolve) => {
      const settle = (status: number | null, signal: string | null) =>
        resolve({ status, signal, error: this.closing ? null : (this.failure?.message ?? null) })
      child.once('error', (error) => {
        if (fileErrorCode(error) === 'ENOENT') this.abandon(new AppError('tool_missing', 'codex is not on the PATH.'))
        else this.fail(`could not be started: ${error.message}`)
        settle(null, null)
      })
      child.once('exit', (code, signal) => {
        // What one that was killed said before has nothing to do with it.
        if (signal !== null && listener !== null) this.stderr = ''
        this.fail(`ended with ${code ?? signal}`)
        // A killed wrapper leaves the real one behind.
        if (!this.closing) killGroup(child.pid)
        settle(code, signal)
      })
    })
    // Its exit status says enough when it goes without reading all.
    child.stdin?.on('error', () => undefined)
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.stderr = (this.stderr + text).slice(-keptErrors)
    })
    if (child.stdout !== null) createInterface({ input: child.stdout }).on('line', (line) => this.take(line))
  }

  get pid(): number | null {
    return this.child.pid ?? null
  }

  /** Answers the version it says it is. */
  async greet(capabilities: Body, timeoutMs?: number): Promise<string | null> {
    const clientInfo = { name: 'offshoot', title: 'offshoot', version: '0' }
    const { userAgent } = await this.request('initialize', { clientInfo, ...capabilities }, timeoutMs)
    this.write({ method: 'initialized' })
    return typeof userAgent === 'string' ? (/^[^/]*\/(\d+\.\d+\.\d+\S*)/.exec(userAgent)?.[1] ?? null) : null
  }

  request(method: string, params: Body, timeoutMs?: number): Promise<Body> {
    return new Promise((resolve, reject) => {
      if (this.failure !== null) {
        reject(this.failure)
        return
      }
      this.serial += 1
      const id = this.serial
      const late = () => {
        this.pending.delete(id)
        reject(new AppError('timed_out', `Codex did not answer ${method} within ${(timeoutMs ?? 0) / 1000} s.`))
      }
      const timer = timeoutMs === undefined ? undefined : setTimeout(late, timeoutMs)
      const settled = <T>(settle: (value: T) => void) => {
        return (value: T): void => {
          clearTimeout(timer)
          settle(value)
        }
      }
      this.pending.set(id, { method, resolve: settled(resolve), reject: settled(reject) })
      this.write({ id, method, params })
    })
  }

  fail(what: string): void {
    const said = lastLines(this.stderr)
    this.abandon(new AppError('failed', `codex app-server ${what}${said === '' ? '.' : `: ${said}`}`))
  }

  /** Closing its input ends it (0.142 to 0.166); what stays all the same is killed with what it started. */
  async end(): Promise<void> {
    this.closing = true
    this.child.stdin?.end()
    let timer: NodeJS.Timeout | undefined
    const overTime = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, this.failure === null ? endMs : 0)
    })
    await Promise.race([this.ended, overTime])
    clearTimeout(timer)
    if (this.child.exitCode === null && this.child.signalCode === null) killGroup(this.child.pid)
    this.child.stdout?.destroy()
    this.child.stderr?.destroy()
  }

  write(message: Body): void {
    this.child.stdin?.write(`${JSON.stringify(message)}\n`)
  }

  private abandon(error: AppError): void {
    this.failure ??= error
    for (const { reject } of this.pending.values()) reject(this.failure)
    this.pending.clear()
  }

  private take(line: string): void {
    const message = parseMessage(line)
    if (message === undefined) {
      this.fail(`said what is no message: ${line.slice(0, 200)}`)
      if (this.listener !== null) killGroup(this.child.pid)
      return
    }
    const { id, method } = message
    if (typeof method === 'string') this.hear(id, method, isObject(message.params) ? message.params : {})
    else if (typeof id === 'number') this.answered(id, message)
  }

  private hear(id: unknown, method: string, params: Body): void {
    if (typeof id === 'number' || typeof id === 'string') this.listener?.asked(id, method, params)
    else this.listener?.notified(method, params)
  }

  private answered(id: number, message: Body): void {
    const waiting = this.pending.get(id)
    if (waiting === undefined) return
    this.pending.delete(id)
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
