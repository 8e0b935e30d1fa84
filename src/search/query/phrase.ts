// Chunks in which some terms stand side by side, newest first: those that have all of them by the index, then by their text.
import { readPostings } from '../../store/search-postings.ts'
import type { Store } from '../../store/store.ts'
import { termsOfText } from '../text/terms.ts'
import type { View } from './view.ts'

/** Once as a whole name is not said: that has a field of its own. */
const saidOrDone = 0xffffff

export function findPhrase({ search }: Store, view: View, terms: readonly string[], limit: number): number[] {
  const segments = search.segments.all()
  const wanted = [...new Set(terms)]
  const having = new Uint8Array(view.size)
  for (const [at, term] of wanted.entries()) markChunks(search.segments.find(segments, term), having, at)
  const found: number[] = []
  for (let key = view.size - 1; key >= 0 && found.length < limit; key -= 1) {
    if (having[key] !== wanted.length || view.sessions[key] === 0) continue
    if (terms.length > 1 && !hasPhrase(search, key, terms)) continue
    found.push(key)
  }
  return found
}

type Parts = ReturnType<Store['search']['segments']['find']>

/** Counts a chunk up when it has all terms before this one too. */
function markChunks(parts: Parts, having: Uint8Array, before: number): void {
  for (const part of parts) {
    const room = { keys: new Int32Array(part.chunks), counts: new Int32Array(part.chunks) }
    readPostings(part, room, part.base)
    for (let at = 0; at < part.chunks; at += 1) {
      const key = room.keys[at] as number
      if (having[key] === before && ((room.counts[at] as number) & saidOrDone) !== 0) having[key] = before + 1
    }
  }
}

function hasPhrase({ lookup }: Store['search'], key: number, terms: readonly string[]): boolean {
  const chunk = lookup.chunk(key)
  return chunk !== null && [chunk.prompt, chunk.body, chunk.tools].some((text) => standsIn(termsOfText(text), terms))
}

function standsIn(all: readonly string[], terms: readonly string[]): boolean {
  for (let from = all.indexOf(terms[0] as string); from !== -1; from = all.indexOf(terms[0] as string, from + 1)) {
    if (terms.every((term, at) => all[from + at] === term)) return true
  }
  return false
}
