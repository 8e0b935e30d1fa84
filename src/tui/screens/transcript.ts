// The transcript of a tab: a window into what was read, laid out only where it is in sight.
import { cleanLine } from '../../lib/text/clean.ts'
import type { Box, Line, Paint } from '../draw.ts'
import type { TuiState } from '../state.ts'
import type { Tab } from '../state-tab.ts'
import { layoutMessage } from '../text/layout.ts'
import { plain } from '../text/wrap-styled.ts'
import { placeCutOffs } from '../update/cut-off.ts'
import { cursorOf, turnsBelow } from '../update/transcript.ts'
import { linesBefore, type Part, rowsBelow, windowFrom } from './anchor.ts'
import { drawNote, drawRun } from './run.ts'

export interface Window {
  readonly lines: readonly Line[]
  /** Rows that are hidden below it. */
  readonly below: number
}

export function drawTranscript(state: TuiState, tab: Tab, { columns, rows }: Box, paint: Paint): Window {
  if (rows <= 0) return { lines: [], below: 0 }
  const { lines, below } = windowOf(transcriptParts(state, tab, columns, paint), tab, rows)
  return { lines: [...lines, ...Array.from({ length: rows - lines.length }, () => ({ text: '' }))], below }
}

function windowOf(parts: readonly Part[], tab: Tab, rows: number): Window {
  const { anchor, scroll } = tab.transcript
  const focus = focusOf(tab)
  if (focus !== null) return { lines: windowAround(parts, focus, rows), below: 0 }
  const below = anchor === null ? null : rowsBelow(parts, anchor, rows)
  return anchor === null || below === null || below === 0
    ? windowAt(parts, below ?? scroll, rows)
    : { lines: windowFrom(parts, anchor, rows), below }
}

/** The message the window goes to: the fork point, or where the cursor has moved. */
export function focusOf({ backtrack, transcript }: Tab): string | null {
  if (backtrack !== null) return backtrack.stops[backtrack.at] ?? null
  return transcript.reveal ? transcript.cursor : null
}

/** The window that ends `scroll` rows above the end: from the end up, so that what is far above costs nothing. */
function windowAt(parts: readonly Part[], scroll: number, rows: number): Window {
  const lines = linesBefore(parts, parts.length, Math.min(Number.MAX_SAFE_INTEGER, scroll + rows))
  const end = Math.max(Math.min(rows, lines.length), lines.length - scroll)
  return { lines: lines.slice(Math.max(0, end - rows), end), below: lines.length - end }
}

/** The window in which this message begins a third from the top; the end of the transcript stays at the bottom. */
function windowAround(parts: readonly Part[], focus: string | null, rows: number): readonly Line[] {
  const at = parts.findIndex(({ id }) => id === focus)
  if (at === -1) return windowAt(parts, 0, rows).lines
  const below: Line[] = []
  for (let each = at; each < parts.length && below.length < rows; each += 1)
    below.push(...(parts[each]?.lines().slice(0, rows) ?? []))
  const wanted = Math.max(Math.floor(rows / 3), rows - below.length)
  return [...linesBefore(parts, at, wanted).slice(-wanted), ...below].slice(0, rows)
}

export function transcriptParts(state: TuiState, tab: Tab, columns: number, paint: Paint): readonly Part[] {
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
  const cutOffs = placeCutOffs(transcript)
  const cuts = (after: string | null, isDim: boolean) => {
    for (const cut of cutOffs.filter((each) => each.after === after)) {
      for (const message of cut.messages) {
        const lines = () => dimIf(isDim, layoutMessage(message, { columns: columns - 2, paint, unfolded: false }), paint)
        parts.push({ id: message.id, lines })
      }
      parts.push(said(...drawNote(cut.note, columns, isDim ? paint.dim : paint.warn)))
    }
  }
  says(null)
  cuts(null, false)
  let isTail = false
  for (const message of transcript.messages) {
    const dimmed = isTail
    const { id } = message
    const lines = () => {
      const own = layoutMessage(message, { columns: columns - 2, paint, unfolded: transcript.unfolded.has(id) })
      if (dimmed) return dimIf(true, own, paint)
      if (id === stop) return frameLines(own, columns, paint)
      return id === cursor ? markFirst(own, paint) : own
    }
    if (id !== tab.dropped) parts.push({ id, lines })
    says(id)
    isTail = isTail || id === stop
    cuts(id, isTail)
  }
  if (transcript.to !== null) return [...parts, said(paint.dim(`  … ${turnsBelow(transcript)} later turns: scroll down`))]
  return [...parts, { id: 'run', lines: () => drawRun(tab, columns - 2, state.now, paint) }]
}

function dimIf(isDim: boolean, lines: readonly Line[], paint: Paint): readonly Line[] {
  return isDim ? lines.map((line) => ({ ...line, text: paint.dim(plain(line.text)) })) : lines
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
