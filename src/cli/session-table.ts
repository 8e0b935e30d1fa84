// Sessions as a table for people: live mark, address, age, turns, folder, title.
import { basename } from 'node:path'
import { cleanLine } from '../lib/text/clean.ts'
import { stateMarks } from '../lib/text/session-state.ts'
import { type Column, formatTable } from '../lib/text/table.ts'
import { timeAgo } from '../lib/text/time.ts'
import type { CatalogSession } from '../model/catalog.ts'
import type { Context } from './context.ts'
import { shortIds } from './short-id.ts'

export async function printSessions(context: Context, sessions: readonly CatalogSession[], more: boolean): Promise<void> {
  const { out } = context
  const { bold, cyan, dim, green, yellow } = out.colors
  const ids = shortIds(sessions)
  const now = context.now()
  const places = new Set(sessions.map(placeOf)).size
  const layout: Column<CatalogSession>[] = [
    { title: '', cell: (session) => (session.live ? '●' : ' '), paint: (text) => green(text) },
    { title: 'SESSION', cell: (session) => ids.get(session) ?? session.id, paint: (text) => cyan(text) },
    { title: 'UPDATED', cell: (session) => timeAgo(session.updatedAt, now), paint: (text) => dim(text), side: 'right' },
    { title: 'TURNS', cell: (session) => String(session.turns), side: 'right' },
    ...(places > 1 ? [{ title: 'WHERE', cell: placeOf, paint: (text: string) => dim(text) }] : []),
    { title: 'TITLE', cell: titleOf, paint: (text, session) => (session.broken === null ? text : yellow(text)), flexible: true },
  ]
  for (const line of formatTable(sessions, layout, { columns: out.columns, paintTitle: bold })) await out.line(line)
  if (more) out.note(out.noteColors.dim(`Only the newest ${sessions.length} are shown; --limit 0 shows all.`))
}

function placeOf(session: CatalogSession): string {
  return cleanLine(basename(session.repoRoot ?? session.cwd ?? '')) || '-'
}

function titleOf(session: CatalogSession): string {
  const marks = [session.parent === null ? '' : '⑂', ...stateMarks(session)]
  return [...marks, cleanLine(session.title) || '(no prompt)'].filter(Boolean).join(' ')
}
