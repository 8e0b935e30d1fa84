// Words as index terms: stemmed, bounded in length; scripts without spaces as pairs of letters. What is indexed and what is
// asked go through the same function, and that is all that matters.
import { stem } from './stem.ts'
import { splitWords } from './words.ts'

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
