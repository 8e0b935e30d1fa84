// Light English stemming: plural, -ed, -ing, -ly, -er and the commonest noun endings. It only has to send the forms of one word
// to one string, the same way at index and query time; what it leaves behind need not be a word.

const vowel = /[aeiouy]/

/** Words with digits, short words and other alphabets stay as they are. */
export function stem(word: string): string {
  if (word.length < 4 || !/^[a-z]+$/.test(word)) return word
  return settle(dropEnding(dropPlural(word)))
}

function dropPlural(word: string): string {
  if (word.endsWith('sses')) return word.slice(0, -2)
  if (word.endsWith('ies')) return word.length > 4 ? `${word.slice(0, -3)}y` : word
  if (/(?:x|ch|sh|zz)es$/.test(word)) return word.slice(0, -2)
  return /[^siu]s$/.test(word) ? word.slice(0, -1) : word
}

/** In order: the first ending that fits goes, if enough of a word is left. */
const endings: readonly (readonly [ending: string, instead: string, least: number])[] = [
  ['ization', 'ize', 3],
  ['ation', 'ate', 3],
  ['ition', 'it', 3],
  ['ction', 'ct', 2],
  ['ssion', 'ss', 3],
  ['ment', '', 4],
  ['ness', '', 4],
  ['able', '', 4],
  ['ible', '', 4],
  ['ingly', '', 3],
  ['edly', '', 3],
  ['ally', 'al', 3],
  ['ing', '', 3],
  ['ied', 'y', 2],
  ['ed', '', 3],
  ['ly', '', 4],
  ['er', '', 4],
  ['or', '', 5],
]

function dropEnding(word: string): string {
  for (const [ending, instead, least] of endings) {
    if (!word.endsWith(ending)) continue
    const rest = word.slice(0, -ending.length)
    if (rest.length < least || !vowel.test(rest)) return word
    return undouble(rest) + instead
  }
  return word
}

/** stopp(ed) -> stop, but call(ed) and pass(ed) keep theirs. */
function undouble(rest: string): string {
  return /([^aeiouylsz])\1$/.test(rest) ? rest.slice(0, -1) : rest
}

/** configure, configur(ed), configur(ing) meet without their last e; a final y meets the i of -ies. */
function settle(word: string): string {
  if (word.length > 3 && word.endsWith('e')) return word.slice(0, -1)
  return word.length > 3 && /[^aeiou]y$/.test(word) ? `${word.slice(0, -1)}i` : word
}
