// The list of sessions and what a search found. Empty states say what to do next.
import { cleanLine, cleanText } from '../../lib/text/clean.ts'
import { timeAgo } from '../../lib/text/time.ts'
import { cutToWidth, padToWidth } from '../../lib/text/width.ts'
import { wrapText } from '../../lib/text/wrap.ts'
import type { CatalogSession } from '../../model/catalog.ts'
import type { SearchResult } from '../../model/search.ts'
import type { Box, Line, Paint } from '../draw.ts'
import type { KeyTable } from '../keys.ts'
import type { TuiState } from '../state.ts'
import { labelText } from '../text/label.ts'
import { padStyled, styledWidth } from '../text/wrap-styled.ts'
import { mostNotes } from '../update/sessions.ts'
import { drawDraft } from './draft.ts'
import { drawFirstRun } from './first-run.ts'
import { spin } from './tabs.ts'

export function drawSessions(state: TuiState, keys: KeyTable, box: Box, paint: Paint): readonly Line[] {
  const head = drawHead(state, box, paint)
  return [...head, ...drawRows(state, keys, { columns: box.columns, rows: box.rows - head.length }, paint)]
}

function drawHead({ sessions, repository, index, now }: TuiState, box: Box, paint: Paint): readonly Line[] {
  const scope = sessions.scope === 'all' || repository === null ? 'all repositories' : cleanLine(repository.name)
  const agent = sessions.agent === null ? 'Claude and Codex' : sessions.agent === 'claude' ? 'Claude' : 'Codex'
  const busy = sessions.loading || sessions.searching ? ` ${spin(now)}` : ''
  const indexing = paint.dim(describeIndex(index, sessions.query !== null))
  const first = `${paint.bold(` ${scope}`)}${paint.dim(`  ${agent}`)}${busy}${indexing}`
  if (sessions.query === null) return [{ text: first }, { text: '' }]
  const prompt = ` ${paint.accent('/')} ${drawDraft(sessions.query, box.columns - 4, paint, sessions.typing, 'what are you looking for?')[0] ?? ''}`
  return [
    { text: first },
    { text: prompt },
    ...sessions.notes.slice(0, mostNotes).map((note) => ({ text: paint.dim(`   ${cleanLine(note)}`) })),
    { text: '' },
  ]
}

/** A part of it is always told; all of it only where one searches. */
function describeIndex(index: TuiState['index'], isSearch: boolean): string {
  if (index === null || (index.complete && !isSearch)) return ''
  if (index.complete) return `  index: all ${index.sessions} sessions`
  const state = index.running ? ' ...' : ''
  return `  index: ${index.indexedSessions} of ${index.sessions} sessions${state}`
}

function drawRows(state: TuiState, keys: KeyTable, box: Box, paint: Paint): readonly Line[] {
  const { sessions, now } = state
  if (sessions.results !== null) {
    if (sessions.results.length === 0)
      return wrapText(nothingFound(state), box.columns - 6).map((line) => ({ text: paint.dim(`   ${line}`) }))
    return sessions.results.slice(sessions.top).flatMap((result, at) => drawResult(result, sessions.top + at, state, box, paint))
  }
  if (sessions.items.length === 0)
    return sessions.loading ? [{ text: paint.dim('   Looking for sessions ...') }] : drawFirstRun(state, keys, box, paint)
  return sessions.items.slice(sessions.top, sessions.top + box.rows).map((session, at) => {
    const index = sessions.top + at
    return row(describeSession(session, now, box.columns, paint), index, index === sessions.selected, box.columns, paint)
  })
}

/** A note may have said so already; what to do about it is said here. */
function nothingFound({ sessions, repository }: TuiState): string {
  const isNew = sessions.notes.length === 0 ? 'Nothing here is about that. ' : ''
  const isAll = sessions.scope === 'all' || repository === null
  return `${isNew}Try other words${isAll ? '' : ', or all repositories: Ctrl+P, then This repository or all'}.`
}

function describeSession(session: CatalogSession, now: number, columns: number, paint: Paint): string {
  const mark = session.live ? paint.ok('●') : ' '
  const agent = session.agent === 'claude' ? 'claude' : 'codex '
  const when = padToWidth(timeAgo(session.updatedAt, now), 10)
  const turns = columns < 70 ? '' : padToWidth(`${session.turns} ${session.turns === 1 ? 'turn' : 'turns'}`, 11)
  const branch = columns >= 100 ? paint.dim(padToWidth(cutToWidth(cleanLine(session.branch ?? ''), 20), 21)) : ''
  const label = paint.accent(labelText(session.label))
  const left = `${mark} ${paint.dim(agent)} ${when} ${paint.dim(turns)}${branch}${label}`
  return `${left}${cutToWidth(cleanLine(session.title) || '(no prompt)', Math.max(10, columns - styledWidth(left) - 2))}`
}

function drawResult(
  { session, turn, snippet, score }: SearchResult,
  index: number,
  { sessions, now }: TuiState,
  box: Box,
  paint: Paint,
): Line[] {
  const isSelected = index === sessions.selected
  const at = turn?.number == null ? '' : paint.accent(`@${turn.number}`)
  const head = `${describeSession(session, now, box.columns - 12, paint)} ${at} ${paint.dim(score.toFixed(2))}`
  return [
    row(head, index, isSelected, box.columns, paint),
    { text: `     ${markSnippet(snippet.text, snippet.marks, box.columns - 6, paint)}`, target: { kind: 'row', index } },
  ]
}

/** One line of it, from a little before the first mark, so that a match is in sight. */
function markSnippet(text: string, marks: SearchResult['snippet']['marks'], columns: number, paint: Paint): string {
  const start = Math.max(0, (marks[0]?.[0] ?? 0) - Math.floor(columns / 3))
  const end = Math.min(text.length, start + columns)
  let styled = start > 0 ? paint.dim('…') : ''
  let from = start
  for (const [open, close] of marks) {
    if (open < from || close > end) continue
    styled += paint.dim(flat(text.slice(from, open))) + paint.match(flat(text.slice(open, close)))
    from = close
  }
  return styled + paint.dim(flat(text.slice(from, end)) + (end < text.length ? ' …' : ''))
}

function row(text: string, index: number, isSelected: boolean, columns: number, paint: Paint): Line {
  const line = `${isSelected ? paint.accent('▌') : ' '}${text}`
  return { text: isSelected ? paint.selected(padStyled(line, columns)) : line, target: { kind: 'row', index } }
}

/** One line, its blanks kept: marks stand between the pieces. */
function flat(text: string): string {
  return cleanText(text).replace(/\s+/g, ' ')
}
