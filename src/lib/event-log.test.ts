import { expect, test } from 'vitest'
import { createEventLog } from './event-log.ts'

const body = (files: number) => ({ type: 'index.progress', data: { files, filesDone: 0, bytes: 0, bytesDone: 0 } }) as const

test('ids are contiguous, and what was missed is told', () => {
  const log = createEventLog({ now: () => 7, keep: 3 })
  expect(log.since(0)).toEqual([])
  for (let count = 1; count <= 5; count += 1) expect(log.emit(body(count))).toMatchObject({ id: count, at: 7 })
  expect(log.since(3)?.map(({ id }) => id)).toEqual([4, 5])
  expect(log.since(2)?.map(({ id }) => id)).toEqual([3, 4, 5])
  expect(log.since(5)).toEqual([])
  expect(log.lastId()).toBe(5)
})

test.each([[1], [6], [-1], [0.5], [Number.NaN]])('what is no longer kept, or never was (%d), is said to be lost', (id) => {
  const log = createEventLog({ now: () => 0, keep: 3 })
  for (let count = 1; count <= 5; count += 1) log.emit(body(count))
  expect(log.since(id)).toBeNull()
})

test('a listener that throws harms no other, and one that left hears nothing', () => {
  const problems: unknown[] = []
  const log = createEventLog({ now: () => 0, onProblem: (error) => problems.push(error) })
  const heard: number[] = []
  log.onEvent(() => {
    throw new Error('mine')
  })
  const stop = log.onEvent(({ id }) => heard.push(id))
  log.emit(body(1))
  stop()
  log.emit(body(2))
  expect(heard).toEqual([1])
  expect(problems).toHaveLength(2)
})
