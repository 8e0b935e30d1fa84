import { expect, test } from 'vitest'
import { redactDocument } from './document.ts'
import { createRedactor } from './redact.ts'

const key = `ghp_${'a1B2'.repeat(9)}`
const redactor = createRedactor()

test('a document without secrets is the same object', async () => {
  const document = { sessions: [{ title: 'Due dates', turns: 3, parent: null }] }
  expect(await redactDocument(redactor, document)).toBe(document)
})

test('secrets go wherever they stand, and everything else stays', async () => {
  const document = {
    list: [{ text: `use ${key}` }, { text: 'fine', count: 2, nothing: null, yes: true }],
    nested: { deep: [[`a ${key}`]], password: 'hunter2!hunter2!' },
    [key]: 1,
    at: 3,
  }
  expect(await redactDocument(redactor, document)).toEqual({
    list: [{ text: 'use [redacted:github-token]' }, { text: 'fine', count: 2, nothing: null, yes: true }],
    nested: { deep: [['a [redacted:github-token]']], password: '[redacted:secret]' },
    '[redacted:github-token]': 1,
    at: 3,
  })
})

test('it takes out what the redactor would take out of the whole', async () => {
  const document = {
    arguments: { env: { API_TOKEN: 'abcdefgh12345678' }, command: `curl -u me:${'s3cret9'} https://x` },
    text: `Bearer ${'a1'.repeat(12)}`,
  }
  expect(await redactDocument(redactor, document)).toEqual(await redactor.redactValue(document))
})
