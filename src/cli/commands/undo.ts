// `offshoot undo`: takes a fork back, and says what went and what stayed. Refused where work was done in it.
import type { UndoResult } from '../../model/fork.ts'
import { renderUndo, sessionAddress } from '../../model/render.ts'
import type { Context } from '../context.ts'
import { cleanLine } from '../text/clean.ts'

export interface UndoOptions {
  readonly force?: true | undefined
  readonly json?: true | undefined
}

export async function undoFork(context: Context, id: string | undefined, options: UndoOptions): Promise<void> {
  const app = await context.app()
  const result = await app.undo(id, { force: options.force === true })
  if (options.json === true) await context.out.json(renderUndo(result))
  else await printUndo(context, result)
}

async function printUndo({ out }: Context, { fork, undone, removed, kept }: UndoResult): Promise<void> {
  const { bold, cyan, dim } = out.colors
  const address = sessionAddress({ agent: fork.agent, id: fork.sessionId })
  if (!undone) {
    await out.line(`${cleanLine(fork.title)} (${fork.id}) was undone before; nothing was left to do.`)
    return
  }
  await out.line(`${bold('Undone:')} ${cleanLine(fork.title)} ${dim('·')} ${cyan(address)}`)
  for (const path of removed) {
    const kind = path === fork.workspace?.branch ? 'branch ' : ''
    await out.line(`  ${dim('removed')}  ${kind}${cleanLine(path)}`)
  }
  for (const reason of kept) await out.line(`  ${dim('kept   ')}  ${cleanLine(reason)}`)
}
