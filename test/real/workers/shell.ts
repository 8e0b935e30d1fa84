// The built command line as a person has it in a shell: real agents, a tmux server of its own.
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { followUpsEnded } from '../../capture/follow-ups.ts'
import { bin } from '../../cli/run-cli.ts'
import type { ClaudeVersion, CodexVersion } from '../lib/agents.ts'
import { endTree, type Running, type RunResult } from '../lib/processes.ts'
import { createWorkerBench, type WorkerBench } from './worker-bench.ts'

export interface Shell {
  readonly bench: WorkerBench
  readonly root: string
  readonly work: string
  readonly vars: Readonly<Record<string, string>>
  run(...args: string[]): Promise<RunResult>
  start(...args: string[]): Running
  /** The one document of `--json`. */
  json<T>(...args: string[]): Promise<T>
  tmux(...args: string[]): string
  dispose(): Promise<void>
}

export async function createShell(claude?: ClaudeVersion, codex?: CodexVersion): Promise<Shell> {
  if (!existsSync(join(bin, '..', '..', 'dist', 'cli', 'main.js'))) throw new Error('build first: npm run build')
  const bench = await createWorkerBench(claude, codex)
  const { sandbox } = bench.claude
  const env: Readonly<Record<string, string>> = { ...bench.vars, TMUX_TMPDIR: sandbox.folder('sockets') }
  const options = { cwd: sandbox.work, env, timeoutMs: 120_000 }
  const run = (...args: string[]) => sandbox.processes.run([process.execPath, bin, ...args], options)
  const tmux = (...args: string[]) => execFileSync('tmux', args, { env, encoding: 'utf8', stdio: 'pipe' })
  return {
    bench,
    root: sandbox.root,
    work: sandbox.work,
    vars: env,
    run,
    start: (...args) => sandbox.processes.start([process.execPath, bin, ...args], options),
    async json<T>(...args: string[]) {
      const { stdout, stderr } = await run(...args, '--json')
      try {
        return JSON.parse(stdout) as T
      } catch (cause) {
        throw new Error(`no document of ${args.join(' ')}: ${stdout}${stderr}`, { cause })
      }
    },
    tmux,
    async dispose() {
      try {
        endTree(Number(tmux('display-message', '-p', '#{pid}')))
      } catch {
        // it was never started, or has ended with its last pane
      }
      await followUpsEnded(env.OFFSHOOT_HOME ?? '')
      await bench.dispose()
    },
  }
}
