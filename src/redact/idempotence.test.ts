// Copies are made of copies: what the database holds is redacted again on its way to HTTP and to exports. They must agree.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { redactDocument } from './document.ts'
import { lookAlikes } from './look-alikes.testkit.ts'
import { createRedactor, redactKnown } from './redact.ts'
import { secretShapes } from './shapes.testkit.ts'

const { redact, redactValue } = createRedactor()
const joints = [
  '\n',
  ' ',
  ' and ',
  ': ',
  '=',
  '\n\n',
  '", "',
  '/',
  '\\n',
  ' is ',
  '@',
  '',
  '&',
  '\n+',
  '\n     2→',
  '["',
  '--token ',
  'aws ',
  'Bearer ',
]

/** Secrets and harmless text one after another, and cut anywhere, as previews are. */
const mixes = fc
  .tuple(
    fc.integer({ min: 0, max: 1e6 }),
    fc.array(fc.tuple(fc.nat(), fc.constantFrom(...joints)), { minLength: 1, maxLength: 6 }),
    fc.nat({ max: 40 }),
    fc.nat({ max: 40 }),
  )
  .map(([seed, picks, from, to]) => {
    const texts = [...shapesOf(seed % 20), ...lookAlikes].map(({ text }) => text)
    const whole = picks.map(([pick, joint]) => (texts[pick % texts.length] ?? '') + joint).join('')
    return whole.slice(from, whole.length - to)
  })

const known = new Map<number, ReturnType<typeof secretShapes>>()
function shapesOf(seed: number): ReturnType<typeof secretShapes> {
  const shapes = known.get(seed) ?? secretShapes(`mix ${seed}`)
  known.set(seed, shapes)
  return shapes
}

describe('a copy of a copy is the same', () => {
  test('for each shape', async () => {
    for (const { text } of [...secretShapes('twice'), ...lookAlikes]) {
      const once = await redact(text)
      expect(await redact(once)).toBe(once)
    }
  })

  test('for any mix of secrets and harmless text', async () => {
    await fc.assert(
      fc.asyncProperty(mixes, async (text) => {
        const once = await redact(text)
        expect(await redact(once)).toBe(once)
        expect(redactKnown(once)).toBe(once)
        expect(once).not.toMatch(/\[redacted:[\w-]*\[/)
      }),
      { numRuns: 2000 },
    )
  })

  test('for any mix in a string of JSON, and JSON stays JSON', () => {
    fc.assert(
      fc.property(mixes, fc.integer({ min: 1, max: 3 }), (text, levels) => {
        let json = text
        for (let level = 0; level < levels; level += 1) json = JSON.stringify({ output: json, code: level })
        let once = redactKnown(json)
        expect(redactKnown(once)).toBe(once)
        for (let level = levels - 1; level >= 0; level -= 1) {
          const { output, ...rest } = JSON.parse(once)
          expect(rest).toEqual({ code: level })
          once = output
        }
      }),
      { numRuns: 2000 },
    )
  })

  test('as a field of a document, once and twice', async () => {
    await fc.assert(
      fc.asyncProperty(mixes, async (text) => {
        const once = await redact(text)
        for (const name of ['text', 'title', 'prompt', 'branch', 'name', 'path']) {
          expect(await redactDocument({ redact, redactValue }, { [name]: text })).toEqual({ [name]: once })
          expect(await redactDocument({ redact, redactValue }, { [name]: once })).toEqual({ [name]: once })
        }
      }),
      { numRuns: 500 },
    )
  })
})
