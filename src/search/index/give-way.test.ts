import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createGiveWay } from './give-way.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => vi.useRealTimers())

test('rests when somebody searches, and works in between however often they do', () => {
  const giveWay = createGiveWay()
  const isResting = () => Atomics.load(giveWay.shared, 0) === 1
  expect(isResting()).toBe(false)
  let rested = 0
  for (let at = 0; at < 3000; at += 10) {
    giveWay.asked()
    if (isResting()) rested += 10
    vi.advanceTimersByTime(10)
  }
  expect(rested).toBe(2000)
  vi.advanceTimersByTime(2000)
  expect(isResting()).toBe(false)
})

test('who waits goes on when the rest is over', async () => {
  const giveWay = createGiveWay()
  giveWay.asked()
  let isOver = false
  const waiting = giveWay.rest().then(() => {
    isOver = true
  })
  await vi.advanceTimersByTimeAsync(900)
  expect(isOver).toBe(false)
  await vi.advanceTimersByTimeAsync(200)
  await waiting
})
