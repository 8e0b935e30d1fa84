import { describe, expect, test } from 'vitest'
import { lookAlikes } from './look-alikes.testkit.ts'
import { createRedactor, redactKnown } from './redact.ts'
import { secretShapes } from './shapes.testkit.ts'

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
