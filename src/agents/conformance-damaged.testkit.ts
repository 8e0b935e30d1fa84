// What must hold of a session file that is cut off, emptied, or filled with anything.
import { truncateSync, writeFileSync } from 'node:fs'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Message } from '../model/session.ts'
import { type ConformanceSample, type ConformanceSessions, junkLines, linesOf } from './conformance-fixture.testkit.ts'
import { messagesOf, turnsOf } from './reading.testkit.ts'

export function checkDamaged({ place, summarise, read }: ConformanceSessions, small: ConformanceSample): void {
  let path: string
  beforeAll(() => {
    path = place(small)
  })
  afterAll(() => writeFileSync(path, small.content))

  it('cut at every byte, holds all complete lines and nothing else', async () => {
    const lines = linesOf(small.content)
    const expected: Message[][] = []
    for (let count = 0; count <= lines.length; count += 1) {
      writeFileSync(path, Buffer.concat(lines.slice(0, count)))
      expected.push(messagesOf(await read(path)))
    }
    const whole = new Map(expected.at(-1)?.map((message) => [message.id, message]))
    for (const message of expected.flat()) expect(withoutOutput(message)).toEqual(withoutOutput(whole.get(message.id)))

    writeFileSync(path, small.content)
    let start = small.content.length
    for (let count = lines.length - 1; count >= 0; count -= 1) {
      const end = start
      start -= lines[count]?.length ?? 0
      for (let size = end - 1; size >= start; size -= 1) {
        truncateSync(path, size)
        // A last line that only lacks its newline may be taken for whole.
        const allowed = size === end - 1 ? [expected[count], expected[count + 1]] : [expected[count]]
        expect(allowed, `cut at byte ${size}`).toContainEqual(messagesOf(await read(path)))
        if (size % 16 === 0 || size === end - 1)
          expect((await summarise(path)).messages).toBe(messagesOf(await read(path)).length)
      }
    }
  })

  it('empty, is a session without turns that says what is wrong', async () => {
    writeFileSync(path, '')
    expect(await summarise(path)).toMatchObject({ turns: [], messages: 0, deadTurns: [] })
    expect(await read(path)).toEqual([])
  })

  it('filled with anything, is read without a fault', async () => {
    const text = fc.array(fc.oneof(fc.string(), fc.json(), fc.constantFrom(...junkLines)), { maxLength: 30 })
    const property = fc.asyncProperty(text, fc.uint8Array({ maxLength: 200 }), async (rows, bytes) => {
      writeFileSync(path, Buffer.concat([Buffer.from(rows.join('\n')), bytes]))
      const seen = await read(path)
      expect(turnsOf(seen)).toEqual((await summarise(path)).turns)
      await read(path, { view: 'context' })
    })
    await fc.assert(property, { numRuns: 300 })
  })

  it('counts ten thousand lines of unknown types and says their number', async () => {
    const unknown = Array.from(
      { length: 10_000 },
      (_, index) => `{"type":"unknown_${index % 100}","n":${index},"payload":{"type":"x"}}\n`,
    )
    writeFileSync(path, Buffer.concat([small.content, Buffer.from(unknown.join(''))]))
    const { skipped } = await summarise(path)
    expect(Object.values(skipped).reduce((sum, count) => sum + count, 0)).toBeGreaterThanOrEqual(10_000)
    expect(skipped).toMatchObject({ 'unknown:unknown_7': 100 })
  })
}

function withoutOutput(message: Message | undefined) {
  if (message === undefined) return undefined
  const { tool, ...rest } = message
  return tool === undefined ? rest : { ...rest, tool: { ...tool, output: null, exitCode: null, failed: null } }
}
