// `offshoot` alone: the terminal UI. Where there is no terminal to draw on, the help.
import { basename, join } from 'node:path'
import { exec } from '../../lib/exec.ts'
import { AppError } from '../../model/error.ts'
import type { Context, SignalListener } from '../context.ts'
import { launchHere } from '../forking/launch.ts'
import type { Terminal } from '../terminal.ts'

const mostFiles = 50_000

/** Gives the exit status. */
export async function openTui(context: Context, { input, output }: Terminal): Promise<number> {
  const app = await context.app()
  const [{ runTui }, { parseOwnKeys }, repository, theme, ownKeys] = await Promise.all([
    import('../../tui/main.ts'),
    import('../../tui/own-keys.ts'),
    app.repositoryOf(context.cwd),
    context.setting<'auto' | 'dark' | 'light'>('tui.theme'),
    context.setting<readonly string[]>('tui.keys'),
  ])
  let onSignal: SignalListener = () => undefined
  return await runTui({
    app,
    input,
    output,
    vars: context.vars,
    now: context.now,
    repository: repository === null ? null : { root: repository.root, name: basename(repository.root) },
    layoutFile: join(context.paths.root, 'tui.json'),
    theme,
    keys: parseOwnKeys(ownKeys),
    async handOver(argv, cwd) {
      try {
        return await launchHere(context, { argv, cwd, env: {} })
      } catch (error) {
        throw error instanceof AppError ? missing(argv[0] ?? '', error) : error
      } finally {
        context.takeSignals(onSignal) // the launcher had them
      }
    },
    onSignal(listener) {
      onSignal = listener
      return context.takeSignals(listener)
    },
    listFiles: (cwd) => listFiles(context, cwd),
  })
}

function missing(program: string, cause: AppError): AppError {
  const hint = 'Run `offshoot doctor` to see what is missing and how to get it.'
  return new AppError(cause.code, `${program} could not be started: is it installed and on the PATH?`, { cause, hint })
}

/** What git knows or would add; outside of git nothing is completed. */
async function listFiles({ vars }: Context, cwd: string): Promise<readonly string[]> {
  const args = ['ls-files', '-z', '--cached', '--others', '--exclude-standard']
  const { stdout, exitCode } = await exec('git', args, { cwd, env: vars, timeoutMs: 5000 })
  return exitCode === 0 ? stdout.split('\0').filter(Boolean).slice(0, mostFiles) : []
}
