// Keeps answers small: Codex cuts the middle out of what is over 48,000 characters, which breaks the JSON; Claude swaps what is
// over 60,000 for a file. So everything is paged well below that.

/** Of a whole result, text and structured content together. */
export const maxResultBytes = 20_000
/** Of the rows of a list: the rest is for what stands around them. */
export const rowsBudget = 16_000

export function bytesOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value) ?? '')
}

/** The leading rows that fit; at least one, so that paging always gets on. */
export function fitRows<T>(rows: readonly T[], budget = rowsBudget): T[] {
  let used = 2
  const count = rows.findIndex((row) => {
    used += bytesOf(row) + 1
    return used > budget
  })
  return rows.slice(0, count === -1 ? rows.length : Math.max(1, count))
}

/** At most this many characters, the last one an ellipsis where something is missing; no character is torn. */
export function cutText(text: string, length: number): string {
  if (text.length <= length) return text
  const end = /[\ud800-\udbff]$/.test(text.slice(0, length - 1)) ? length - 2 : length - 1
  return `${text.slice(0, Math.max(0, end))}…`
}

/** The same value with long lists and texts shortened; what is missing is counted in their place. */
export function shorten(value: unknown, limits = { items: 20, characters: 600 }): unknown {
  if (typeof value === 'string') return cutText(value, limits.characters)
  if (Array.isArray(value)) {
    const kept = value.slice(0, limits.items).map((item) => shorten(item, limits))
    return value.length > limits.items ? [...kept, `… ${value.length - limits.items} more`] : kept
  }
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, field]) => [key, shorten(field, limits)]))
}

/** Rough and rather too high: four letters a token, any other character one. */
export function estimateTokens(text: string): number {
  const others = text.replace(/[ -~\s]+/g, '').length
  return Math.ceil((text.length - others) / 4) + others
}
