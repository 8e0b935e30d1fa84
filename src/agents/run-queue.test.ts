import { describe, expect, it } from 'vitest'
import type { RunEvent } from '../model/run.ts'
import { RunQueue } from './run-queue.ts'

const text = (delta: string): RunEvent => ({ kind: 'text', delta })
const end: RunEvent = { kind: 'end', outcome: 'complete', error: null }

describe('RunQueue', () => {
  it('gives what was told before and after reading began, in order, and nothing behind the end', async () => {
    const queue = new RunQueue(() => undefined)
    queue.push(text('a'))
    const read: RunEvent[] = []
    const reading = (async () => {
      for await (const event of queue) read.push(event)
    })()
    await Promise.resolve()
    for (const event of [text('b'), end, text('late')]) queue.push(event)
    await reading
    expect(read).toEqual([text('a'), text('b'), end])
  })

  it('says when its reader leaves before the end, and not when after it', async () => {
    let left = 0
    const leave = () => {
      left += 1
    }
    const early = new RunQueue(leave)
    early.push(text('a'))
    for await (const _ of early) break
    expect(left).toBe(1)
    const whole = new RunQueue(leave)
    whole.push(end)
    for await (const _ of whole);
    expect(left).toBe(1)
  })
})
