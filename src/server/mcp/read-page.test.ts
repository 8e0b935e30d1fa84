import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Entry } from '../../agents/reading.ts'
import type { Message } from '../../model/session.ts'
import { createRedactor } from '../../redact/redact.ts'
import { readPage } from './read-page.ts'
import { bytesOf, estimateTokens, maxResultBytes } from './size.ts'

const redactor = createRedactor()
const { signal } = new AbortController()

async function* entriesOf(messages: readonly Message[]): AsyncGenerator<Entry> {
  for (const message of messages) yield { kind: 'message', message }
}

const said = (text: string, at: number): Message => ({ id: `m${at}`, turnId: 't', role: 'user', text, at: null })

it('pages put together are the whole, each within its limits', async () => {
  const texts = fc.array(fc.string({ unit: 'grapheme', maxLength: 3000, size: 'max' }), { maxLength: 6 })
  await fc.assert(
    fc.asyncProperty(texts, fc.integer({ min: 100, max: 5000 }), async (given, maxTokens) => {
      // Control characters become others on the way: here only how the text is cut is looked at.
      const plain = given.map((text) => text.replace(/[^\P{C}\n]/gu, '').replace(/\r\n?|[\u2028\u2029]/g, '\n'))
      const messages = plain.map(said)
      const read: string[] = plain.map(() => '')
      let from: { message: number; character: number } | null = { message: 0, character: 0 }
      for (let pages = 0; from !== null; pages += 1) {
        expect(pages).toBeLessThan(1000)
        const page: Awaited<ReturnType<typeof readPage>> = await readPage(entriesOf(messages), redactor, {
          from,
          maxTokens,
          tools: 'full',
          signal,
        })
        expect(bytesOf(page.messages)).toBeLessThan(maxResultBytes)
        for (const row of page.messages) {
          const { index, text } = row as { index: number; text: string }
          expect(estimateTokens(text)).toBeLessThanOrEqual(Math.max(maxTokens, 1))
          read[index] += text
        }
        from = page.next
      }
      expect(read).toEqual(plain)
    }),
    { numRuns: 40 },
  )
})

it('tool calls brief, in full or not at all', async () => {
  const tool = { name: 'Bash', arguments: { command: 'ls' }, output: 'o'.repeat(2000), exitCode: 0, failed: false, callId: 'c' }
  const messages: Message[] = [{ id: 'm', turnId: 't', role: 'tool', text: '', tool, at: 0 }, said('after', 1)]
  const read = async (tools: 'brief' | 'full' | 'none') =>
    (await readPage(entriesOf(messages), redactor, { from: { message: 0, character: 0 }, maxTokens: 5000, tools, signal }))
      .messages
  const [brief] = await read('brief')
  expect(brief).toMatchObject({ role: 'tool', tool: 'Bash', exit_code: 0, failed: false, cut_from_characters: 2017 })
  expect(String(brief?.text)).toHaveLength(600)
  const [full] = await read('full')
  expect(full?.text).toBe(`{"command":"ls"}\n${'o'.repeat(2000)}`)
  expect((await read('none')).map(({ id }) => id)).toEqual(['m1'])
})
