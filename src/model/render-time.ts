// Times as every face gives them out.

/** `null` stays `null`; so does a time no calendar has (a transcript may hold any number). */
export function renderTime(at: number | null): string | null {
  if (at === null) return null
  const date = new Date(at)
  return Number.isNaN(date.getTime()) ? null : date.toISOString()
}
