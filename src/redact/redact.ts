// Takes secrets out of every copy that leaves the agent's own file: our rules first, then secretlint on the few texts that
// still look as if they held something.
import { findDeep } from './escaped.ts'
import { placeRules } from './place-rules.ts'
import { needsLint } from './prefilter.ts'
import { createFind, type Find, replaceSecrets } from './scan.ts'
import { tokenRules } from './token-rules.ts'

export interface Redactor {
  /** The text with every secret replaced by `[redacted:<kind>]`; the same string when there is none. */
  redact(text: string): Promise<string>
  /** The same for every string inside a JSON value; keys that name a secret take their value with them. `place`: that of the value. */
  redactValue(value: unknown, place?: string): Promise<unknown>
}

export function createRedactor(): Redactor {
  const redact = async (text: string): Promise<string> => {
    let clean = redactKnown(text)
    for (let round = 0; round < maxRounds && needsLint(clean); round += 1) {
      const { lintOut } = await import('./lint.ts')
      const linted = await lintOut(clean)
      if (linted === clean) break
      clean = redactKnown(linted)
    }
    return clean
  }
  const redactValue = async (value: unknown, place = ''): Promise<unknown> => {
    if (typeof value === 'string') return redact(value)
    if (Array.isArray(value)) return Promise.all(value.map((item, at) => redactInPlace(placeOfItem(value, at, place), item)))
    if (typeof value !== 'object' || value === null) return value
    const fields = Object.entries(value).map(
      async ([name, field]) => [await redact(name), await redactInPlace(placeOfField(value, name), field)] as const,
    )
    return Object.fromEntries(await Promise.all(fields))
  }
  const redactInPlace = async (place: string, value: unknown): Promise<unknown> => {
    if (typeof value !== 'string') return redactValue(value, place)
    return redact(redactKnownInPlace(place, value))
  }
  return { redact, redactValue }
}

const findTokens = createFind(tokenRules)
const findByPlace = createFind(placeRules)
const take = (find: Find, text: string): string => replaceSecrets(text, findDeep(find, text))

/** Two are enough for all that was ever seen. */
const maxRounds = 5

/**
 * The part that needs no waiting: our own rules, without secretlint. Tokens first, since their kind says more. What replaces a
 * secret can be a sign for the next one, so it goes on until nothing is found: a copy of a copy is the same.
 */
export function redactKnown(text: string): string {
  let clean = text
  let placesAreClean = false
  for (let round = 0; round < maxRounds; round += 1) {
    const withoutTokens = take(findTokens, clean)
    const hadTokens = withoutTokens !== clean
    if (!hadTokens && placesAreClean) break
    clean = take(findByPlace, withoutTokens)
    placesAreClean = clean === withoutTokens
    if (!hadTokens && placesAreClean) break
  }
  return clean
}

/** Told at once: nothing is found, and secretlint need not be asked. */
export function isClean(text: string): boolean {
  return redactKnown(text) === text && !needsLint(text)
}

/** Alone, a value lacks the name that gives it away: this is what the rules are shown in front of it. */
export function placeOfField(holder: object, name: string): string {
  // They name a neighbour, and are none themselves.
  if (name === 'name' || name === 'key') return ''
  // Variables of containers and headers of recorded requests: `{"name": "DB_PASSWORD", "value": "..."}`.
  const named = name === 'value' ? (holder as { readonly name?: unknown; readonly key?: unknown }) : {}
  const owner = [named.name, named.key].find((one) => typeof one === 'string')
  return `${JSON.stringify(owner ?? name)}: `
}

/**
 * The same for an item of a list, whose own place says what all items are. An argument may belong to the option before it, and the
 * option to the command.
 */
export function placeOfItem(items: readonly unknown[], at: number, placeOfList: string): string {
  const option = items[at - 1]
  if (typeof option !== 'string' || !/^--?[\w-]{1,40}$/.test(option)) return placeOfList === '' ? '' : `${placeOfList}[`
  return items
    .slice(Math.max(0, at - 8), at)
    .map((item) => `${typeof item === 'string' && item.length < 100 ? item : ''} `)
    .join('')
}

/** Longer values are texts, in which no name outside of them makes a secret. */
const longestNamed = 8192

export function redactKnownInPlace(place: string, value: string): string {
  if (place === '' || value.length > longestNamed) return redactKnown(value)
  const text = place + JSON.stringify(value)
  const clean = replaceSecrets(text, findByPlace(text, place.length))
  if (!clean.startsWith(place)) return redactKnown(value)
  try {
    return redactKnown(String(JSON.parse(clean.slice(place.length))))
  } catch {
    return redactKnown(value)
  }
}
