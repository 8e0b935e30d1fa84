import { describe, expect, test } from 'vitest'
import { lookAlikes } from './look-alikes.testkit.ts'
import { placeRules } from './place-rules.ts'
import { createRedactor, redactKnown } from './redact.ts'
import { createFind, replaceSecrets } from './scan.ts'
import { leak, secretShapes } from './shapes.testkit.ts'
import { tokenRules } from './token-rules.ts'

const shapes = [...secretShapes('first'), ...secretShapes('second'), ...secretShapes('third')]

describe('every shape of secret is redacted', () => {
  test.each(shapes.map((shape) => [shape.name, shape] as const))('%s', (_name, { text, secret }) => {
    const clean = redactKnown(text)
    expect(leak(clean, secret)).toBeNull()
  })
})

describe('tokens in titles, branches and names of files are redacted', () => {
  // A slash that belongs to the format cannot be in a name.
  const withSlash = ['Google refresh token', 'Asana token']
  const tokens = secretShapes('names').filter(
    ({ name, text, secret }) => text === `use ${secret} now` && !withSlash.includes(name),
  )
  test.each([
    ['title', (token: string) => token],
    ['branch', (token: string) => `feature/${token}`],
    ['branch after a word', (token: string) => `fix_${token}`],
    ['file', (token: string) => `/home/me/${token.replaceAll('/', '_')}`],
    ['file with an ending', (token: string) => `keys/${token.replaceAll('/', '_')}.txt`],
    ['folder', (token: string) => `/srv/${token.replaceAll('/', '_')}/notes.md`],
  ])('%s', (_name, place) => {
    const left = tokens.filter(({ secret }) => leak(redactKnown(place(secret)), secret.replaceAll('/', '_')) !== null)
    expect(left.map(({ name }) => name)).toEqual([])
  })
})

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
    ['its sign in the plural', (sign: string) => `${sign}s=a,`],
    ['its sign as an item of a list', (sign: string) => `"${sign}s": ["${sign}", `],
    ['its sign as an option', (sign: string) => ` ${sign} -p `],
  ])('%s, again and again', (_name, unit) => {
    for (const { sign, rule } of rules) {
      const text = unit(sign).repeat(length / unit(sign).length)
      expect(replaceSecrets(text, createFind([rule])(text)).length).toBeGreaterThan(0)
    }
  })

  test('a long map that is no Secret', () => {
    const lines = Array.from({ length: 60 }, (_, at) => `  key${at}: value`).join('\n')
    for (const text of [`data:\n${lines}\nkind: ConfigMap`, `kind: ConfigMap\ndata:\n${lines}`.repeat(20)]) {
      expect(redactKnown(text)).toBe(text)
    }
  })

  test('one long run after every sign', () => {
    for (const { sign, rule } of rules) {
      const text = sign + 'a1'.repeat(length / 2)
      expect(replaceSecrets(text, createFind([rule])(text)).length).toBeGreaterThan(0)
    }
  })
})
