// What was found, for people: score, title, the address of the best turn ready to paste, when and where, and why it fits.
import { basename } from 'node:path'
import { cleanLine } from '../../lib/text/clean.ts'
import { cleanMarked, paintMarked, wrapMarked } from '../../lib/text/marked.ts'
import { timeAgo } from '../../lib/text/time.ts'
import { cutToWidth } from '../../lib/text/width.ts'
import { wrapText } from '../../lib/text/wrap.ts'
import type { SearchAnswer, SearchResult } from '../../model/search.ts'
import type { Colors } from '../output.ts'
import { shortIds } from '../short-id.ts'

export interface ResultsOptions {
  readonly colors: Colors
  readonly columns: number
  readonly now: number
}

const indent = '      '
const snippetLines = 3
const widest = 110

export function formatResults({ results, query }: SearchAnswer, options: ResultsOptions): string[] {
  const addresses = turnAddresses(results)
  return results.flatMap((result, at) => [
    ...(at === 0 ? [] : ['']),
    ...formatResult(result, { address: addresses.get(result) ?? '', query }, options),
  ])
}

/** As short as names each session among these. */
export function turnAddresses(results: readonly SearchResult[]): ReadonlyMap<SearchResult, string> {
  const ids = shortIds(results.map(({ session }) => session))
  return new Map(
    results.map((result) => {
      const { session, turn } = result
      return [result, `${ids.get(session) ?? session.id}${turn === null ? '' : `@${turn.number ?? turn.id}`}`]
    }),
  )
}

function formatResult(
  result: SearchResult,
  { address, query }: { readonly address: string; readonly query: string },
  { colors, columns, now }: ResultsOptions,
): string[] {
  const { bold, cyan, dim, yellow } = colors
  const width = Math.min(columns, widest) - indent.length
  const { session, snippet, warning, explain } = result
  const about = cutToWidth(` · ${placeAndTime(result, now)}`, Math.max(8, columns - indent.length - address.length))
  const text = (line: string, paint: (text: string) => string) => wrapText(line, width).map((each) => `${indent}${paint(each)}`)
  return [
    `${paintScore(result.score, colors)}  ${bold(cutToWidth(titleOf(session), columns - indent.length))}`,
    `${indent}${cyan(address)}${dim(about)}`,
    ...wrapMarked(cleanMarked(snippet), width, snippetLines).map(
      (line) => `${indent}${paintMarked(line, (part) => bold(yellow(part)))}`,
    ),
    ...(warning === undefined ? [] : text(`! ${cleanLine(warning)}`, yellow)),
    ...(explain === undefined ? [] : text(explainScore(explain, query), dim)),
  ]
}

function paintScore(score: number, { green, yellow, dim }: Colors): string {
  const paint = score >= 0.6 ? green : score >= 0.3 ? yellow : dim
  return paint(score.toFixed(2))
}

export function titleOf({ title }: SearchResult['session']): string {
  return cleanLine(title) || '(no prompt)'
}

function placeAndTime({ session, touched }: SearchResult, now: number): string {
  const place = cleanLine(basename(session.repoRoot ?? session.cwd ?? ''))
  const did = touched === undefined ? '' : `${touched} it`
  return [timeAgo(session.updatedAt, now), place, did].filter(Boolean).join(' · ')
}

function explainScore({ parts, matched }: NonNullable<SearchResult['explain']>, query: string): string {
  const added = Object.entries(parts).filter(([, value]) => value !== 0)
  const sum = added.reduce((total, [, value]) => total + value, 0)
  const shown = added.map(([name, value]) => `${name} ${value.toFixed(2)}`).join(' + ') || 'nothing'
  // The index knows stems; a person knows what they typed.
  const typed = query.split(/[^\p{L}\p{N}_]+/u)
  const asTyped = (stem: string) => typed.find((word) => word.toLowerCase().startsWith(stem)) ?? stem
  const words = matched.length === 0 ? '' : `; has: ${matched.map((stem) => cleanLine(asTyped(stem))).join(', ')}`
  return `${shown} = ${sum.toFixed(2)}${words}`
}
