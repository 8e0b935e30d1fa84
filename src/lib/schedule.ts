// When something regular is due next: `15m`, `6h`, or a cron expression of five fields in local time.

export type Schedule =
  | { readonly kind: 'every'; readonly intervalMs: number }
  | { readonly kind: 'cron'; readonly fields: readonly CronField[] }

interface CronField {
  readonly values: ReadonlySet<number>
  /** `*`: whether a day must fit by its date, its weekday or either depends on this. */
  readonly isAny: boolean
}

const units = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const
/** Minute, hour, day of the month, month, day of the week; 7 is Sunday too. */
const ranges = [
  [0, 59],
  [0, 23],
  [1, 31],
  [1, 12],
  [0, 7],
] as const
/** The longest wait for a 29th of February. */
const daysAhead = 366 * 8 + 1

/** `null`: this is no schedule, or one that never comes (the 31st of February). */
export function parseSchedule(text: string): Schedule | null {
  const [, count, unit] = /^([1-9]\d{0,4})([smhd])$/.exec(text.trim()) ?? []
  if (count !== undefined) return { kind: 'every', intervalMs: Number(count) * units[unit as keyof typeof units] }
  const parts = text.trim().split(/\s+/)
  if (parts.length !== ranges.length) return null
  const fields = parts.flatMap((part, at) => {
    const [least = 0, most = 0] = ranges[at] ?? []
    const values = parseField(part, least, most)
    return values === null ? [] : [{ values, isAny: /^\*(?:\/1)?$/.test(part) }]
  })
  if (fields.length !== ranges.length) return null
  const schedule = { kind: 'cron', fields } as const
  return nextRun(schedule, Date.UTC(2024, 0, 1)) === null ? null : schedule
}

/** Epoch ms of the first moment after `after`; `null` when there is none within eight years. */
export function nextRun(schedule: Schedule, after: number): number | null {
  if (schedule.kind === 'every') return after + schedule.intervalMs
  const [minutes, hours] = schedule.fields
  const from = new Date(after)
  for (let days = 0; days < daysAhead; days += 1) {
    const day = new Date(from.getFullYear(), from.getMonth(), from.getDate() + days)
    if (!fitsDay(schedule.fields, day)) continue
    for (const hour of inOrder(hours)) {
      for (const minute of inOrder(minutes)) {
        const at = new Date(day.getFullYear(), day.getMonth(), day.getDate(), hour, minute)
        // An hour that the change to summer time leaves out is not made up for.
        if (at.getTime() > after && at.getHours() === hour) return at.getTime()
      }
    }
  }
  return null
}

/** As cron has it: where both the date and the weekday are given, one of them is enough. */
function fitsDay([, , dates, months, weekdays]: readonly CronField[], day: Date): boolean {
  if (dates === undefined || months === undefined || weekdays === undefined) return false
  if (!months.values.has(day.getMonth() + 1)) return false
  const byDate = dates.values.has(day.getDate())
  const byWeekday = weekdays.values.has(day.getDay()) || (day.getDay() === 0 && weekdays.values.has(7))
  return dates.isAny || weekdays.isAny ? byDate && byWeekday : byDate || byWeekday
}

function parseField(text: string, least: number, most: number): Set<number> | null {
  const values = new Set<number>()
  for (const part of text.split(',')) {
    const [, any, first, last, step] = /^(?:(\*)|(\d{1,2})(?:-(\d{1,2}))?)(?:\/(\d{1,2}))?$/.exec(part) ?? []
    if (any === undefined && first === undefined) return null
    const from = any === undefined ? Number(first) : least
    const to = any === undefined ? Number(last ?? (step === undefined ? first : most)) : most
    const by = Number(step ?? 1)
    if (from < least || to > most || from > to || by < 1) return null
    for (let value = from; value <= to; value += by) values.add(value)
  }
  return values
}

function inOrder(field: CronField | undefined): number[] {
  return [...(field?.values ?? [])].sort((a, b) => a - b)
}
