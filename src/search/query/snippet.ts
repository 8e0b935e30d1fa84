// The piece of a chunk that shows why it was found, with the matching words marked.
import type { Snippet } from '../../model/search.ts'
import type { ChunkTexts } from '../../store/search-index.ts'
import { namesOf, termsOfText } from '../text/terms.ts'

interface Hit {
  readonly from: number
  readonly to: number
  readonly term: string
}

const run = /[\p{L}\p{N}]+(?:[_-][\p{L}\p{N}]+)*/gu
/** Where one word of a camelCase name ends and the next begins. */
const hump = /(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|(?<=[_-])|(?=[_-])/

/** `idfs`: the terms of the query and how much each says. */
export function makeSnippet(chunk: ChunkTexts, idfs: ReadonlyMap<string, number>, length: number): Snippet {
  const text = chooseText(chunk, idfs)
  const hits = findHits(text, idfs)
  const from = chooseStart(text, hits, idfs, length)
  const end = Math.min(text.length, from + length)
  const cutFrom = from === 0 ? 0 : nextBlank(text, from, end)
  const cutTo = end === text.length ? end : lastBlank(text, cutFrom, end)
  const head = cutFrom > 0 ? '…' : ''
  const shown = text.slice(cutFrom, cutTo)
  const shift = head.length - cutFrom
  const marks = hits
    .filter((hit) => hit.from >= cutFrom && hit.to <= cutTo)
    .map((hit) => [hit.from + shift, hit.to + shift] as const)
  // Line by line it would fill the screen; every blank stays one character, so the marks hold.
  return { text: `${head}${shown.replaceAll(/\s/g, ' ')}${cutTo < text.length ? '…' : ''}`, marks }
}

/** What was said, unless only what was done has the words. */
function chooseText({ prompt, body, tools }: ChunkTexts, idfs: ReadonlyMap<string, number>): string {
  const said = [prompt, body].filter((text) => text !== '').join('\n')
  if (said === '') return tools
  return tools !== '' && findHits(said, idfs).length === 0 && findHits(tools, idfs).length > 0 ? tools : said
}

function findHits(text: string, idfs: ReadonlyMap<string, number>): Hit[] {
  const hits: Hit[] = []
  for (const match of text.matchAll(run)) {
    const [whole] = match
    const name = namesOf(whole)[0]
    if (name !== undefined && idfs.has(name)) {
      hits.push({ from: match.index, to: match.index + whole.length, term: name })
      continue
    }
    let from = match.index
    for (const part of whole.split(hump)) {
      const term = termsOfText(part).find((each) => idfs.has(each))
      if (term !== undefined) hits.push({ from, to: from + part.length, term })
      from += part.length
    }
  }
  return hits
}

/** The window whose different words say most. */
function chooseStart(text: string, hits: readonly Hit[], idfs: ReadonlyMap<string, number>, length: number): number {
  if (text.length <= length) return 0
  let best = 0
  let bestWorth = 0
  for (const [first, { from }] of hits.entries()) {
    const seen = new Set<string>()
    let worth = 0
    for (let at = first; at < hits.length && (hits[at] as Hit).to <= from + length; at += 1) {
      const { term } = hits[at] as Hit
      worth += (idfs.get(term) ?? 0) * (seen.has(term) ? 0.05 : 1)
      seen.add(term)
    }
    if (worth > bestWorth) {
      bestWorth = worth
      best = from
    }
  }
  // A little of what stands before the first word.
  return Math.max(0, Math.min(best - Math.floor(length / 8), text.length - length))
}

function nextBlank(text: string, from: number, end: number): number {
  for (let at = from; at < Math.min(end, from + 40); at += 1) if (/\s/.test(text.charAt(at))) return at + 1
  return from
}

function lastBlank(text: string, from: number, end: number): number {
  for (let at = end; at > Math.max(from, end - 40); at -= 1) if (/\s/.test(text.charAt(at))) return at
  return end
}
