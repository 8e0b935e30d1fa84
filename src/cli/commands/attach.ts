// `offshoot attach`: a worker's pane before the person. Where only a command can do that, it is run here, or printed.
import type { Context } from '../context.ts'
import { giveTerminal } from '../forking/launch.ts'
import { shellLine } from '../forking/shell-line.ts'

/** Gives the exit status. */
export async function attachWorker(
  context: Context,
  name: string,
  { json }: { readonly json?: true | undefined },
): Promise<number> {
  const app = await context.app()
  const { shown, command } = await app.attachWorker(name)
  if (json === true) {
    await context.out.json({ shown, command })
    return 0
  }
  if (command === null) {
    if (!shown) context.out.note('It runs in a terminal of yours: look there.')
    return 0
  }
  const spec = { argv: command, cwd: context.cwd, env: {} }
  if (context.terminal() === null) {
    await context.out.line(shellLine(spec))
    return 0
  }
  return giveTerminal(context, spec)
}
