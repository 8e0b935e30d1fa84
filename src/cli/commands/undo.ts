// `offshoot undo`: takes back the newest thing offshoot did (a fork, a started session, a restore), or the one that is named, and
// says what went and what stayed. Refused where work was done since.

import { cleanLine } from '../../lib/text/clean.ts'
import type { UndoResult } from '../../model/fork.ts'
import { renderUndo, sessionAddress } from '../../model/render.ts'
import type { Context } from '../context.ts'
import { restoreWithMeter } from '../progress.ts'

export interface UndoOptions {
  readonly force?: true | undefined
  readonly json?: true | undefined
}

export async function undo(context: Context, id: string | undefined, options: UndoOptions): Promise<void> {
  const app = await context.app()
  const force = options.force === true
  const result = await restoreWithMeter(context, (onProgress) => app.undo(id, { force, onProgress }))
  if (options.json === true) await context.out.json(renderUndo(result))
  else await printUndo(context, result)
}

async function printUndo({ out }: Context, result: UndoResult): Promise<void> {
  const { bold, cyan, dim } = out.colors
  if (result.kind === 'recovered') {
    await out.line('That was the undo: nothing else was changed. Run it again to take back what was done before.')
    return
  }
  const { id, what, address, branch } = describe(result)
  if (!result.undone) {
    await out.line(`${what} (${id}) was undone before; nothing was left to do.`)
    return
  }
  await out.line(`${bold('Undone:')} ${what}${address === null ? '' : ` ${dim('·')} ${cyan(address)}`}`)
  if (result.kind === 'restore') for (const path of result.restored) await out.line(`  ${dim('as before')}  ${cleanLine(path)}`)
  for (const path of result.kind === 'restore' ? [] : result.removed) {
    await out.line(`  ${dim('removed')}  ${path === branch ? 'branch ' : ''}${cleanLine(path)}`)
  }
  for (const reason of result.kept) await out.line(`  ${dim('kept   ')}  ${cleanLine(reason)}`)
}

function describe(result: Exclude<UndoResult, { kind: 'recovered' }>): {
  id: string
  what: string
  address: string | null
  branch: string | null
} {
  if (result.kind === 'restore') {
    const { id, source, root } = result.restore
    return { id, what: `restore of ${cleanLine(source)} in ${cleanLine(root)}`, address: null, branch: null }
  }
  const made = result.kind === 'fork' ? result.fork : result.start
  const address = made.sessionId === '' ? null : sessionAddress({ agent: made.agent, id: made.sessionId })
  return { id: made.id, what: cleanLine(made.title), address, branch: made.workspace?.branch ?? null }
}
