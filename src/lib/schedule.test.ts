import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { nextRun, parseSchedule } from './schedule.ts'

const local = (year: number, month: number, day: number, hour = 0, minute = 0) =>
  new Date(year, month - 1, day, hour, minute).getTime()

function next(text: string, after: number): Date | null {
  const schedule = parseSchedule(text)
  if (schedule === null) throw new Error(`${text} is no schedule`)
  const at = nextRun(schedule, after)
  return at === null ? null : new Date(at)
}

describe('every so often', () => {
  it('counts from the last time', () => {
    const after = local(2026, 11, 15, 12, 7)
    expect(next('15m', after)).toEqual(new Date(after + 15 * 60_000))
    expect(next('1h', after)).toEqual(new Date(after + 3_600_000))
    expect(next('6h', after)).toEqual(new Date(after + 6 * 3_600_000))
    expect(next('2d', after)).toEqual(new Date(after + 2 * 86_400_000))
  })
})

describe('cron', () => {
  const sunday = local(2026, 11, 15, 12, 7)

  it('gives the next moment that fits', () => {
    expect(next('*/15 * * * *', sunday)).toEqual(new Date(local(2026, 11, 15, 12, 15)))
    expect(next('5 * * * *', sunday)).toEqual(new Date(local(2026, 11, 15, 13, 5)))
    expect(next('30 3 * * *', sunday)).toEqual(new Date(local(2026, 11, 16, 3, 30)))
    expect(next('0 9-17/4 * * 1-5', sunday)).toEqual(new Date(local(2026, 11, 16, 9)))
    expect(next('0 0 1 1 *', sunday)).toEqual(new Date(local(2027, 1, 1)))
    expect(next('0 0 29 2 *', sunday)).toEqual(new Date(local(2028, 2, 29)))
    expect(next('59 23 31 12 *', local(2026, 12, 31, 23, 59))).toEqual(new Date(local(2027, 12, 31, 23, 59)))
  })

  it('takes Sunday as 0 and as 7, and a date or a weekday where both are given', () => {
    expect(next('0 20 * * 0', sunday)).toEqual(new Date(local(2026, 11, 15, 20)))
    expect(next('0 20 * * 7', sunday)).toEqual(new Date(local(2026, 11, 15, 20)))
    expect(next('0 0 20 * 1', sunday)).toEqual(new Date(local(2026, 11, 16)))
    expect(next('0 0 16 * 5', sunday)).toEqual(new Date(local(2026, 11, 16)))
  })

  it('never stands still and never goes back', () => {
    const field = (least: number, most: number) =>
      fc.oneof(
        fc.constant('*'),
        fc.integer({ min: least, max: most }).map(String),
        fc.integer({ min: 1, max: 9 }).map((by) => `*/${by}`),
      )
    const expression = fc
      .tuple(field(0, 59), field(0, 23), field(1, 28), field(1, 12), field(0, 7))
      .map((parts) => parts.join(' '))
    fc.assert(
      fc.property(expression, fc.integer({ min: 0, max: 4_000_000_000 }), (text, seconds) => {
        const at = next(text, seconds * 1000)?.getTime() ?? 0
        expect(at).toBeGreaterThan(seconds * 1000)
        expect(at % 60_000).toBe(0)
      }),
      { numRuns: 200 },
    )
  })
})

it('refuses what is neither', () => {
  const bad = [
    '',
    '0m',
    '15',
    '1w',
    'm',
    '-5m',
    '1.5h',
    '* * * *',
    '* * * * * *',
    '60 * * * *',
    '* 24 * * *',
    '* * 0 * *',
    '* * * 13 *',
  ]
  for (const text of [...bad, '* * * * 8', '5-1 * * * *', '*/0 * * * *', 'a * * * *', '1, * * * *', '0 0 31 2 *', '0 0 30 2 *'])
    expect([text, parseSchedule(text)]).toEqual([text, null])
})
