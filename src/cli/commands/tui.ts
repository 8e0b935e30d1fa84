// `offshoot` alone: the terminal UI, on the whole screen or in plain lines.
import { basename, join } from 'node:path'
import { askGit } from '../../lib/ask-git.ts'
import { AppError } from '../../model/error.ts'
import type { Context, SignalListener } from '../context.ts'
import { launchHere } from '../forking/launch.ts'
import type { Terminal } from '../terminal.ts'

const mostFiles = 50_000

/** The whole screen. Gives the exit status. */
export async function openTui(context: Context, { input, output }: Terminal): Promise<number> {
  const [common, { runTui }, { parseOwnKeys }, theme, ownKeys] = await Promise.all([
    commonOptions(context),
    import('../../tui/main.ts'),
    import('../../tui/own-keys.ts'),
    context.setting<'auto' | 'dark' | 'light'>('tui.theme'),
    context.setting<readonly string[]>('tui.keys'),
  ])
  return await runTui({ ...common, input, output, vars: context.vars, theme, keys: parseOwnKeys(ownKeys) })
}

/** Lines, read and printed: also through pipes. */
export async function openPlain(context: Context): Promise<number> {
  const [common, { runPlain }] = await Promise.all([commonOptions(context), import('../../tui/plain/main.ts')])
  return await runPlain({ ...common, input: process.stdin, output: process.stdout })
}

async function commonOptions(context: Context) {
  const app = await context.app((await import('../../tui/name-field.ts')).nameField)
  await app.recover() // what it has to say is said before the screen is taken
  const repository = await app.repositoryOf(context.cwd)
  let onSignal: SignalListener = () => undefined
  return {
    app,
    now: context.now,
    repository: repository === null ? null : { root: repository.root, name: basename(repository.root) },
    layoutFile: join(context.paths.root, 'tui.json'),
    async handOver(argv: readonly string[], cwd: string) {
      try {
        return await launchHere(context, { argv, cwd, env: {} })
      } catch (error) {
        throw error instanceof AppError ? missing(argv[0] ?? '', error) : error
      } finally {
        context.takeSignals(onSignal) // the launcher had them
      }
    },
    onSignal(listener: SignalListener) {
      onSignal = listener
      return context.takeSignals(listener)
    },
    listFiles: (cwd: string) => listFiles(context, cwd),
  }
}

function missing(program: string, cause: AppError): AppError {
  const hint = 'Run `offshoot doctor` to see what is missing and how to get it.'
  return new AppError(cause.code, `${program} could not be started: is it installed and on the PATH?`, { cause, hint })
}

/** What git knows or would add; outside of git nothing is completed. */
async function listFiles({ vars }: Context, cwd: string): Promise<readonly string[]> {
  const args = ['ls-files', '-z', '--cached', '--others', '--exclude-standard']
  const { stdout, exitCode } = await askGit(args, { cwd, vars })
  return exitCode === 0 ? stdout.split('\0').filter(Boolean).slice(0, mostFiles) : []
}
