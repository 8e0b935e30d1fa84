// Client of `codex app-server`: newline-delimited JSON on stdio, requests with an id, notifications without.
import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { isObject } from '../../../src/lib/jsonl.ts'
import { endTree } from '../lib/processes.ts'
import { waitUntil } from '../lib/wait.ts'
import type { CodexHome } from './home.ts'

type Fields = Readonly<Record<string, unknown>>

export interface Notification {
  readonly method: string
  readonly params: Fields
}

export interface TurnEnd {
  readonly turnId: string
  readonly status: string
}

export interface AppServer {
  readonly pid: number
  request<Result = Fields>(method: string, params: Fields): Promise<Result>
  /** The first notification, past or to come, that satisfies `wanted`. */
  notified(wanted: (note: Notification) => boolean): Promise<Notification>
  startThread(cwd: string): Promise<string>
  startTurn(threadId: string, prompt: string): Promise<string>
  turnEnd(turnId: string): Promise<TurnEnd>
  turn(threadId: string, prompt: string): Promise<TurnEnd>
  /** Id of a turn we did not start ourselves, once it has ended: a compaction, a shell command. */
  otherTurnEnd(known: readonly { readonly id: string }[]): Promise<string>
  fork(threadId: string, params?: Fields): Promise<string>
  /** The way back of 0.142: drops the last prompts. */
  rollback(threadId: string, numTurns: number): Promise<void>
  /** Closes stdin and waits until the process is gone. */
  stop(): Promise<void>
}

const limitMs = 20_000

export async function startAppServer(home: CodexHome, args: readonly string[] = []): Promise<AppServer> {
  const child = spawn(home.binary, [...args, 'app-server'], { cwd: home.work, env: home.env, stdio: ['pipe', 'pipe', 'pipe'] })
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  home.sandbox.onDispose(async () => {
    if (child.exitCode === null && child.signalCode === null && child.pid !== undefined) endTree(child.pid)
    await exited
  })
  const wire = connect(child)
  const { request, notified } = wire
  await request('initialize', {
    clientInfo: { name: 'offshoot-test', title: 'offshoot test', version: '0.0.0' },
    capabilities: { experimentalApi: true },
  })
  wire.notify('initialized')

  const startTurn = async (threadId: string, prompt: string): Promise<string> => {
    const { turn } = await request<{ turn: { id: string } }>('turn/start', { threadId, input: [{ type: 'text', text: prompt }] })
    return turn.id
  }
  const turnEnd = async (turnId: string): Promise<TurnEnd> => {
    const note = await notified(({ method, params }) => method === 'turn/completed' && turnOf(params).id === turnId)
    return { turnId, status: turnOf(note.params).status }
  }
  return {
    pid: child.pid ?? 0,
    request,
    notified,
    startThread: async (cwd) => (await request<{ thread: { id: string } }>('thread/start', { cwd })).thread.id,
    startTurn,
    turnEnd,
    otherTurnEnd: async (known) => {
      const isOther = (params: Fields) => !known.some(({ id }) => id === turnOf(params).id)
      return turnOf((await notified(({ method, params }) => method === 'turn/completed' && isOther(params))).params).id
    },
    turn: async (threadId, prompt) => turnEnd(await startTurn(threadId, prompt)),
    fork: async (threadId, params = {}) =>
      (await request<{ thread: { id: string } }>('thread/fork', { threadId, excludeTurns: true, ...params })).thread.id,
    rollback: async (threadId, numTurns) => {
      // 0.142 says that a turn has ended a moment before it thinks so itself.
      const tooEarly = (error: unknown) => String(error).includes('while a turn is in progress')
      const attempt = () => request('thread/rollback', { threadId, numTurns }).then(() => 'done')
      await waitUntil('the thread to be idle', () =>
        attempt().catch((error: unknown) => {
          if (tooEarly(error)) return undefined
          throw error
        }),
      )
    },
    stop: async () => {
      child.stdin.end()
      await exited
    },
  }
}

function turnOf(params: Fields): { id: string; status: string } {
  return params.turn as { id: string; status: string }
}

function connect(child: ChildProcess) {
  const pending = new Map<number, { resolve: (result: unknown) => void; reject: (error: Error) => void }>()
  const notes: Notification[] = []
  const waiting = new Set<(note: Notification) => void>()
  let stderr = ''
  let serial = 0
  const { stdin, stdout } = child
  if (!stdin || !stdout) throw new Error('app-server needs pipes')
  child.stderr?.on('data', (chunk: Buffer) => {
    stderr += chunk.toString()
  })
  child.once('exit', () => {
    for (const { reject } of pending.values()) reject(new Error(`app-server ended: ${stderr}`))
    pending.clear()
  })
  createInterface({ input: stdout }).on('line', (line) => {
    const message: unknown = JSON.parse(line)
    if (!isObject(message)) return
    const asked = typeof message.id === 'number' && !('method' in message) ? pending.get(message.id) : undefined
    if (asked) {
      pending.delete(Number(message.id))
      if (isObject(message.error)) asked.reject(new Error(String(message.error.message)))
      else asked.resolve(message.result)
    } else if (typeof message.method === 'string') {
      const note = { method: message.method, params: isObject(message.params) ? message.params : {} }
      notes.push(note)
      for (const wake of waiting) wake(note)
    }
  })
  const write = (message: Fields) => stdin.write(`${JSON.stringify(message)}\n`)
  return {
    notify: (method: string) => write({ method }),
    request: <Result = Fields>(method: string, params: Fields): Promise<Result> =>
      new Promise<Result>((resolve, reject) => {
        const id = ++serial
        pending.set(id, { resolve: (result) => resolve(result as Result), reject })
        write({ id, method, params })
      }),
    notified: (wanted: (note: Notification) => boolean): Promise<Notification> =>
      new Promise((resolve, reject) => {
        const past = notes.find(wanted)
        if (past) return resolve(past)
        const limit = setTimeout(() => {
          waiting.delete(wake)
          reject(new Error(`app-server did not say it within ${limitMs} ms; last: ${notes.at(-1)?.method}; ${stderr}`))
        }, limitMs)
        const wake = (note: Notification) => {
          if (!wanted(note)) return
          clearTimeout(limit)
          waiting.delete(wake)
          resolve(note)
        }
        waiting.add(wake)
      }),
  }
}
