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
    if (Array.isArray(value)) return Promise.all(value.map(redactValue))
    if (typeof value !== 'object' || value === null) return value
    const fields = Object.entries(value).map(
      async ([name, field]) => [await redact(name), await redactField(name, field)] as const,
    )
    return Object.fromEntries(await Promise.all(fields))
  }
  const redactField = async (name: string, field: unknown): Promise<unknown> => {
    if (typeof field !== 'string') return redactValue(field)
    // Alone, a value lacks the name that gives it away: put them side by side for the rules that look at names.
    const value = /: "(\[redacted:[\w-]+\])"$/.exec(redactKnown(`"${name}": "${field}"`))?.[1]
    return value ?? redact(field)
  }
  return { redact, redactValue }
}

const takeTokens = createScan(tokenRules)
const takeByPlace = createScan(placeRules)

/** The part that needs no waiting: our own rules, without secretlint. Tokens first, since their kind says more. */
export function redactKnown(text: string): string {
  return takeByPlace(takeTokens(text))
}
