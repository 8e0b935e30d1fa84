// Times for people: how long ago, short enough for a column.

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

/** `now`, `5m ago`, `3h ago`, `2d ago`, then the date; a clock that ran backwards gives `now`, never "in 3 minutes". */
export function timeAgo(at: number | null, now: number): string {
  if (at === null || Number.isNaN(new Date(at).getTime())) return '-'
  const age = now - at
  if (age < minute) return age < -day ? dateOf(at) : 'now'
  if (age < hour) return `${Math.floor(age / minute)}m ago`
  if (age < day) return `${Math.floor(age / hour)}h ago`
  if (age < 30 * day) return `${Math.floor(age / day)}d ago`
  return dateOf(at)
}

function dateOf(at: number): string {
  return new Date(at).toISOString().slice(0, 10)
}

/** `2026-11-15 09:30 UTC`: for headings, where the exact time matters. */
export function exactTime(at: number | null): string {
  if (at === null || Number.isNaN(new Date(at).getTime())) return 'at an unknown time'
  return `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`
}
