// Which turn, where the command line names none: the person picks it; without a person only `--yes` may mean the tip.
import type { App } from '../../app.ts'
import { cleanLine } from '../../lib/text/clean.ts'
import { timeAgo } from '../../lib/text/time.ts'
import { cutToWidth } from '../../lib/text/width.ts'
import type { CatalogSession } from '../../model/catalog.ts'
import { AppError } from '../../model/error.ts'
import { renderTurn, sessionAddress } from '../../model/render.ts'
import type { Turn } from '../../model/session.ts'
import { anyCaptured, changeText, filesText } from '../code/snapshot-text.ts'
import type { Context } from '../context.ts'
import { canDraw, type Terminal } from '../terminal.ts'

const listed = 20
const promptWidth = 80

/** The id of the turn to fork at; `undefined` for the tip. */
export async function chooseTurn(
  context: Context,
  app: App,
  session: CatalogSession,
  choice: { readonly yes: boolean; readonly terminal: Terminal | null },
): Promise<string | undefined> {
  if (choice.yes) return undefined
  const turns = await app.listTurns(session)
  if (turns.length === 0) return undefined
  if (choice.terminal === null || !canDraw(context.vars)) throw namelessTurn(context, session, turns)
  const { pickTurn } = await import('../picker/pick-turn.ts')
  return (await pickTurn(context, app, choice.terminal, session, turns)).id
}

function namelessTurn(context: Context, session: CatalogSession, turns: readonly Turn[]): AppError {
  const now = context.now()
  const captured = anyCaptured(turns)
  const lines = turns.slice(-listed).map((turn) => {
    const words = cutToWidth(cleanLine(turn.prompt), promptWidth) || '(no prompt)'
    const code = captured ? `  ${[changeText(turn), filesText(turn)].filter(Boolean).join('  ')}` : ''
    return `  ${String(turn.number).padStart(4)}  ${timeAgo(turn.startedAt, now).padStart(8)}${code}  ${words}`
  })
  const older =
    turns.length > listed ? [`  (${turns.length - listed} older ones: offshoot turns ${sessionAddress(session)})`] : []
  return new AppError('usage', [`At which turn? ${sessionAddress(session)} has:`, ...older, ...lines].join('\n'), {
    hint: 'Name one with --at, or take the last with --at last or --yes.',
    details: { turns: turns.map((turn) => renderTurn(session, turn)) },
  })
}
