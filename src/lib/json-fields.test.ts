import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { JsonFields } from './json-fields.ts'
import { isObject } from './jsonl.ts'

const shape = {
  type: true,
  text: true,
  count: true,
  ключ: true,
  inner: { type: true, deep: { on: true } },
  list: [{ id: true, text: true }],
} as const

interface Taken {
  strings: (string | null)[]
  numbers: number[]
  truths: boolean[]
  texts: boolean[]
  elements: (string | null)[]
}

/** Reads with JsonFields what a caller would; `undefined` when it refuses the bytes. */
function take(bytes: Buffer): Taken | undefined {
  const elements: (string | null)[] = []
  const fields: JsonFields = new JsonFields(shape, () => elements.push(fields.string(fields.slot('list.id'))))
  if (!fields.read(bytes, 0, bytes.length)) return undefined
  const slots = paths.map((path) => fields.slot(path))
  return {
    strings: slots.map((slot) => fields.string(slot, 'expected')),
    numbers: slots.map((slot) => fields.number(slot)),
    truths: slots.map((slot) => fields.isTrue(slot)),
    texts: slots.map((slot) => fields.isText(slot)),
    elements,
  }
}

const paths = ['type', 'text', 'count', 'ключ', 'inner', 'inner.type', 'inner.deep', 'inner.deep.on', 'list']

/** The same from JSON.parse. */
function expected(value: unknown): Taken | undefined {
  if (!isObject(value)) return undefined
  const found = paths.map((path) =>
    path.split('.').reduce<unknown>((at, key) => (isObject(at) && Object.hasOwn(at, key) ? at[key] : undefined), value),
  )
  return {
    strings: found.map((field) => (typeof field === 'string' ? field : null)),
    numbers: found.map((field) => (typeof field === 'number' ? field : 0)),
    truths: found.map((field) => field === true),
    texts: found.map((field) => typeof field === 'string' && field !== ''),
    elements: (Array.isArray(value.list) ? value.list : [])
      .filter(isObject)
      .map(({ id }) => (typeof id === 'string' ? id : null)),
  }
}

const name = fc.oneof(
  fc.constantFrom('type', 'text', 'count', 'ключ', 'inner', 'deep', 'on', 'list', 'id'),
  fc.string({ unit: 'binary' }),
)
const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.string({ unit: 'binary', maxLength: 300 }),
    fc.constantFrom(
      '',
      'expected',
      '\\',
      '"',
      '\\"',
      '\\\\"\n',
      '\u2028',
      'x'.repeat(200),
      `${'y'.repeat(70)}"\\`,
      '{"type":"no"}',
    ),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.array(fc.tuple(name, tie('value')), { maxLength: 6 }).map((pairs) => Object.fromEntries(pairs)),
  ),
}))
const object = fc.array(fc.tuple(name, value), { maxLength: 6 }).map((pairs) => Object.fromEntries(pairs))

describe('JsonFields', () => {
  it('agrees with JSON.parse on valid JSON, however it is spaced', () => {
    fc.assert(
      fc.property(fc.oneof(object, value), fc.constantFrom(undefined, 1, '\t'), (json, indent) => {
        const text = JSON.stringify(json, null, indent)
        expect(take(Buffer.from(text))).toEqual(expected(JSON.parse(text)))
      }),
      { numRuns: 3000 },
    )
  })

  it('reads escaped keys and lets the last of two equal keys win, as JSON.parse does', () => {
    for (const text of [
      '{"\\u0074ype":"a","type":"b","te\\u0078t":"c"}',
      '{"inner":{"type":"a","deep":{"on":true}},"inner":{"deep":{}}}',
      '{"inner":{"type":"a"},"inner":7}',
      '{"list":[{"id":"a"}],"count":-0.5e3}',
    ]) {
      expect(take(Buffer.from(text))).toEqual(expected(JSON.parse(text)))
    }
  })

  it('refuses every proper beginning of an object', () => {
    fc.assert(
      fc.property(object, (json) => {
        const bytes = Buffer.from(JSON.stringify(json))
        for (let cut = 0; cut < bytes.length; cut += 1) expect(take(bytes.subarray(0, cut))).toBeUndefined()
      }),
      { numRuns: 200 },
    )
  })

  it('never throws on any bytes, and takes from valid ones what JSON.parse reads', () => {
    const chars = fc.array(fc.constantFrom(...'{{}}[]"",,::\\tn1-0 eu"ype'), { maxLength: 40 })
    const noise = fc.oneof(
      fc.uint8Array({ maxLength: 60 }),
      chars.map((all) => Buffer.from(all.join(''))),
      fc.tuple(object, fc.nat(), fc.nat(255)).map(([json, place, byte]) => {
        const bytes = Buffer.from(JSON.stringify(json))
        bytes[place % bytes.length] = byte
        return bytes
      }),
    )
    fc.assert(
      fc.property(noise, (bytes) => {
        const got = take(Buffer.from(bytes))
        const parsed = parse(Buffer.from(bytes))
        if (parsed !== undefined) expect(got).toEqual(expected(parsed))
      }),
      { numRuns: 5000 },
    )
  })

  it.each([
    '{"type":"a"',
    '{"type":tru}',
    '{"type":"a",}',
    '{"type" "a"}',
    '{"count":01}',
    '{"count":1.}',
    '{"count":-}',
    '{"a":"b"{"type":"c"}',
    '{"a":[1,2}',
    '{"x":nul}',
    '{"x":[}]',
    '{} {}',
  ])('refuses %s', (text) => expect(take(Buffer.from(text))).toBeUndefined())

  it('reads a range in the middle of a buffer and says where a value stands', () => {
    const bytes = Buffer.from('xx{"text":"é","inner":{"a":1}}"yy')
    const fields = new JsonFields(shape)
    expect(fields.read(bytes, 2, bytes.length - 3)).toBe(true)
    const { start, end } = fields.range(fields.slot('inner'))
    expect(bytes.toString('utf8', start, end)).toBe('{"a":1}')
    expect(fields.range(fields.slot('list'))).toEqual({ start: 0, end: 0 })
  })
})

function parse(buffer: Buffer): unknown {
  try {
    return JSON.parse(buffer.toString())
  } catch {
    return undefined
  }
}
