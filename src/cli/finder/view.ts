// The finder as lines of text that fit the screen: what is typed, what was found, the turn to read, keys. Reads without colour.

import { cleanLine, cleanText } from '../../lib/text/clean.ts'
import { cleanMarked, paintMarked, wrapMarked } from '../../lib/text/marked.ts'
import { timeAgo } from '../../lib/text/time.ts'
import { cutToWidth, padToWidth, widthOf } from '../../lib/text/width.ts'
import { wrapText } from '../../lib/text/wrap.ts'
import type { SearchResult } from '../../model/search.ts'
import type { Colors } from '../output.ts'
import { titleOf, turnAddresses } from '../searching/results.ts'
import type { Preview } from './read-preview.ts'
import { type FinderState, highlighted } from './state.ts'

export interface FinderViewOptions {
  /** Where it looks, as in `this repository (todo)`. */
  readonly scope: string
  readonly columns: number
  readonly rows: number
  readonly colors: Colors
  readonly now: number
}

/** Heading, input, rule and the line of keys. */
const frameRows = 4
const leastRows = 3
const widest = 110
const keys = 'type to search · up/down move · Enter fork · Esc leave'

export function finderRows(rows: number, results: number): number {
  const room = Math.max(leastRows, rows - frameRows)
  return Math.max(1, Math.min(Math.max(results, leastRows), Math.max(leastRows, Math.floor(room / 2))))
}

export function drawFinder(state: FinderState, preview: Preview | null, options: FinderViewOptions): string[] {
  const { colors, columns, rows } = options
  const { bold, cyan, dim } = colors
  const results = state.answer?.results ?? []
  const count = state.waiting ? '...' : `${state.at + 1}/${results.length}`
  const room = Math.max(1, columns - count.length - 9)
  const list = drawList(state, options)
  const lines = [
    bold(cutToWidth(headingOf(state, options), columns)),
    `${cyan('find:')} ${endOf(cleanLine(state.text) + (/\s$/.test(state.text) ? ' ' : ''), room)}_  ${dim(count)}`,
    ...list,
    dim('-'.repeat(Math.min(columns, widest))),
  ]
  const below = Math.max(0, rows - lines.length - 1)
  const reading = previewLines(highlighted(state), preview, options).slice(0, below)
  const blanks = Array.from({ length: below - reading.length }, () => '')
  return [...lines, ...reading, ...blanks, dim(cutToWidth(keys, columns))].slice(0, Math.max(rows, 1))
}

function headingOf({ answer, progress }: FinderState, { scope }: FinderViewOptions): string {
  const heading = `Search ${scope}`
  if (progress !== null) return `${heading} · indexing ${progress.filesDone} of ${progress.files} sessions, newest first`
  return answer === null || answer.index.complete ? heading : `${heading} · not everything is indexed yet`
}

function drawList(state: FinderState, options: FinderViewOptions): string[] {
  const { colors, columns, rows, now } = options
  const results = state.answer?.results ?? []
  const visible = finderRows(rows, results.length)
  const top = Math.max(0, Math.min(state.at - Math.floor(visible / 2), results.length - visible))
  const list = results.slice(top, top + visible).map((result, index) => {
    const isHere = top + index === state.at
    const line = cutToWidth(`${isHere ? '> ' : '  '}${describe(result, now)}`, columns)
    return isHere ? colors.inverse(padToWidth(line, columns)) : line
  })
  if (list.length === 0 || state.fault !== null) {
    const said = wrapText(emptyText(state), Math.max(1, columns - 2)).map((line) => colors.dim(`  ${line}`))
    list.splice(0, list.length, ...said.slice(0, visible))
  }
  return [...list, ...Array.from({ length: visible - list.length }, () => '')]
}

function emptyText({ answer, fault }: FinderState): string {
  if (fault !== null) return cleanLine(fault)
  if (answer === null) return 'searching ...'
  return answer.notes.map(cleanLine).join(' ') || 'no session fits'
}

/** `0.83   2d ago  claude  <title>`: the turn is in the preview. */
function describe(result: SearchResult, now: number): string {
  const { score, session } = result
  return `${score.toFixed(2)}  ${timeAgo(session.updatedAt, now).padStart(10)}  ${session.agent.padEnd(6)}  ${titleOf(session)}`
}

function previewLines(result: SearchResult | undefined, preview: Preview | null, options: FinderViewOptions): string[] {
  if (result === undefined) return []
  const { colors, columns, rows } = options
  const { bold, cyan, dim, yellow } = colors
  const width = Math.max(1, Math.min(columns, widest) - 2)
  // As much of the text as can be seen: wrapping an answer of megabytes would hold up the keys.
  const seen = (text: string) =>
    wrapText(
      cleanText(text.slice(0, rows * columns))
        .replaceAll('\t', '    ')
        .trim(),
      width,
    )
  const few = Math.max(1, Math.floor(rows / 8))
  const place = cleanLine(result.session.repoRoot ?? result.session.cwd ?? '')
  const address = turnAddresses([result]).get(result) ?? ''
  const why = wrapMarked(cleanMarked(result.snippet), width, Math.max(few, 2))
  const prompt = preview === null ? [] : cutLines(seen(preview.prompt), few)
  const answer = preview === null ? ['...'] : seen(preview.answer === '' ? '(no answer)' : preview.answer)
  const squeeze = (line: string) => (widthOf(line) > columns ? cutToWidth(line, columns) : line)
  return [
    `${cyan(cutToWidth(address, columns))}${dim(cutToWidth(place === '' ? '' : ` · ${place}`, columns - widthOf(address)))}`,
    ...(result.warning === undefined ? [] : [yellow(squeeze(`! ${cleanLine(result.warning)}`))]),
    ...why.map((line) => `  ${paintMarked(line, (part) => bold(yellow(part)), dim)}`),
    '',
    ...prompt.map((line) => `${cyan('>')} ${bold(line)}`),
    ...answer.map((line) => squeeze(`  ${line}`)),
  ]
}

function cutLines(lines: readonly string[], most: number): readonly string[] {
  return lines.length > most ? [...lines.slice(0, most), '…'] : lines
}

/** The end of a line that is being typed is what one looks at. */
function endOf(text: string, width: number): string {
  let shown = text
  while (widthOf(shown) > width) shown = [...shown].slice(1).join('')
  return shown
}
