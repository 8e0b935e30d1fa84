import { describe, expect, test } from 'vitest'
import { lookAlikes } from './look-alikes.testkit.ts'
import { placeRules } from './place-rules.ts'
import { createRedactor, redactKnown } from './redact.ts'
import { createScan } from './scan.ts'
import { secretShapes } from './shapes.testkit.ts'
import { tokenRules } from './token-rules.ts'

const shapes = [...secretShapes('first'), ...secretShapes('second'), ...secretShapes('third')]

describe('every shape of secret is redacted', () => {
  test.each(shapes.map((shape) => [shape.name, shape] as const))('%s', (_name, { text, secret }) => {
    const clean = redactKnown(text)
    expect(leak(clean, secret)).toBeNull()
  })
})

/** What is left of a secret, if it is long enough to matter. */
function leak(clean: string, secret: string): string | null {
  const rest = clean.replaceAll(/\[redacted:[\w-]+\]/g, '')
  for (let from = 0; from + 5 <= secret.length; from += 1) {
    if (rest.includes(secret.slice(from, from + 5))) return rest
  }
  return null
}

describe('what looks like a secret and is none stays byte for byte', () => {
  const { redact } = createRedactor()
  test.each(lookAlikes.map(({ name, text }) => [name, text] as const))('%s', async (_name, text) => {
    expect(await redact(text)).toBe(text)
  })
})

test('the corpus is large, and no shape is in it twice', () => {
  const names = [...secretShapes(), ...lookAlikes].map(({ name }) => name)
  expect(secretShapes().length).toBeGreaterThanOrEqual(150)
  expect(lookAlikes.length).toBeGreaterThanOrEqual(150)
  expect(new Set(names).size).toBe(names.length)
})

describe('no text stalls a rule', () => {
  const length = 100_000
  const rules = [...tokenRules, ...placeRules].flatMap((rule) => rule.signs.slice(0, 2).map((sign) => ({ sign, rule })))
  // A rule that went over the rest of the text at each of its signs would need minutes for one of these.
  test.each([
    ['its sign', (sign: string) => sign],
    ['its sign after an edge', (sign: string) => `_${sign}`],
    ['its sign and a value', (sign: string) => `${sign}=a`],
    ['its sign and an open quote', (sign: string) => `${sign}: "`],
    ['its sign as a field of a form', (sign: string) => `&${sign}=a`],
    ['its sign as an option', (sign: string) => ` ${sign} -p `],
  ])('%s, again and again', (_name, unit) => {
    for (const { sign, rule } of rules) {
      const text = unit(sign).repeat(length / unit(sign).length)
      expect(createScan([rule])(text).length).toBeGreaterThan(0)
    }
  })

  test('one long run after every sign', () => {
    for (const { sign, rule } of rules) expect(createScan([rule])(sign + 'a1'.repeat(length / 2)).length).toBeGreaterThan(0)
  })
})
