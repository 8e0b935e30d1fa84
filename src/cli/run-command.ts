// One command line to its exit status. Whatever happens, the answer is flushed and everything opened is closed.
import { CommanderError } from '@commander-js/extra-typings'
import { AppError } from '../model/error.ts'
import type { Context } from './context.ts'
import { reportError } from './errors.ts'
import { createProgram } from './program.ts'
import { canDraw } from './terminal.ts'

/** Never throws. */
export async function runCommand(context: Context, args: readonly string[]): Promise<number> {
  let status = 0
  try {
    const program = createProgram(context, (code) => {
      status = code
    })
    if (args.length === 0) status = await openOrHelp(context, () => program.outputHelp())
    else if (args.length === 1 && args[0] === '--plain') status = await openPlain(context)
    else await program.parseAsync([...args], { from: 'user' })
  } catch (thrown) {
    if (!isHelp(thrown)) status = reportError(asUsageError(thrown), context, wantsJson(args))
  } finally {
    await context.out.flush()
    context.close()
  }
  return status
}

async function openOrHelp(context: Context, help: () => void): Promise<number> {
  const terminal = context.terminal()
  if (terminal === null) {
    help()
    return 0
  }
  if (!canDraw(context.vars) || (await context.setting<boolean>('tui.plain'))) return openPlain(context)
  return (await import('./commands/tui.ts')).openTui(context, terminal)
}

async function openPlain(context: Context): Promise<number> {
  return (await import('./commands/tui.ts')).openPlain(context)
}

function isHelp(thrown: unknown): boolean {
  return thrown instanceof CommanderError && thrown.exitCode === 0
}

function asUsageError(thrown: unknown): unknown {
  if (!(thrown instanceof CommanderError)) return thrown
  const [message = '', ...rest] = thrown.message.replace(/^error: /, '').split('\n')
  const suggestion = rest.join(' ').replace(/^\((.*)\)$/, '$1')
  return new AppError('usage', message, suggestion === '' ? {} : { hint: suggestion })
}

/** Asked of the raw words, since a faulty command line has no parsed options. */
function wantsJson(args: readonly string[]): boolean {
  const end = args.indexOf('--')
  return (end === -1 ? args : args.slice(0, end)).includes('--json')
}
