// Runs the background process beside the server: starts it again with growing pauses when it ends unasked or hangs, hands on what it
// tells, and keeps its status in `$OFFSHOOT_HOME/background.json` for commands that ask without the server.
import { type ChildProcess, fork } from 'node:child_process'
import { rmSync } from 'node:fs'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import writeFileAtomic from 'write-file-atomic'
import type { Log } from '../lib/log.ts'
import { type BackgroundStatus, idlePipeline } from '../model/background.ts'
import type { IndexProgress } from '../model/search.ts'
import { backgroundFile } from './background-file.ts'
import { aliveMs, type FromProcess, type ToProcess } from './background-messages.ts'

export interface BackgroundOptions {
  /** The person's home; the process finds everything else from the variables. */
  readonly home: string
  readonly vars: Readonly<Record<string, string | undefined>>
  /** `$OFFSHOOT_HOME`. */
  readonly folder: string
  readonly now: () => number
  readonly log: Log
  readonly onProgress: (progress: IndexProgress) => void
  /** For tests: another program, other flags for Node, other pauses. */
  readonly program?: string
  readonly execArgv?: readonly string[]
  readonly firstPauseMs?: number
  readonly missesAllowed?: number
  readonly checkMs?: number
}

export interface Background {
  status(): BackgroundStatus
  /** Indexes what is new now. */
  updateNow(): void
  /** Somebody searches: has it give way for a moment. */
  giveWay(): void
  /** Lets it finish the turn in hand; whatever is still there after some seconds is ended. */
  close(): Promise<void>
}

const longestPauseMs = 5 * 60_000
/** After this long without a fall the next one counts as the first. */
const healthyMs = 10 * 60_000
const stopMs = 5000
const killMs = 3000
const saveMs = 1000

export function startBackground(options: BackgroundOptions): Background {
  const { now, log, checkMs = aliveMs, missesAllowed = 12, firstPauseMs = 1000 } = options
  const program = options.program ?? fileURLToPath(new URL(`./background-process${extname(import.meta.url)}`, import.meta.url))
  let status: BackgroundStatus = {
    state: 'starting',
    pid: null,
    startedAt: null,
    startsAt: null,
    restarts: 0,
    problem: null,
    index: { ...idlePipeline, state: 'waiting' },
    qmd: idlePipeline,
  }
  let child: ChildProcess | undefined
  let falls = 0
  let misses = 0
  let closing: Promise<void> | undefined
  let restart: NodeJS.Timeout | undefined
  const saving = createSaver(join(options.folder, backgroundFile), () => ({ server_pid: process.pid, status }))

  const set = (change: Partial<BackgroundStatus>) => {
    status = { ...status, ...change }
    saving.soon()
  }

  function start(): void {
    const env = { ...options.vars, HOME: options.home, OFFSHOOT_HOME: options.folder, OFFSHOOT_INTERNAL: '1' }
    const started = fork(program, [], {
      cwd: options.home,
      env,
      execArgv: [...(options.execArgv ?? process.execArgv)],
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    })
    child = started
    misses = 0
    let said = ''
    const startedAt = now()
    set({ state: 'starting', pid: started.pid ?? null, startedAt, startsAt: null })
    started.stderr?.setEncoding('utf8').on('data', (text: string) => {
      said = `${said}${text}`.slice(-2000)
    })
    started.on('message', (message: FromProcess) => hear(message))
    started.on('error', (error) => {
      said = error.message
      if (started.pid === undefined) fell(started, startedAt, said)
    })
    started.on('exit', (code, signal) => fell(started, startedAt, firstLine(said) ?? `it ended with ${signal ?? code}`))
  }

  function hear(message: FromProcess): void {
    misses = 0
    if (message.kind === 'status') {
      set({ ...message.status, state: 'running' })
      if (message.status.index.state === 'stalled') child?.kill('SIGKILL') // started anew, it may get on
    }
    if (message.kind === 'progress') options.onProgress(message.progress)
    else if (message.kind === 'log') log.write(message.level, message.event, message.fields)
  }

  function fell(which: ChildProcess, startedAt: number, problem: string): void {
    if (child !== which) return
    child = undefined
    if (closing !== undefined) return
    falls = now() - startedAt > healthyMs ? 1 : falls + 1
    const pauseMs = Math.min(longestPauseMs, firstPauseMs * 2 ** (falls - 1))
    log.write('warn', 'the background process ended', { problem, pauseMs })
    set({ state: 'down', pid: null, problem, startsAt: now() + pauseMs, restarts: status.restarts + 1 })
    restart = setTimeout(start, pauseMs)
  }

  /** Counted in our own ticks: after the machine slept, one is missed and not hundreds. */
  const watch = setInterval(() => {
    if (child === undefined) return
    misses += 1
    if (misses < missesAllowed) return
    log.write('error', 'the background process hangs', { pid: child.pid ?? 0 })
    set({ index: { ...status.index, state: 'stalled' } })
    child.kill('SIGKILL')
  }, checkMs)

  async function close(): Promise<void> {
    clearInterval(watch)
    clearTimeout(restart)
    const ending = child
    if (ending !== undefined) await end(ending)
    status = { ...status, state: 'stopped', pid: null, startsAt: null }
    await saving.close()
  }

  start()
  return {
    status: () => status,
    updateNow: () => send(child, 'update'),
    giveWay: () => send(child, 'searching'),
    close() {
      closing ??= close()
      return closing
    },
  }
}

async function end(child: ChildProcess): Promise<void> {
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  if (child.exitCode !== null || child.signalCode !== null) return
  send(child, 'stop')
  const timers = [setTimeout(() => child.kill('SIGTERM'), stopMs), setTimeout(() => child.kill('SIGKILL'), stopMs + killMs)]
  await ended
  for (const timer of timers) clearTimeout(timer)
}

function send(child: ChildProcess | undefined, message: ToProcess): void {
  if (child?.connected === true) child.send(message, () => undefined) // it may end just now
}

function firstLine(text: string): string | null {
  const line = text
    .split('\n')
    .map((each) => each.trim())
    .find((each) => /error/i.test(each))
  return line === undefined ? null : line.slice(0, 300)
}

/** At once, then one write at a time and not for every session of a progress. What cannot be written (a full disk) is not missed. */
function createSaver(file: string, read: () => unknown) {
  let timer: NodeJS.Timeout | undefined
  let isDue = false
  let writing: Promise<void> = Promise.resolve()
  const write = () => {
    timer = isDue ? setTimeout(write, saveMs) : undefined
    if (!isDue) return
    isDue = false
    writing = writing
      .then(() => writeFileAtomic(file, `${JSON.stringify(read())}\n`, { mode: 0o600, fsync: false }))
      .catch(() => undefined)
  }
  return {
    soon(): void {
      isDue = true
      if (timer === undefined) write()
    },
    async close(): Promise<void> {
      clearTimeout(timer)
      await writing
      rmSync(file, { force: true })
    },
  }
}
