// A day as a person writes it in a filter: 2026-01-31, 2026-01, 2026, today, yesterday, 14d, 2w, 3m, 1y. In UTC, like all times
// that leave the program.

const dayMs = 86_400_000
const unitDays: Readonly<Record<string, number>> = { d: 1, w: 7, m: 30, y: 365 }

/** The beginning of that day, month or year; `null` when it is none. */
export function parseMoment(text: string, now: number): number | null {
  const word = text.toLowerCase()
  const today = Math.floor(now / dayMs) * dayMs
  if (word === 'today') return today
  if (word === 'yesterday') return today - dayMs
  const ago = /^(\d{1,4})([dwmy])$/.exec(word)
  if (ago !== null) return today - Number(ago[1]) * (unitDays[ago[2] ?? ''] ?? 0) * dayMs
  const date = /^(\d{4})(?:-(\d{1,2}))?(?:-(\d{1,2}))?$/.exec(word)
  if (date === null) return null
  const [year, month, day] = [Number(date[1]), Number(date[2] ?? 1), Number(date[3] ?? 1)]
  const at = Date.UTC(year, month - 1, day)
  // 2026-02-31 rolls over into March: no such day.
  return new Date(at).getUTCMonth() === month - 1 && new Date(at).getUTCDate() === day ? at : null
}
