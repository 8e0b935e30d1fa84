// Runs another program to its end, always with a time limit. The environment is exactly what the caller gives: tinyexec
// would add ours, and inside a git hook ours holds GIT_DIR and GIT_INDEX_FILE, which turn git against the wrong repository.
import { parse } from 'node:path'
import type { x as Run } from 'tinyexec'
import { errorMessage } from './error-message.ts'
import { fileErrorCode } from './file-errors.ts'
import { watchForStuck } from './waits-for-good.ts'

export interface ExecOptions {
  readonly cwd: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly timeoutMs: number
  /** Ends a git process earlier that does nothing for so long (see `waits-for-good.ts`). */
  readonly idleMs?: number
  readonly input?: string
  /** How bytes become text, both ways; `latin1` keeps every byte (file names need not be UTF-8). `utf8` unless told. */
  readonly encoding?: 'utf8' | 'latin1'
  /** Called as soon as the program runs; if it throws, the program is killed. */
  readonly onStarted?: (pid: number) => void
}

export interface ExecResult {
  readonly stdout: string
  readonly stderr: string
  /** `null` when the program did not end by itself: not found, killed, or over its time. */
  readonly exitCode: number | null
  readonly missing: boolean
  readonly timedOut: boolean
  /** It was ended because it did nothing for `idleMs`; `timedOut` is set too. */
  readonly stuck?: true
}

/** A folder that is always there, for programs that only say what they are: a missing one looks like a missing program. */
export const anyFolder = parse(process.execPath).root

export type Exec = (command: string, args: readonly string[], options: ExecOptions) => Promise<ExecResult>

/** Never throws: what went wrong is in the result. */
export const exec: Exec = async (command, args, options) => {
  const { cwd, env, timeoutMs, idleMs, input = '', encoding = 'utf8', onStarted } = options
  const { x } = await import('tinyexec') // 5 ms that a listing of unchanged sessions does not pay
  let child: ReturnType<typeof Run>
  try {
    child = x(command, args, { nodePath: false, nodeOptions: { cwd, env: onlyThese(env) } })
  } catch (error) {
    return { ...noOutput, stderr: errorMessage(error) } // Node itself refuses to start it: a NUL in an argument
  }
  connect(child, input, encoding)
  let timer: NodeJS.Timeout | undefined
  let endWatch = (): void => undefined
  const overTime = new Promise<'over-time' | 'stuck'>((resolve) => {
    timer = setTimeout(() => resolve('over-time'), timeoutMs)
    if (idleMs !== undefined && child.pid !== undefined) endWatch = watchForStuck(child.pid, idleMs, () => resolve('stuck'))
  })
  try {
    if (child.pid !== undefined) onStarted?.(child.pid)
    // Raced, not only killed: a grandchild may keep the pipe open long after the child is gone.
    const output = await Promise.race([child, overTime])
    if (output === 'over-time') return { ...noOutput, timedOut: true }
    if (output === 'stuck') return { ...noOutput, timedOut: true, stuck: true }
    return { stdout: output.stdout, stderr: output.stderr, exitCode: output.exitCode ?? null, missing: false, timedOut: false }
  } catch (error) {
    const stderr = errorMessage(error)
    return { ...noOutput, stderr, missing: fileErrorCode(error) === 'ENOENT' }
  } finally {
    clearTimeout(timer)
    endWatch()
    if (child.exitCode === undefined) abandon(child)
  }
}

const noOutput: ExecResult = { stdout: '', stderr: '', exitCode: null, missing: false, timedOut: false }

/** Not tinyexec's own way: it cuts characters at the end of a chunk, and a program that reads no input breaks the pipe. */
function connect({ process: child }: ReturnType<typeof Run>, input: string, encoding: BufferEncoding): void {
  child?.stdout?.setEncoding(encoding)
  child?.stderr?.setEncoding(encoding)
  // A program that ends without reading its input (git init: 2 of 3 times) says enough by its exit status.
  child?.stdin?.on('error', () => undefined)
  child?.stdin?.end(input, encoding)
}

function abandon(child: ReturnType<typeof Run>): void {
  child.kill('SIGKILL')
  child.process?.stdout?.destroy()
  child.process?.stderr?.destroy()
}

function onlyThese(env: ExecOptions['env']): NodeJS.ProcessEnv {
  const ours = Object.fromEntries(Object.keys(process.env).map((name) => [name, undefined]))
  return { ...ours, ...env }
}
