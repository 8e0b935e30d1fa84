import { expect, test } from 'vitest'
import { createLimit } from './limits.ts'

test('a burst, then a steady rate, never more than a burst again', () => {
  let elapsed = 0
  const limit = createLimit({ perSecond: 10, burst: 3, elapsed: () => elapsed })
  const taken = () => {
    for (let count = 0; ; count += 1) {
      try {
        limit.take()
      } catch (error) {
        expect(error).toMatchObject({ code: 'too_many', httpStatus: 429 })
        return count
      }
    }
  }
  expect(taken()).toBe(3)
  elapsed += 100
  expect(taken()).toBe(1)
  elapsed += 3_600_000
  expect(taken()).toBe(3)
})

test('it says how long to wait', () => {
  const limit = createLimit({ perSecond: 0.1, burst: 1, elapsed: () => 0 })
  limit.take()
  expect(() => limit.take()).toThrow(expect.objectContaining({ details: { retry_after: 10 } }))
})
