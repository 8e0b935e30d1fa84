// Starts the built program so that the main thread of any of its processes can be blocked for good.
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { isAlive } from '../../src/lib/is-alive.ts'
import { bin, type Fixture } from '../cli/run-cli.ts'
import { waitUntil } from '../real/lib/wait.ts'

const preload = fileURLToPath(new URL('./block.mjs', import.meta.url))

/** `in a loop`: JavaScript that never returns. `in a system call`: opening a pipe that nobody writes to. */
export type Block = 'in a loop' | 'in a system call'

interface Note {
  readonly pid: number
  readonly ppid: number
  readonly argv: readonly string[]
}

interface End {
  readonly status: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
}

export interface Started {
  readonly child: ChildProcess
  readonly pid: number
  readonly ended: Promise<End>
  readonly stdout: () => string
  /** The process that does the work: a child of the one that was started, where it starts one. */
  server(): Promise<number>
  /** Returns when its main thread is blocked. */
  block(how: Block): Promise<number>
  /** All processes that it has started, and itself. */
  pids(): readonly number[]
  /** Ends whatever is left of it. */
  end(): void
}

export function start(
  home: Fixture,
  args: readonly string[],
  { env = {}, stdin = 'ignore' }: { readonly env?: Readonly<Record<string, string>>; readonly stdin?: 'ignore' | 'pipe' } = {},
): Started {
  const notes = mkdtempSync(join(home.vars.HOME ?? '', 'stuck-'))
  const child = spawn(process.execPath, [bin, ...args], {
    cwd: home.repository,
    env: { ...home.vars, NODE_OPTIONS: `--import=${pathToFileURL(preload)}`, STUCK_NOTES: notes, ...env },
    stdio: [stdin, 'pipe', 'pipe'],
  })
  const pid = child.pid ?? 0
  let [stdout, stderr] = ['', '']
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    stdout += text
  })
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  const ended = new Promise<End>((resolve) =>
    child.on('exit', (status, signal) => setImmediate(() => resolve({ status, signal, stdout, stderr }))),
  )
  const all = () =>
    readdirSync(notes)
      .filter((name) => name.endsWith('.json'))
      .map((name) => JSON.parse(readFileSync(join(notes, name), 'utf8')) as Note)
  const server = async () => {
    const found = all().find((note) => note.ppid === pid && note.argv[1]?.endsWith('offshoot.js'))
    return found?.pid ?? pid
  }
  return {
    child,
    pid,
    ended,
    stdout: () => stdout,
    server,
    async block(how) {
      const which = await server()
      writeFileSync(join(notes, `${which}.block`), how)
      await waitUntil('it to be stuck', () => existsSync(join(notes, `${which}.blocked`)))
      return which
    },
    pids: () => [pid, ...all().map((note) => note.pid)],
    end() {
      for (const each of new Set([pid, ...all().map((note) => note.pid)])) if (isAlive(each)) process.kill(each, 'SIGKILL')
    },
  }
}
