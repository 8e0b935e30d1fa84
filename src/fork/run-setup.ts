// Runs the set-up command of a new workspace. It ends with offshoot, however that ends: its shell waits on a pipe beside the command, and
// ends all of its group when the other end is gone.
import { type ChildProcessByStdio, spawn } from 'node:child_process'
import type { Readable, Writable } from 'node:stream'
import { StringDecoder } from 'node:string_decoder'
import { errorMessage } from '../lib/error-message.ts'
import { signalProcess } from '../lib/process-tree.ts'
import type { MakingProgress, SetupOutcome, SetupPlan } from '../model/fork.ts'

export interface SetupRun extends SetupPlan {
  readonly workspace: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly now: () => number
  readonly onProgress?: (progress: MakingProgress) => void
}

const keptLines = 20
/** A line without end is cut: a progress bar draws for minutes on one. */
const keptChars = 16_000
const progressEveryMs = 200
/** For what still holds the output open when the command itself has ended. */
const patienceMs = 500

/** Variables that speak of one call of git in one repository: in the workspace they would turn git against another one. */
const ofOneCall =
  /^GIT_(DIR|WORK_TREE|IMPLICIT_WORK_TREE|COMMON_DIR|INDEX_FILE|OBJECT_DIRECTORY|ALTERNATE_OBJECT_DIRECTORIES|PREFIX|NAMESPACE|CONFIG|CONFIG_PARAMETERS|CONFIG_COUNT|CONFIG_KEY_\d+|CONFIG_VALUE_\d+|GRAFT_FILE|SHALLOW_FILE|NO_REPLACE_OBJECTS|REPLACE_REF_BASE)$/

const script = `exec 3<&0 </dev/null
( cat <&3 >/dev/null; kill -9 0 ) >/dev/null 2>&1 &
/bin/sh -c "$1" 3<&-
status=$?
kill $! 2>/dev/null
exit $status`

export async function runSetup(run: SetupRun): Promise<SetupOutcome> {
  const { command, timeoutSeconds, workspace, now, onProgress } = run
  const startedAt = now()
  const seconds = () => Math.max(0, Math.round((now() - startedAt) / 100) / 10)
  const tail = createTail()
  const child = spawn('/bin/sh', ['-c', script, 'offshoot-setup', command], {
    cwd: workspace,
    env: environment(run),
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  let timedOut = false
  const timer = setTimeout(() => {
    timedOut = true
    if (child.pid !== undefined) signalProcess(-child.pid, 'SIGKILL')
  }, timeoutSeconds * 1000)
  const telling = setInterval(
    () => onProgress?.({ step: 'setup', command, seconds: seconds(), line: tail.lines().at(-1) ?? '' }),
    progressEveryMs,
  )
  try {
    const exitCode = await ended(child, tail.add)
    return { command, exitCode: timedOut ? null : exitCode, timedOut, seconds: seconds(), output: tail.lines() }
  } finally {
    clearTimeout(timer)
    clearInterval(telling)
  }
}

/** Programs are looked for in absolute folders only: the workspace must not bring its own `npm`. */
function environment({ env, source, workspace }: SetupRun): Record<string, string | undefined> {
  const own = Object.entries(env).filter(([name]) => !ofOneCall.test(name))
  const folders = (env.PATH ?? '').split(':').filter((folder) => folder.startsWith('/'))
  return {
    ...Object.fromEntries(own),
    PATH: folders.join(':') || '/usr/bin:/bin',
    OFFSHOOT_SOURCE: source,
    OFFSHOOT_WORKSPACE: workspace,
  }
}

type SetupProcess = ChildProcessByStdio<Writable, Readable, Readable>

/** The exit status; `null` when it was ended by a signal, or never began. */
function ended(child: SetupProcess, add: (text: string) => void): Promise<number | null> {
  for (const stream of [child.stdout, child.stderr]) {
    const decoder = new StringDecoder('utf8')
    stream.on('data', (chunk: Buffer) => add(decoder.write(chunk)))
  }
  child.stdin.on('error', () => undefined) // the pipe is only there to be closed
  return new Promise((resolve) => {
    child.on('error', (error) => {
      add(errorMessage(error))
      resolve(null)
    })
    child.on('exit', (exitCode) => {
      const done = () => {
        clearTimeout(patience)
        child.stdin.destroy()
        child.stdout.destroy()
        child.stderr.destroy()
        resolve(exitCode)
      }
      // What the command left running (a server, say) may hold the pipes.
      const patience = setTimeout(done, patienceMs)
      child.on('close', done)
    })
  })
}

/** The last lines of what was printed. A carriage return begins a line anew, as on a terminal. */
function createTail() {
  let kept = ''
  return {
    add(text: string): void {
      kept = (kept + text).slice(-keptChars)
    },
    lines: (): string[] =>
      kept
        .split(/\r?\n/)
        .map((line) => line.slice(line.lastIndexOf('\r') + 1).trimEnd())
        .filter((line) => line !== '')
        .slice(-keptLines),
  }
}
