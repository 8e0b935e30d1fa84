// An intent in the form qmd can answer without a model. `qmd search` wants every word in a document, so that a sentence mostly
// finds nothing (185 of 526 real intents found something); several `lex:` lines of one word each are fused like an OR.

/** Too common to say anything; each would bring twenty documents of its own into the fusion. */
const common = new Set(
  `a about after all also an and any are as at be because been but by can could did do does for from get had has have how i if in
  into is it its just let like make me more my need no not now of on one only or our out over please should so some than that
  the their them then there these they this those to too up us use using want was we were what when where which who why will
  with would you your`.split(/\s+/),
)
/** Each line is a search of its own. */
const maxWords = 16

/** The words that carry the intent, in order; all of them where none does. */
export function wordsOf(text: string): string[] {
  const words = text
    .split(/[\s"']+/)
    .map((word) => word.replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, ''))
    .filter((word) => word !== '')
  const distinct = [...new Map(words.map((word) => [word.toLowerCase(), word])).values()]
  const telling = distinct.filter((word) => !common.has(word.toLowerCase()))
  return (telling.length > 0 ? telling : distinct).slice(0, maxWords)
}

/** All words together first: qmd gives its first list twice the weight, and one without hits does not count. */
export function toLexQuery(words: readonly string[], meaning: string | null = null): string {
  const lines = words.length > 1 ? [words.join(' '), ...words] : words
  const vector = meaning === null ? [] : [`vec: ${meaning.replaceAll(/\s+/g, ' ').replace(/(^| )-+/g, '$1')}`]
  return [...lines.map((line) => `lex: ${line}`), ...vector].join('\n')
}
