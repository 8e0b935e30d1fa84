// The picker as lines of text that fit the screen: question, filter, turns, preview, keys. Reads without colour.

import { cleanLine, cleanText } from '../../lib/text/clean.ts'
import { timeAgo } from '../../lib/text/time.ts'
import { cutToWidth, padToWidth, widthOf } from '../../lib/text/width.ts'
import { wrapText } from '../../lib/text/wrap.ts'
import type { Turn } from '../../model/session.ts'
import { paintPatch } from '../code/patch.ts'
import { anyCaptured, changeText, doubts, filesText } from '../code/snapshot-text.ts'
import type { Colors } from '../output.ts'
import { highlighted, type PickerState } from './state.ts'

export interface ViewOptions {
  readonly title: string
  readonly columns: number
  readonly rows: number
  readonly colors: Colors
  readonly now: number
}

/** The answer of the highlighted turn, and what it changed (`null`: nothing captured); all of it `null` while it is being read. */
export type Preview = { readonly answer: string; readonly patch: string | null } | null

/** Question, filter, rule and the line of keys. */
const frameRows = 4
const leastRows = 3

export function listRows(rows: number, turns: number): number {
  const room = Math.max(leastRows, rows - frameRows)
  return Math.max(1, Math.min(turns, Math.max(leastRows, Math.floor(room / 2))))
}

export function drawPicker(state: PickerState, preview: Preview, options: ViewOptions): string[] {
  const { colors, columns, rows } = options
  const { bold, cyan, dim, inverse } = colors
  const visible = listRows(rows, state.turns.length)
  const top = Math.max(0, Math.min(state.at - Math.floor(visible / 2), state.found.length - visible))
  const shown = state.found.slice(top, top + visible)
  const captured = anyCaptured(state.turns)
  const list = shown.map((turn, index) => {
    const isHere = top + index === state.at
    const line = cutToWidth(`${isHere ? '> ' : '  '}${describeTurn(turn, state.turns.length, options.now, captured)}`, columns)
    return isHere ? inverse(padToWidth(line, columns)) : line
  })
  if (state.found.length === 0) list.push(dim('  no turn fits'))
  const blanks = Array.from({ length: visible - list.length }, () => '')
  const count = `${state.at + 1}/${state.found.length}`
  const lines = [
    bold(cutToWidth(`Fork at which turn? ${cleanLine(options.title)}`, columns)),
    `${cyan('filter:')} ${cutToWidth(state.filter, Math.max(1, columns - count.length - 12))}_  ${dim(count)}`,
    ...list,
    ...blanks,
    dim('-'.repeat(Math.min(columns, 100))),
  ]
  const room = Math.max(0, rows - lines.length - 1)
  const all = previewLines(highlighted(state), preview, options, state.scroll)
  const start = Math.min(state.scroll, Math.max(0, all.length - room))
  const below = all.slice(start, start + room)
  const keys = `up/down move · type to filter · Enter choose · Esc leave${all.length > room ? ' · Shift+up/down scroll' : ''}`
  return [...lines, ...below, ...Array.from({ length: room - below.length }, () => ''), dim(cutToWidth(keys, columns))]
}

/** `Turn 12  2m ago  +3 -1  src/auth/handler.ts, ...  <prompt>`, and in words what is unusual about it. */
function describeTurn(turn: Turn, turns: number, now: number, captured: boolean): string {
  const number = String(turn.number ?? turn.id).padStart(String(turns).length)
  const marks = [turn.state === 'complete' ? '' : `[${turn.state}]`, turn.afterCompaction ? '[after compaction]' : '']
  const words = [...marks, cleanLine(turn.prompt.slice(0, 2000)) || '(no prompt)'].filter(Boolean).join(' ')
  const code = captured ? [[changeText(turn), ...doubts(turn), filesText(turn)].filter(Boolean).join('  ')] : []
  return [`Turn ${number}`, timeAgo(turn.startedAt, now).padStart(7), ...code, words].join('  ')
}

/** As far as there is something to see: keys pressed at the end are not saved up. */
export function scrolledTo(state: PickerState, preview: Preview, options: ViewOptions): number {
  const room = Math.max(0, options.rows - frameRows - listRows(options.rows, state.turns.length))
  const all = previewLines(highlighted(state), preview, options, state.scroll)
  return Math.min(state.scroll, Math.max(0, all.length - room))
}

function previewLines(
  turn: Turn | undefined,
  preview: Preview,
  { colors, columns, rows }: ViewOptions,
  scroll: number,
): string[] {
  if (turn === undefined) return []
  const width = Math.min(columns, 100) - 2
  // As much of the text as can be seen: wrapping a prompt of megabytes would hold up the keys.
  const seen = (text: string) => wrapText(cleanText(text.slice(0, (rows + scroll) * columns)).trim(), width)
  const prompt = seen(turn.prompt)
  const most = Math.max(1, Math.floor(rows / 5))
  const cut = prompt.length > most ? [...prompt.slice(0, most), '…'] : prompt
  const answer = preview === null ? [colors.dim('...')] : seen(preview.answer === '' ? '(no answer)' : preview.answer)
  const changes = patchLines(preview, rows + scroll, columns, colors)
  // A long answer leaves the diff its share of the room.
  const answered = changes.length > 0 && answer.length > most ? [...answer.slice(0, most), '…'] : answer
  const lines = [...cut.map((line) => `${colors.cyan('>')} ${colors.bold(line)}`), '', ...answered.map((line) => `  ${line}`)]
  return [...lines.map((line) => (widthOf(line) > columns ? cutToWidth(line, columns) : line)), ...changes]
}

/** Cut before it is painted: colours have no width. */
function patchLines(preview: Preview, rows: number, columns: number, colors: Colors): string[] {
  if (preview === null || preview.patch === null || preview.patch === '') return []
  const lines = cleanText(preview.patch.slice(0, rows * 1000)).split('\n', rows)
  return ['', ...lines.map((line) => paintPatch(cutToWidth(line.replaceAll('\t', '    '), columns), colors))]
}
