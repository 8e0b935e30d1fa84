// One session: its transcript, the turn that runs, the composer. In backtrack mode a banner, a framed fork point and a dimmed tail.
import { cleanLine } from '../../lib/text/clean.ts'
import { cutToWidth } from '../../lib/text/width.ts'
import type { Box, Line, Paint } from '../draw.ts'
import type { Tab, TuiState } from '../state.ts'
import { layoutMessage } from '../text/layout.ts'
import { plain } from '../text/wrap-styled.ts'
import { drawBanner, forkPoint } from './backtrack.ts'
import { cursorLine, drawDraft } from './draft.ts'
import { drawRun } from './run.ts'

export function drawTab(state: TuiState, tab: Tab, box: Box, paint: Paint): readonly Line[] {
  const head = tab.backtrack === null ? [drawTitle(tab, box.columns, paint)] : drawBanner(tab, box.columns, paint)
  const composer = drawComposer(state, tab, box, paint)
  const rows = box.rows - head.length - composer.length
  return [...head, ...drawTranscript(state, tab, { columns: box.columns, rows }, paint), ...composer]
}

function drawTitle(tab: Tab, columns: number, paint: Paint): Line {
  const branch = tab.branch === null ? '' : `  ⎇ ${cleanLine(tab.branch)}`
  const turns = tab.transcript.turns.length
  const left = ` ${tab.agent}  ${turns} ${turns === 1 ? 'turn' : 'turns'}${branch}`
  return { text: `${paint.bold(cutToWidth(` ${cleanLine(tab.title)}`, Math.floor(columns / 2)))}${paint.dim(left)}` }
}

function drawTranscript(state: TuiState, tab: Tab, { columns, rows }: Box, paint: Paint): readonly Line[] {
  const lines = transcriptLines(state, tab, columns, paint)
  const focused = tab.backtrack === null ? null : forkPoint(lines)
  // The fork point stands a third from the bottom; else the window ends `scroll` rows above the end.
  const end =
    focused === null
      ? Math.max(Math.min(rows, lines.length), lines.length - tab.transcript.scroll)
      : Math.min(lines.length, Math.max(rows, focused + Math.ceil(rows / 3)))
  const shown = lines.slice(Math.max(0, end - rows), end)
  return [...shown, ...Array.from({ length: rows - shown.length }, () => ({ text: '' }))]
}

function transcriptLines(state: TuiState, tab: Tab, columns: number, paint: Paint): readonly Line[] {
  const { transcript, backtrack } = tab
  if (transcript.problem !== null) return [{ text: paint.error(`  ${cleanLine(transcript.problem)}`) }]
  if (transcript.loading && transcript.messages.length === 0) return [{ text: paint.dim('  Reading ...') }]
  const stop = backtrack?.stops[backtrack.at] ?? null
  const lines: Line[] =
    transcript.from > 1 ? [{ text: paint.dim(`  … ${transcript.from - 1} earlier turns: scroll up`) }, { text: '' }] : []
  const says = (after: string | null) => {
    for (const line of transcript.system.filter((each) => each.after === after))
      lines.push({ text: paint.accent(`  ${line.text}`) }, { text: '' })
  }
  says(null)
  let isTail = false
  for (const message of transcript.messages) {
    if (message.id === tab.dropped) continue
    const own = layoutMessage(message, { columns: columns - 2, paint, unfolded: transcript.unfolded.has(message.id) })
    if (isTail) lines.push(...own.map((line) => ({ ...line, text: paint.dim(plain(line.text)) })))
    else if (message.id === stop) lines.push(...frameLines(own, columns, paint))
    else lines.push(...own)
    says(message.id)
    isTail = isTail || message.id === stop
  }
  return [...lines, ...drawRun(tab.run, columns - 2, state.now, paint)]
}

function frameLines(lines: readonly Line[], columns: number, paint: Paint): Line[] {
  const label = ' FORK POINT '
  const width = columns - 2
  const inner = lines.slice(0, -1).map((line) => ({ ...line, text: `${paint.accent('┃')} ${line.text}` }))
  const top = `┏━${label}${'━'.repeat(Math.max(0, width - label.length - 3))}`
  return [
    { text: paint.accent(top), target: { kind: 'message', id: 'fork-point' } },
    ...inner,
    { text: paint.accent(`┗${'━'.repeat(width - 2)}`) },
    { text: '' },
  ]
}

/** How far up one can scroll. */
export function transcriptLimit(state: TuiState, tab: Tab, paint: Paint): number {
  const { columns } = state.size
  const box = { columns, rows: state.size.rows - 4 }
  const rows = box.rows - 1 - drawComposer(state, tab, box, paint).length
  return Math.max(0, transcriptLines(state, tab, columns, paint).length - rows)
}

function drawComposer(state: TuiState, tab: Tab, box: Box, paint: Paint): readonly Line[] {
  const hasCursor = state.overlays.length === 0 && tab.focus === 'composer' && tab.backtrack === null
  const all = drawDraft(tab.composer.draft, box.columns - 4, paint, hasCursor, placeholder(tab))
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

function placeholder({ run, agent }: Tab): string {
  if (run.state === 'waiting') return 'waiting for your answer'
  if (run.state !== 'idle') return 'working: Esc stops it'
  return `ask ${agent === 'claude' ? 'Claude' : 'Codex'}; @ for files, / for commands`
}

function drawCompletion({ composer }: Tab, box: Box, paint: Paint): readonly Line[] {
  const { completion } = composer
  if (completion === null) return []
  const most = Math.max(3, Math.min(8, Math.floor(box.rows / 4)))
  const top = Math.max(0, Math.min(completion.selected - most + 1, completion.choices.length - most))
  return completion.choices.slice(top, top + most).map(({ value, note }, at) => {
    const text = `   ${cleanLine(value)}  ${paint.dim(note)}`
    return { text: top + at === completion.selected ? paint.selected(text) : text }
  })
}
