// Takes secrets out of every copy that leaves the agent's own file: our rules first, then secretlint on the few texts that
// still look as if they held something.
import { mayHoldContext, mayHoldToken, needsLint } from './prefilter.ts'
import { contextRules, type Rule, tokenRules } from './rules.ts'

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

/** The part that needs no waiting: our own rules, without secretlint. */
export function redactKnown(text: string): string {
  let clean = text
  if (mayHoldToken(clean)) for (const rule of tokenRules) clean = applyRule(rule, clean)
  if (mayHoldContext(clean)) for (const rule of contextRules) clean = applyRule(rule, clean)
  return clean
}

type Groups = { readonly before?: string; readonly after?: string } | undefined

function applyRule({ kind, pattern, accept }: Rule, text: string): string {
  return text.replace(pattern, (match: string, ...rest: unknown[]) => {
    const last = rest.at(-1)
    const groups: Groups = typeof last === 'object' && last !== null ? last : undefined
    const before = groups?.before ?? ''
    const after = groups?.after ?? ''
    const secret = match.slice(before.length, match.length - after.length)
    if (secret.startsWith('[redacted:') || accept?.(secret) === false) return match
    return `${before}[redacted:${kind}]${after}`
  })
}
