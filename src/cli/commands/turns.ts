// `offshoot turns`: the turns of a session, each with the name one forks it by and what it changed, where that was captured.

import type { Column } from '../../lib/text/table.ts'
import type { CatalogSession } from '../../model/catalog.ts'
import { renderTurn, sessionAddress } from '../../model/render.ts'
import type { Turn } from '../../model/session.ts'
import type { Context } from '../context.ts'
import { refreshWithMeter } from '../progress.ts'

const filesWidth = 40

export interface TurnsOptions {
  readonly dead?: true | undefined
  readonly limit?: number | undefined
  readonly json?: true | undefined
}

export async function listTurns(context: Context, address: string, options: TurnsOptions): Promise<void> {
  const app = await context.app()
  await refreshWithMeter(context, app)
  const { session } = await app.resolve(address)
  const all = await app.listTurns(session, { deadBranches: options.dead === true })
  const turns = options.limit ? all.slice(-options.limit) : all
  if (options.json === true) await context.out.json({ turns: turns.map((turn) => renderTurn(session, turn)) })
  else if (turns.length === 0) context.out.note(`${sessionAddress(session)} has no turns yet: nobody has prompted it.`)
  else await printTurns(context, session, turns)
}

async function printTurns(context: Context, session: CatalogSession, turns: readonly Turn[]): Promise<void> {
  const { out } = context
  const { bold, cyan, dim, red, yellow } = out.colors
  const { cleanLine } = await import('../../lib/text/clean.ts')
  const { cutToWidth } = await import('../../lib/text/width.ts')
  const { formatTable } = await import('../../lib/text/table.ts')
  const { timeAgo } = await import('../../lib/text/time.ts')
  const { anyCaptured, changeText, doubts, filesText, paintChange } = await import('../code/snapshot-text.ts')
  const now = context.now()
  const digits = Math.max(...turns.map((turn) => nameOf(turn).length))
  const captured = anyCaptured(turns)
  const note = captured ? '' : ' [not captured]'
  await out.line(`${bold(cleanLine(session.title) || '(no prompt)')} ${dim(`${sessionAddress(session)}${note}`)}`)
  const paintState = (text: string, { state }: Turn) =>
    state === 'failed' ? red(text) : state === 'complete' ? dim(text) : yellow(text)
  const state: Column<Turn> = { title: 'STATE', cell: (turn) => turn.state, paint: paintState }
  const messages: Column<Turn> = { title: 'MESSAGES', cell: (turn) => String(turn.messages), side: 'right' }
  // With code, what the turn changed comes first: `Turn 12  2m ago  +3 -1  src/auth/handler.ts, ...`.
  const details: Column<Turn>[] = captured
    ? [
        { title: 'CHANGED', cell: changeText, paint: (text) => paintChange(text, out.colors) },
        { title: 'FILES', cell: filesOf, paint: (text, { snapshot }) => (snapshot == null ? dim(text) : text) },
        state,
      ]
    : [state, messages]
  const name = captured ? (turn: Turn) => `Turn ${nameOf(turn).padStart(digits)}` : nameOf
  const lines = formatTable(
    turns,
    [
      { title: 'TURN', cell: name, paint: (text) => cyan(text), side: captured ? 'left' : 'right' },
      { title: 'WHEN', cell: (turn) => timeAgo(turn.startedAt, now), paint: (text) => dim(text), side: 'right' },
      ...details,
      { title: 'PROMPT', cell: promptOf, flexible: true },
    ],
    { columns: out.columns, paintTitle: bold },
  )
  for (const line of lines) await out.line(line)

  function filesOf(turn: Turn): string {
    return cutToWidth([...doubts(turn), filesText(turn)].join(' '), filesWidth)
  }

  function promptOf(turn: Turn): string {
    const marks = [turn.number === null ? '[dead branch]' : '', turn.afterCompaction ? '[after compaction]' : '']
    const prompt = cleanLine(turn.prompt.trimStart().split('\n', 1)[0] ?? '') || '(no prompt)'
    return [...marks, prompt].filter(Boolean).join(' ')
  }
}

/** What follows the `@` of its address. */
function nameOf(turn: Turn): string {
  return turn.number === null ? turn.id.slice(0, 13) : String(turn.number)
}
