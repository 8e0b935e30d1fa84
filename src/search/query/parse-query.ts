// What a person typed as a query: words, "quotes", -word and filters. Total: any text is a query, and what looks like a filter
// but is none is searched for like any other word.
import { type AgentId, agentIds } from '../../model/session.ts'
import { namesOf, termsOfText } from '../text/terms.ts'
import { parseMoment } from './moment.ts'

export interface Filters {
  readonly agent?: AgentId
  /** Part of a repository's path or name. */
  readonly repo?: string
  readonly files: readonly string[]
  readonly branch?: string
  readonly model?: string
  readonly before?: number
  readonly after?: number
}

export interface ParsedQuery {
  /** The words as typed, without filters and exclusions: what is embedded. */
  readonly words: string
  /** Distinct, in order. */
  readonly terms: readonly string[]
  /** Quoted: each must stand in the session as it is. */
  readonly phrases: readonly (readonly string[])[]
  readonly excluded: readonly (readonly string[])[]
  readonly filters: Filters
  /** Filters that were not understood, in words for the person. */
  readonly notes: readonly string[]
}

/** A sign, a key, then something in quotes (to the end where they are not closed) or a word. */
const token = /(-(?=["\p{L}]))?((?:agent|repo|file|branch|model|before|after):)?(?:"([^"]*)(?:"|$)|(\S+))/giu
/** Longer than this is a pasted file: the index has no use for more. */
const maxLength = 4000
const maxTerms = 64

export function parseQuery(text: string, now: number): ParsedQuery {
  const words: string[] = []
  const phrases: string[][] = []
  const excluded: string[][] = []
  const filters: { -readonly [Key in keyof Filters]: Filters[Key] } = { files: [] }
  const notes: string[] = []
  for (const match of text.slice(0, maxLength).matchAll(token)) {
    const [whole, minus, key, quoted, plain] = match
    const value = quoted ?? plain ?? ''
    if (key !== undefined && minus === undefined && value !== '') {
      const note = setFilter(filters, key.slice(0, -1).toLowerCase(), value, now)
      if (note !== null) notes.push(note)
    } else if (minus !== undefined) excluded.push(termsOfText(`${key ?? ''}${value}`))
    else if (quoted !== undefined && key === undefined) {
      phrases.push(termsOfText(quoted))
      words.push(quoted)
    } else words.push(whole)
  }
  const joined = words.join(' ').trim()
  return {
    words: joined,
    terms: [...new Set([...termsOfText(joined), ...namesOf(joined)])].slice(0, maxTerms),
    phrases: phrases.filter(({ length }) => length > 0),
    excluded: excluded.filter(({ length }) => length > 0),
    filters,
    notes,
  }
}

function setFilter(
  filters: { -readonly [Key in keyof Filters]: Filters[Key] },
  key: string,
  value: string,
  now: number,
): string | null {
  switch (key) {
    case 'agent': {
      const agent = agentIds.find((id) => id === value.toLowerCase())
      if (agent === undefined) return `agent:${value} names no agent: there are ${agentIds.join(' and ')}`
      filters.agent = agent
      return null
    }
    case 'file':
      filters.files = [...filters.files, value]
      return null
    case 'before':
    case 'after': {
      const moment = parseMoment(value, now)
      if (moment === null) return `${key}:${value} is no date: write 2026-01-31, 2026-01, yesterday or 14d`
      filters[key] = moment
      return null
    }
    case 'repo':
    case 'branch':
    case 'model':
      filters[key] = value
      return null
    default:
      return null
  }
}
