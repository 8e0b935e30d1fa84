// Takes secrets out of every copy that leaves the agent's own file: our rules first, then secretlint on the few texts that
// still look as if they held something.
import { placeRules } from './place-rules.ts'
import { needsLint } from './prefilter.ts'
import { createScan } from './scan.ts'
import { tokenRules } from './token-rules.ts'

export interface Redactor {
  /** The text with every secret replaced by `[redacted:<kind>]`; the same string when there is none. */
  redact(text: string): Promise<string>
  /** The same for every string inside a JSON value; keys that name a secret take their value with them. */
  redactValue(value: unknown): Promise<unknown>
}

export function createRedactor(): Redactor {
  const redact = async (text: string): Promise<string> => {
    const ours = redactKnown(text)
    if (!needsLint(ours)) return ours
    const { lintOut } = await import('./lint.ts')
    return lintOut(ours)
  }
  const redactValue = async (value: unknown): Promise<unknown> => {
    if (typeof value === 'string') return redact(value)
    if (Array.isArray(value)) return Promise.all(value.map((item, at) => redactInPlace(placeOfItem(value, at), item)))
    if (typeof value !== 'object' || value === null) return value
    const fields = Object.entries(value).map(
      async ([name, field]) => [await redact(name), await redactInPlace(placeOfField(value, name), field)] as const,
    )
    return Object.fromEntries(await Promise.all(fields))
  }
  const redactInPlace = async (place: string, value: unknown): Promise<unknown> => {
    if (typeof value !== 'string') return redactValue(value)
    return redact(redactKnownInPlace(place, value))
  }
  return { redact, redactValue }
}

const takeTokens = createScan(tokenRules)
const takeByPlace = createScan(placeRules)

/** The part that needs no waiting: our own rules, without secretlint. Tokens first, since their kind says more. */
export function redactKnown(text: string): string {
  return takeByPlace(takeTokens(text))
}

/** Told at once: nothing is found, and secretlint need not be asked. */
export function isClean(text: string): boolean {
  return redactKnown(text) === text && !needsLint(text)
}

/** Alone, a value lacks the name that gives it away: this is what the rules are shown in front of it. */
export function placeOfField(holder: object, name: string): string {
  // Variables of containers and headers of recorded requests: `{"name": "DB_PASSWORD", "value": "..."}`.
  const named = name === 'value' ? (holder as { readonly name?: unknown; readonly key?: unknown }) : {}
  const owner = [named.name, named.key].find((one) => typeof one === 'string')
  return `${JSON.stringify(owner ?? name)}: `
}

/** The same for an argument: it may belong to the option before it. */
export function placeOfItem(items: readonly unknown[], at: number): string {
  const option = items[at - 1]
  return typeof option === 'string' && /^--[\w-]{1,40}$/.test(option) ? `${option} ` : ''
}

/** Longer values are texts, in which no name outside of them makes a secret. */
const longestNamed = 8192

export function redactKnownInPlace(place: string, value: string): string {
  if (place === '' || value.length > longestNamed) return redactKnown(value)
  const clean = redactKnown(place + JSON.stringify(value))
  if (!clean.startsWith(place)) return redactKnown(value)
  try {
    return redactKnown(String(JSON.parse(clean.slice(place.length))))
  } catch {
    return redactKnown(value)
  }
}
