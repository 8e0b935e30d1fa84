import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { JsonCursor, JsonKeys, noMoreKeys } from './json-fields.ts'

const keys = new JsonKeys(['type', 'uuid', 'text', 'count', 'on', 'inner', 'list', 'ключ'])

/** Reads with the cursor what a caller would; `undefined` when the cursor refuses the line. */
function take(bytes: Buffer): Record<string, unknown> | undefined {
  const cursor = new JsonCursor()
  cursor.reset(bytes, 0, bytes.length)
  const got = takeObject(cursor)
  return cursor.atEnd() ? got : undefined
}

function takeObject(cursor: JsonCursor): Record<string, unknown> | undefined {
  if (!cursor.enterObject()) {
    cursor.skip()
    return undefined
  }
  const got: Record<string, unknown> = {}
  for (let key = cursor.nextKey(keys); key !== noMoreKeys; key = cursor.nextKey(keys)) {
    const name = keys.names[key]
    if (name === 'count') got.count = cursor.number()
    else if (name === 'on') got.on = cursor.isTrue()
    else if (name === 'text') got.text = cursor.skipText()
    else if (name === 'inner') got.inner = takeObject(cursor)
    else if (name === 'list') got.list = takeList(cursor)
    else if (name !== undefined) got[name] = cursor.string()
    else cursor.skip()
  }
  return got
}

function takeList(cursor: JsonCursor): unknown {
  if (!cursor.enterArray()) return cursor.string()
  const got: unknown[] = []
  while (cursor.nextElement()) got.push(cursor.isString() ? cursor.string() : takeObject(cursor))
  return got
}

/** The same fields from JSON.parse. */
function expected(value: unknown): Record<string, unknown> | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  const got: Record<string, unknown> = {}
  for (const [name, field] of Object.entries(value)) {
    if (!keys.names.includes(name)) continue
    if (name === 'count') got.count = typeof field === 'number' ? field : null
    else if (name === 'on') got.on = field === true
    else if (name === 'text') got.text = typeof field === 'string' && field !== ''
    else if (name === 'inner') got.inner = expected(field)
    else if (name === 'list') {
      if (Array.isArray(field)) got.list = field.map((item) => (typeof item === 'string' ? item : expected(item)))
      else got.list = typeof field === 'string' ? field : null
    } else got[name] = typeof field === 'string' ? field : null
  }
  return got
}

const name = fc.oneof(fc.constantFrom(...keys.names), fc.string({ unit: 'binary' }))
const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.string({ unit: 'binary', maxLength: 300 }),
    fc.constantFrom('', '\\', '"', '\\"', '\\\\"\n', '\u2028', 'x'.repeat(200), `${'y'.repeat(70)}"\\`, '{"type":"no"}'),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.array(fc.tuple(name, tie('value')), { maxLength: 6 }).map((pairs) => Object.fromEntries(pairs)),
  ),
}))

describe('JsonCursor', () => {
  it('agrees with JSON.parse on valid JSON, however it is spaced', () => {
    fc.assert(
      fc.property(value, fc.constantFrom(undefined, 1, '\t'), (json, indent) => {
        const text = JSON.stringify(json, null, indent)
        expect(take(Buffer.from(text))).toEqual(expected(JSON.parse(text)))
      }),
      { numRuns: 2000 },
    )
  })

  it('reads escaped keys and lets the last of two equal keys win, as JSON.parse does', () => {
    expect(take(Buffer.from('{"\\u0074ype":"a","type":"b","uu\\u0069d":"c"}'))).toEqual({ type: 'b', uuid: 'c' })
  })

  it('never throws, and refuses every proper beginning of a value', () => {
    fc.assert(
      fc.property(fc.dictionary(name, value, { maxKeys: 4 }), (json) => {
        const bytes = Buffer.from(JSON.stringify(json))
        for (let cut = 0; cut < bytes.length; cut += 1) expect(take(bytes.subarray(0, cut))).toBeUndefined()
      }),
      { numRuns: 200 },
    )
  })

  it('never throws on any bytes, and never takes what JSON.parse would read differently', () => {
    const noise = fc.oneof(
      fc.uint8Array({ maxLength: 60 }),
      fc.array(fc.constantFrom(...'{}[]",:\\tn1- eu"ype'), { maxLength: 40 }).map((chars) => Buffer.from(chars.join(''))),
    )
    fc.assert(
      fc.property(noise, (bytes) => {
        const buffer = Buffer.from(bytes)
        const got = take(buffer)
        const parsed = parse(buffer)
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
  ])('refuses %s', (text) => expect(take(Buffer.from(text))).toBeUndefined())
})

function parse(buffer: Buffer): unknown {
  try {
    return JSON.parse(buffer.toString())
  } catch {
    return undefined
  }
}
