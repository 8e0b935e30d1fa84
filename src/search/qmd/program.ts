// Runs qmd: always with a time limit, in a process group of its own (its launcher starts a second process), on an index and a
// config of ours. `--index` matters: without it a `.qmd/` anywhere above the working folder takes over (qmd 2.8.3), even where
// INDEX_PATH is set.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { AgentEnv } from '../../agents/agent-env.ts'
import type { ExecResult } from '../../lib/exec.ts'
import { createExecGroup } from '../../lib/exec-group.ts'

/** `ours`: the index under `$OFFSHOOT_HOME`; `theirs`: the person's own, only ever searched. */
export type QmdIndex = 'ours' | 'theirs'

export interface QmdRun {
  readonly timeoutMs: number
  readonly index?: QmdIndex
  readonly signal?: AbortSignal | undefined
}

export interface Qmd {
  /** Where it runs, and where its index and config are. */
  readonly folder: string
  readonly configFile: string
  /** Never throws. Killed with all it started when its time is over or the signal comes: then `timedOut`. */
  run(args: readonly string[], options: QmdRun): Promise<ExecResult>
  /** The version of the Node that `qmd` runs on, `null` where there is none. */
  nodeVersion(): Promise<string | null>
}

const indexName = 'offshoot'

export function createQmd({ env, folder: home }: { readonly env: AgentEnv; readonly folder: string }): Qmd {
  const folder = join(home, 'index', 'qmd')
  const common = { ...env.vars, PWD: folder, NO_COLOR: '1', OFFSHOOT_INTERNAL: '1' }
  const ours = { ...common, INDEX_PATH: join(folder, 'index.sqlite'), QMD_CONFIG_DIR: folder }

  async function execute(command: string, args: readonly string[], { timeoutMs, index = 'ours', signal }: QmdRun) {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const group = createExecGroup()
    if (signal?.aborted === true) group.kill()
    const onAbort = () => group.kill()
    signal?.addEventListener('abort', onAbort, { once: true })
    // A group of its own does not get the Ctrl-C of the terminal: whoever leaves takes it along.
    process.once('exit', onAbort)
    try {
      return await group.exec(command, args, { cwd: folder, env: index === 'ours' ? ours : common, timeoutMs })
    } finally {
      signal?.removeEventListener('abort', onAbort)
      process.removeListener('exit', onAbort)
    }
  }

  return {
    folder,
    configFile: join(folder, `${indexName}.yml`),
    run: (args, options) => execute('qmd', options.index === 'theirs' ? args : ['--index', indexName, ...args], options),
    async nodeVersion() {
      const { stdout, exitCode } = await execute('node', ['--version'], { timeoutMs: 5000 })
      return exitCode === 0 ? stdout.trim() : null
    },
  }
}

/** What a failed run says, in one line. */
export function faultOf({ missing, timedOut, exitCode, stderr, stdout }: ExecResult, timeoutMs: number): string {
  if (missing) return 'qmd is not on PATH'
  if (timedOut) return `qmd did not end within ${Math.round(timeoutMs / 1000)} s and was stopped`
  if (isSegfault({ exitCode, timedOut, missing })) return 'qmd crashed (segmentation fault)'
  const said = lastLine(stderr) || lastLine(stdout)
  return `qmd failed (exit ${exitCode})${said === '' ? '' : `: ${said}`}`
}

/** Killed by a signal, or by way of a shell that says so. */
export function isSegfault({ exitCode, timedOut, missing }: Pick<ExecResult, 'exitCode' | 'timedOut' | 'missing'>): boolean {
  return exitCode === 139 || (exitCode === null && !timedOut && !missing)
}

function lastLine(text: string): string {
  return (text.trim().split('\n').at(-1) ?? '').trim().slice(0, 300)
}
