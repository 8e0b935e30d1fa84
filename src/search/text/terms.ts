// Words as index terms: stemmed, bounded in length; scripts without spaces as pairs of letters. What is indexed and what is
// asked go through the same function, and that is all that matters.
import { stem } from './stem.ts'
import { hasForeignLetters, scanWords, splitWords } from './words.ts'

const longestTerm = 40
const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}]/u
const maxCached = 150_000
const stems = new Map<string, string>()

/** In order of the text. */
export function toTerms(words: readonly string[]): string[] {
  const terms: string[] = []
  for (const word of words) {
    const known = stems.get(word)
    if (known !== undefined) terms.push(known)
    else if (unspaced.test(word)) terms.push(...pairsOf(word))
    else if (word.length <= longestTerm) terms.push(remember(word))
  }
  return terms
}

export function termsOfText(text: string): string[] {
  return toTerms(splitWords(text))
}

/**
 * Where the wanted terms stand among all terms of a text, which is what is counted as `length`. Words that begin unlike any of
 * them are passed over unseen: a stem keeps the first two letters of its word.
 */
export function createTermFinder(
  wanted: ReadonlySet<string>,
): (text: string, found: (term: string, place: number) => void) => number {
  const beginnings = new Uint8Array(1 << 14)
  for (const term of wanted) beginnings[beginningOf(term, 0)] = 1
  return (text, found) => {
    let place = 0
    const look = (from: number, to: number) => {
      if (to - from > longestTerm) return
      if (beginnings[beginningOf(text, from)] === 1 || to - from === 1) {
        const word = text.slice(from, to).toLowerCase()
        const term = stems.get(word) ?? remember(word)
        if (wanted.has(term)) found(term, place)
      }
      place += 1
    }
    let from = 0
    // Letters beyond ASCII go the long way, but only they and what they stand in.
    for (const { index, 0: run } of hasForeignLetters(text) ? text.matchAll(foreignRun) : []) {
      scanWords(text, look, from, index)
      for (const term of termsOfText(run)) {
        if (wanted.has(term)) found(term, place)
        place += 1
      }
      from = index + run.length
    }
    scanWords(text, look, from)
    return place
  }
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the whole of ASCII is meant
const foreignRun = /[A-Za-z0-9]*[^\x00-\x7f](?:[A-Za-z0-9]|[^\x00-\x7f])*/g

/** The first two letters, small, as one number; letters beyond ASCII are not asked for. */
function beginningOf(text: string, from: number): number {
  return ((smallCode(text, from) & 127) << 7) | (smallCode(text, from + 1) & 127)
}

function smallCode(text: string, at: number): number {
  const code = text.charCodeAt(at)
  return code >= 65 && code <= 90 ? code + 32 : code
}

function remember(word: string): string {
  const made = stem(word)
  if (stems.size >= maxCached) stems.clear()
  stems.set(word, made)
  return made
}

function pairsOf(word: string): string[] {
  const letters = [...word]
  if (letters.length < 3) return [word]
  return letters.slice(0, -1).map((letter, at) => letter + letters[at + 1])
}

/** `parseSession` and `parse_session` as one term beside their parts: who writes the whole name means that name. */
const compound = /[A-Za-z][A-Za-z0-9]*(?:[_-][A-Za-z0-9]+|[a-z0-9][A-Z][A-Za-z0-9]*)+/g

export function namesOf(text: string): string[] {
  const found = text.match(compound)
  if (found === null) return []
  return found.map((name) => name.replaceAll(/[_-]/g, '').toLowerCase()).filter((name) => name.length <= longestTerm)
}
