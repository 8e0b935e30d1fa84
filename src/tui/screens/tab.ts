// One session: its transcript, the turn that runs, the composer. In backtrack mode a banner, a framed fork point and a dimmed tail.
import { cleanLine } from '../../lib/text/clean.ts'
import { cutToWidth, padToWidth } from '../../lib/text/width.ts'
import type { Box, Line, Paint } from '../draw.ts'
import type { Tab, TuiState } from '../state.ts'
import { layoutMessage } from '../text/layout.ts'
import { padStyled, plain } from '../text/wrap-styled.ts'
import { cursorOf } from '../update/transcript.ts'
import { drawBanner } from './backtrack.ts'
import { cursorLine, drawDraft } from './draft.ts'
import { drawRun } from './run.ts'

export function drawTab(state: TuiState, tab: Tab, box: Box, paint: Paint): readonly Line[] {
  const head = tab.backtrack === null ? [drawTitle(tab, box.columns, paint)] : drawBanner(tab, box.columns, paint)
  const composer = drawComposer(state, tab, box, paint)
  const rows = box.rows - head.length - composer.length
  return [...head, ...drawTranscript(state, tab, { columns: box.columns, rows }, paint), ...composer]
}

function drawTitle(tab: Tab, columns: number, paint: Paint): Line {
  const branch = tab.branch === null ? '' : ` · ⎇ ${cleanLine(tab.branch)}`
  const turns = tab.transcript.turns.length
  const left = `  ${tab.agent} · ${turns} ${turns === 1 ? 'turn' : 'turns'}${branch}`
  return { text: `${paint.bold(cutToWidth(` ${cleanLine(tab.title)}`, Math.floor(columns / 2)))}${paint.dim(left)}` }
}

function drawTranscript(state: TuiState, tab: Tab, { columns, rows }: Box, paint: Paint): readonly Line[] {
  if (rows <= 0) return []
  const parts = transcriptParts(state, tab, columns, paint)
  const shown = focusOf(tab) === null ? windowAt(parts, tab.transcript.scroll, rows) : windowAround(parts, focusOf(tab), rows)
  return [...shown, ...Array.from({ length: rows - shown.length }, () => ({ text: '' }))]
}

/** One message, or what stands between them: laid out only when it comes into sight. */
interface Part {
  readonly id: string | null
  lines(): readonly Line[]
}

/** The message the window goes to: the fork point, or where the cursor has moved. */
function focusOf({ backtrack, transcript }: Tab): string | null {
  if (backtrack !== null) return backtrack.stops[backtrack.at] ?? null
  return transcript.reveal ? transcript.cursor : null
}

/** The window that ends `scroll` rows above the end: from the end up, so that what is far above costs nothing. */
function windowAt(parts: readonly Part[], scroll: number, rows: number): readonly Line[] {
  const lines = linesBefore(parts, parts.length, Math.min(Number.MAX_SAFE_INTEGER, scroll + rows))
  const end = Math.max(Math.min(rows, lines.length), lines.length - scroll)
  return lines.slice(Math.max(0, end - rows), end)
}

/** The window in which this message begins a third from the top; the end of the transcript stays at the bottom. */
function windowAround(parts: readonly Part[], focus: string | null, rows: number): readonly Line[] {
  const at = parts.findIndex(({ id }) => id === focus)
  if (at === -1) return windowAt(parts, 0, rows)
  const below: Line[] = []
  for (let each = at; each < parts.length && below.length < rows; each += 1)
    below.push(...(parts[each]?.lines().slice(0, rows) ?? []))
  const wanted = Math.max(Math.floor(rows / 3), rows - below.length)
  return [...linesBefore(parts, at, wanted).slice(-wanted), ...below].slice(0, rows)
}

/** At least so many lines of the parts before this one, if there are as many. */
function linesBefore(parts: readonly Part[], before: number, wanted: number): readonly Line[] {
  const found: (readonly Line[])[] = []
  let count = 0
  for (let at = before - 1; at >= 0 && count < wanted; at -= 1) {
    const lines = parts[at]?.lines() ?? []
    found.push(lines)
    count += lines.length
  }
  return found.reverse().flat()
}

function transcriptParts(state: TuiState, tab: Tab, columns: number, paint: Paint): readonly Part[] {
  const { transcript, backtrack } = tab
  const said = (...texts: string[]): Part => ({ id: null, lines: () => texts.map((text) => ({ text })) })
  if (transcript.problem !== null) return [said(paint.error(`  ${cleanLine(transcript.problem)}`))]
  if (transcript.loading && transcript.messages.length === 0) return [said(paint.dim('  Reading ...'))]
  const stop = backtrack?.stops[backtrack.at] ?? null
  const cursor = tab.focus === 'transcript' && backtrack === null ? cursorOf(transcript) : null
  const parts: Part[] = transcript.from > 1 ? [said(paint.dim(`  … ${transcript.from - 1} earlier turns: scroll up`), '')] : []
  const says = (after: string | null) => {
    for (const line of transcript.system) if (line.after === after) parts.push(said(paint.accent(`  ${line.text}`), ''))
  }
  says(null)
  let isTail = false
  for (const message of transcript.messages) {
    const dimmed = isTail
    const { id } = message
    const lines = () => {
      const own = layoutMessage(message, { columns: columns - 2, paint, unfolded: transcript.unfolded.has(id) })
      if (dimmed) return own.map((line) => ({ ...line, text: paint.dim(plain(line.text)) }))
      if (id === stop) return frameLines(own, columns, paint)
      return id === cursor ? markFirst(own, paint) : own
    }
    if (id !== tab.dropped) parts.push({ id, lines })
    says(id)
    isTail = isTail || id === stop
  }
  return [...parts, { id: null, lines: () => drawRun(tab.run, columns - 2, state.now, paint) }]
}

/** What Space would fold. */
function markFirst([first, ...rest]: readonly Line[], paint: Paint): readonly Line[] {
  return first === undefined ? rest : [{ ...first, text: paint.selected(first.text) }, ...rest]
}

function frameLines(lines: readonly Line[], columns: number, paint: Paint): Line[] {
  const label = ' FORK POINT '
  const width = columns - 2
  const inner = lines.slice(0, -1).map((line) => ({ ...line, text: `${paint.accent('┃')} ${line.text}` }))
  const top = `┏━${label}${'━'.repeat(Math.max(0, width - label.length - 3))}`
  return [{ text: paint.accent(top) }, ...inner, { text: paint.accent(`┗${'━'.repeat(width - 2)}`) }, { text: '' }]
}

/** How far up one can scroll. */
export function transcriptLimit(state: TuiState, tab: Tab, paint: Paint): number {
  const { parts, rows } = measured(state, tab, paint)
  return Math.max(0, parts.reduce((sum, part) => sum + part.lines().length, 0) - rows)
}

/** Where the window stands that was moved to the cursor, as rows hidden below it; `null`: it was not moved. */
export function revealedScroll(state: TuiState, tab: Tab, paint: Paint): number | null {
  const focus = tab.backtrack === null ? focusOf(tab) : null
  if (focus === null) return null
  const { parts, rows } = measured(state, tab, paint)
  const at = parts.findIndex(({ id }) => id === focus)
  const below = parts.slice(at).reduce((sum, part) => sum + part.lines().length, 0)
  return at === -1 ? 0 : Math.max(0, below - (rows - Math.floor(rows / 3)))
}

function measured(state: TuiState, tab: Tab, paint: Paint): { parts: readonly Part[]; rows: number } {
  const { columns } = state.size
  const box = { columns, rows: state.size.rows - 4 }
  const rows = box.rows - 1 - drawComposer(state, tab, box, paint).length
  return { parts: transcriptParts(state, tab, columns, paint), rows }
}

function drawComposer(state: TuiState, tab: Tab, box: Box, paint: Paint): readonly Line[] {
  const hasCursor = state.overlays.length === 0 && tab.focus === 'composer' && tab.backtrack === null
  const all = drawDraft(tab.composer.draft, Math.max(1, box.columns - 4), paint, hasCursor, placeholder(tab))
  const most = Math.max(3, Math.floor(box.rows / 3))
  const from = Math.max(0, Math.min(cursorLine(all) - most + 1, all.length - most))
  const text = all.slice(from, from + most)
  const rule = { text: paint.frame('─'.repeat(box.columns)) }
  const target = { kind: 'composer' } as const
  return [
    rule,
    ...drawCompletion(tab, box, paint),
    ...text.map((line, at) => ({ text: `${paint.accent(at === 0 ? ' ❯ ' : '   ')}${line}`, target })),
  ]
}

function placeholder({ run, agent, backtrack }: Tab): string {
  if (backtrack !== null) return 'Enter forks at the framed message'
  if (run.state === 'waiting') return 'waiting for your answer'
  if (run.state !== 'idle') return 'working: Esc stops it'
  return `ask ${agent === 'claude' ? 'Claude' : 'Codex'}; @ for files, / for commands`
}

function drawCompletion({ composer }: Tab, box: Box, paint: Paint): readonly Line[] {
  const { completion } = composer
  if (completion === null) return []
  const most = Math.max(5, Math.min(10, Math.floor(box.rows / 4)))
  const top = Math.max(0, Math.min(completion.selected - most + 1, completion.choices.length - most))
  return completion.choices.slice(top, top + most).map(({ value, note }, at) => {
    const text = padStyled(`   ${padToWidth(cleanLine(value), 10)}  ${paint.dim(note)}`, box.columns)
    return { text: top + at === completion.selected ? paint.selected(text) : text }
  })
}
