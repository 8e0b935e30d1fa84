// Headless runs: `codex exec`, `exec resume`, `exec fork`. Stdin is empty, because exec waits for its end when it is no terminal.
import { isObject } from '../../../src/lib/jsonl.ts'
import type { Running, RunResult } from '../lib/processes.ts'
import type { CodexHome } from './home.ts'

type ExecEvent = Readonly<Record<string, unknown>>

export interface ExecOptions {
  readonly cwd?: string
  /** Placed before the subcommand. */
  readonly options?: readonly string[]
}

/** A run that is not waited for: to be killed, or to be watched while it works. */
export function startExec(
  home: CodexHome,
  args: readonly string[],
  { cwd = home.work, options = [] }: ExecOptions = {},
): Running {
  const argv = [home.binary, 'exec', '--skip-git-repo-check', '--json', ...options, ...args]
  return home.sandbox.processes.start(argv, { cwd, env: home.env })
}

function execEvents({ stdout }: RunResult): ExecEvent[] {
  return stdout.split('\n').flatMap((line) => {
    if (!line.endsWith('}')) return [] // a killed run leaves a torn last line
    const value: unknown = JSON.parse(line)
    return isObject(value) ? [value] : []
  })
}

function execThreadId(result: RunResult): string {
  const started = execEvents(result).find((event) => event.type === 'thread.started')
  if (typeof started?.thread_id !== 'string') throw new Error(`no thread was started: ${result.stdout} ${result.stderr}`)
  return started.thread_id
}

/** A new session with one prompt. */
export async function execNew(home: CodexHome, prompt: string, options?: ExecOptions): Promise<string> {
  return execThreadId(succeeded(await startExec(home, [prompt], options).ended))
}

/** `exec resume` opens a NEW session when it does not know the name, so the id it reports is compared. */
export async function execResume(home: CodexHome, threadId: string, prompt: string, options?: ExecOptions): Promise<void> {
  const opened = execThreadId(succeeded(await startExec(home, ['resume', threadId, prompt], options).ended))
  if (opened !== threadId) throw new Error(`asked to resume ${threadId}, the CLI opened ${opened}`)
}

/** Since 0.150: a fork of the whole thread; makes no model call without a prompt. */
export async function execFork(home: CodexHome, threadId: string, prompt?: string, options?: ExecOptions): Promise<string> {
  const args = prompt === undefined ? ['fork', threadId] : ['fork', threadId, prompt]
  return execThreadId(succeeded(await startExec(home, args, options).ended))
}

/** Any other command: `archive`, `unarchive`, `delete` ... */
export async function runCodex(home: CodexHome, ...args: string[]): Promise<RunResult> {
  return home.sandbox.processes.run([home.binary, ...args], { cwd: home.work, env: home.env })
}

function succeeded(result: RunResult): RunResult {
  if (result.code === 0) return result
  throw new Error(`codex exec ended with ${result.code ?? result.signal}: ${result.stdout} ${result.stderr}`)
}
