// One session: its transcript, the turn that runs, the composer. In backtrack mode a banner, a framed fork point and a dimmed tail.
import { cleanLine } from '../../lib/text/clean.ts'
import { cutToWidth, padToWidth, widthOf } from '../../lib/text/width.ts'
import type { Box, Line, Paint } from '../draw.ts'
import type { TuiState } from '../state.ts'
import type { Anchor, Tab } from '../state-tab.ts'
import { labelText } from '../text/label.ts'
import { padStyled } from '../text/wrap-styled.ts'
import { turnsBelow } from '../update/transcript.ts'
import { anchorAt, type Part, rowsBelow } from './anchor.ts'
import { drawBanner } from './backtrack.ts'
import { cursorLine, drawDraft } from './draft.ts'
import { drawNotice } from './footer.ts'
import { drawTranscript, focusOf, transcriptParts } from './transcript.ts'

export function drawTab(state: TuiState, tab: Tab, box: Box, paint: Paint): readonly Line[] {
  const head = tab.backtrack === null ? [drawTitle(tab, box.columns, paint)] : drawBanner(tab, box.columns, paint)
  const [rule, ...composer] = drawComposer(state, tab, box, paint)
  const rows = box.rows - head.length - composer.length - 1
  const { lines, below } = drawTranscript(state, tab, { columns: box.columns, rows }, paint)
  const more = turnsBelow(tab.transcript)
  const marked =
    more > 0 ? drawMore(more, 'turn', box.columns, paint) : below > 0 ? drawMore(below, 'line', box.columns, paint) : null
  return [...head, ...lines, marked ?? rule ?? { text: '' }, ...composer]
}

function drawTitle(tab: Tab, columns: number, paint: Paint): Line {
  const branch = tab.branch === null ? '' : ` · ⎇ ${cleanLine(tab.branch)}`
  const turns = tab.transcript.turns.length
  const model = tab.model?.name == null ? '' : ` · ${cleanLine(tab.model.name)}`
  const label = paint.accent(labelText(tab.label))
  const left = `  ${tab.agent} · ${turns} ${turns === 1 ? 'turn' : 'turns'}${branch}${model}`
  return { text: ` ${label}${paint.bold(cutToWidth(cleanLine(tab.title), Math.floor(columns / 2) - 1))}${paint.dim(left)}` }
}

/** Instead of the rule: what one reads is not the end. */
function drawMore(below: number, what: 'line' | 'turn', columns: number, paint: Paint): Line {
  const text = ` ▼ ${below} more ${what}${below === 1 ? '' : 's'} below `
  const rest = Math.max(0, columns - widthOf(text) - 4)
  return { text: `${paint.frame('──')}${paint.accent(text)}${paint.frame('─'.repeat(rest + 2))}` }
}

/** Where the window stands now: what has come since it was moved lies below it. `null`: it follows the end. */
export function measureScroll(state: TuiState, tab: Tab, paint: Paint): { scroll: number; anchor: Anchor | null } | null {
  const { scroll, anchor, to } = tab.transcript
  if (scroll === 0 && to === null) return null
  const { parts, rows } = measured(state, tab, paint)
  const below = anchor === null ? scroll : (rowsBelow(parts, anchor, rows) ?? scroll)
  return { scroll: below, anchor: below === 0 && to === null ? null : anchorAt(parts, below, rows) }
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
  const box = { columns, rows: state.size.rows - 3 - drawNotice(state, columns, paint).length }
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
  const most = Math.max(5, Math.min(10, Math.floor(box.rows / 3)))
  const top = Math.max(0, Math.min(completion.selected - most + 1, completion.choices.length - most))
  return completion.choices.slice(top, top + most).map(({ value, note }, at) => {
    const text = padStyled(`   ${padToWidth(cleanLine(value), 10)}  ${paint.dim(note)}`, box.columns)
    return { text: top + at === completion.selected ? paint.selected(text) : text }
  })
}
