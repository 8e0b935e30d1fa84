// Child processes of a sandbox: each leads its own process group, so that it can be ended by id with all it started.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'

export interface RunOptions {
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  /** Written to stdin, which is then closed. Absent: stdin is empty. */
  readonly input?: string
  readonly timeoutMs?: number
}

export interface RunResult {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
}

export interface Running {
  readonly pid: number
  readonly child: ChildProcess
  readonly ended: Promise<RunResult>
  /** SIGKILL to the process alone, as a crash would be; then to what it left behind. */
  killHard(): Promise<void>
}

export interface Processes {
  start(argv: readonly string[], options: RunOptions): Running
  run(argv: readonly string[], options: RunOptions): Promise<RunResult>
  endAll(): Promise<void>
}

export function createProcesses(): Processes {
  const open = new Set<Running>()
  const endNow = () => {
    for (const running of open) endTree(running.pid)
  }
  process.once('exit', endNow) // a test run that is cut off leaves no agent behind

  function start(argv: readonly string[], options: RunOptions): Running {
    const [command, ...rest] = argv
    if (command === undefined) throw new Error('nothing to run')
    const child = spawn(command, rest, { cwd: options.cwd, env: options.env, detached: true, stdio: ['pipe', 'pipe', 'pipe'] })
    const { pid } = child
    if (pid === undefined) throw new Error(`${command} did not start`)
    child.stdin.on('error', () => child.stdin.destroy()) // a process that exits early closes its stdin under us
    child.stdin.end(options.input ?? '')
    const ended = collect(child, pid, argv, options.timeoutMs ?? 60_000)
    const running: Running = { pid, child, ended, killHard: () => killAlone(pid, ended) }
    open.add(running)
    const forget = () => open.delete(running)
    running.ended.then(forget, forget)
    return running
  }

  return {
    start,
    run: (argv, options) => start(argv, options).ended,
    async endAll() {
      process.removeListener('exit', endNow)
      const rest = [...open]
      for (const running of rest) endTree(running.pid)
      await Promise.allSettled(rest.map((running) => running.ended))
    },
  }
}

const lastWordsMs = 300

function collect(child: ChildProcess, pid: number, argv: readonly string[], timeoutMs: number): Promise<RunResult> {
  return new Promise((resolve, reject) => {
    const stdout: Buffer[] = []
    const stderr: Buffer[] = []
    child.stdout?.on('data', (chunk: Buffer) => stdout.push(chunk))
    child.stderr?.on('data', (chunk: Buffer) => stderr.push(chunk))
    const text = (chunks: Buffer[]) => Buffer.concat(chunks).toString('utf8')
    const timer = setTimeout(() => {
      endTree(pid)
      reject(new Error(`${argv.join(' ')}\nstill running after ${timeoutMs} ms\n${text(stdout)}\n${text(stderr)}`))
    }, timeoutMs)
    child.on('error', reject)
    // `exit`, not `close`: a background process of the agent may hold the pipes open for longer than the agent lives.
    // What it wrote last may come after its end is known; the immediate gives what is there already its turn.
    child.on('exit', (code, by) => {
      clearTimeout(timer)
      const finish = () => resolve({ code, signal: by, stdout: text(stdout), stderr: text(stderr) })
      child.once('close', finish)
      setTimeout(() => setImmediate(finish), lastWordsMs)
    })
  })
}

/** SIGKILL to the process alone, as a crash would be; once it is gone, to what it left behind. */
export async function killAlone(pid: number, gone: Promise<unknown>): Promise<void> {
  const left = descendants(pid)
  signal(pid, 'SIGKILL')
  await gone
  for (const id of left) signal(id, 'SIGKILL')
}

/** Ends a process we started and everything below it: agents put the commands they run into groups of their own. */
export function endTree(pid: number): void {
  for (const id of [...descendants(pid), pid]) signal(id, 'SIGKILL')
}

function descendants(pid: number): number[] {
  const table = execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' })
  const children = new Map<number, number[]>()
  for (const row of table.trim().split('\n')) {
    const [id, parent] = row.trim().split(/\s+/).map(Number)
    if (id === undefined || parent === undefined) continue
    children.set(parent, [...(children.get(parent) ?? []), id])
  }
  const found: number[] = []
  const queue = [pid]
  for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
    const below = children.get(next) ?? []
    found.push(...below)
    queue.push(...below)
  }
  return found
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error // gone already is what we want
  }
}
