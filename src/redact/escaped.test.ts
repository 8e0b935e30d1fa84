// A tool's result is often JSON, with the text that matters in one of its strings.
import { describe, expect, test } from 'vitest'
import { lookAlikes } from './look-alikes.testkit.ts'
import { createRedactor, redactKnown } from './redact.ts'
import { leak, secretShapes } from './shapes.testkit.ts'

const { redact } = createRedactor()
const numbered = (text: string): string =>
  text
    .split('\n')
    .map((line, at) => `${String(at + 1).padStart(6)}\t${line}`)
    .join('\n')

const wrappers: readonly (readonly [name: string, wrap: (text: string) => string, unwrap: (json: string) => unknown])[] = [
  [
    'one level',
    (text) => JSON.stringify({ output: text, metadata: { exit_code: 0, 'käse "x"\n': '\\d+\u2028' } }),
    (json) => {
      const { output, ...rest } = JSON.parse(json)
      expect(typeof output).toBe('string')
      return rest
    },
  ],
  [
    'two levels',
    (text) => JSON.stringify({ result: JSON.stringify({ content: [{ type: 'text', text }], more: 'a "b"\n' }), ok: true }),
    (json) => {
      const { result, ...rest } = JSON.parse(json)
      const { content, ...inner } = JSON.parse(result)
      expect(content).toEqual([{ type: 'text', text: expect.any(String) }])
      return { ...rest, inner }
    },
  ],
  [
    'three levels',
    (text) => JSON.stringify([JSON.stringify({ result: JSON.stringify({ text }), at: '\t1' }), 2]),
    (json) => {
      const [outer, ...rest] = JSON.parse(json)
      const { result, ...inner } = JSON.parse(outer)
      expect(JSON.parse(result)).toEqual({ text: expect.any(String) })
      return { rest, inner }
    },
  ],
]

describe.each(wrappers)('a secret in a string of JSON, %s', (_name, wrap, unwrap) => {
  test('every shape is redacted, and all other values stay', () => {
    const leaks: string[] = []
    for (const { name, text, secret } of [...secretShapes('json 1'), ...secretShapes('json 2')]) {
      // A text may be the whole string, so that its line has no beginning and no end but the quotes.
      for (const shown of [text, `${text}\n`, numbered(text)]) {
        // `cat -n` hides a few shapes that need the beginning of a line.
        if (shown === numbered(text) && leak(redactKnown(shown), secret) !== null) continue
        const json = wrap(shown)
        const clean = redactKnown(json)
        if (leak(clean, secret) !== null) leaks.push(`${name}: ${clean}`)
        expect(unwrap(clean), name).toEqual(unwrap(json))
        expect(redactKnown(clean), name).toBe(clean)
      }
    }
    expect(leaks).toEqual([])
  })

  test('harmless text stays byte for byte', async () => {
    for (const { text } of lookAlikes) {
      const json = wrap(text)
      expect(await redact(json)).toBe(json)
    }
  })
})

describe('texts an agent prints', () => {
  const body = [
    'MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7',
    'q1w2e3r4t5y6u7i8o9p0a1s2d3f4g5h6j7k8l9z0x1c2v3b4n5m6',
    'Zm9vYmFyYmF6',
  ]
  const begin = ['-----BEGIN PRIV', 'ATE KEY-----'].join('')
  const end = ['-----END PRIV', 'ATE KEY-----'].join('')
  const pem = [begin, ...body, end].join('\n')
  const account = JSON.stringify({ type: 'service_account', private_key: `${pem}\n`, client_email: 'a@example.test' }, null, 2)
  const secret = JSON.stringify({ apiVersion: 'v1', data: { pin: 'cTF3MmUzcjQ=' }, kind: 'Secret' }, null, 2)
  const texts: readonly (readonly [name: string, text: string, secret: string])[] = [
    ['private key', pem, body[1] as string],
    ['service account', account, body[1] as string],
    ['key in a variable', `KEY="${[begin, ...body, end].join('\\n')}"`, body[1] as string],
    ['key joined in code', [begin, ...body, end].map((line) => `  '${line}\\n'`).join(' +\n'), body[1] as string],
    ['tail of a key', [...body, end].join('\n'), body[1] as string],
    ['Kubernetes Secret', secret, 'cTF3MmUzcjQ='],
    ['netrc', 'machine api.example.test\n  login me\n  password hedgehogs\n', 'hedgehogs'],
    ['YAML block', 'api_token: |\n  q1W2e3R4t5Y6u7\nother: 1', 'q1W2e3R4t5Y6u7'],
    ['command as a list', '["curl","-u","bob:hedgehogs"]', 'hedgehogs'],
    ['input of a form', '<input name="api_token" value="q1W2e3R4t5Y6u7">', 'q1W2e3R4t5Y6u7'],
    ['kubeconfig', `users:\n- user:\n    client-key-data: ${body.join('')}\n`, body[1] as string],
    ['recovery codes', 'Recovery codes:\n9dcfe-40178\n1abcd-22334\n', '9dcfe-40178'],
  ]
  test.each(
    texts.flatMap(([name, text, hidden]) => [
      [name, text, hidden] as const,
      [`${name}, numbered`, numbered(text), hidden] as const,
    ]),
  )('%s', (_name, text, hidden) => {
    for (const [, wrap, unwrap] of [['', (plain: string) => plain, () => null] as const, ...wrappers]) {
      const clean = redactKnown(wrap(text))
      expect(leak(clean, hidden)).toBeNull()
      expect(unwrap(clean)).toEqual(unwrap(wrap(text)))
    }
  })

  test('what surrounds a secret stays byte for byte, unusual escapes too', () => {
    const json = String.raw`{"a":"\u0041\/\d+\x1b password: \"q1W2e3R4\" \u00e9","b":"\\d"}`
    expect(redactKnown(json)).toBe(json.replace('q1W2e3R4', '[redacted:secret]'))
  })

  test('a text that was cut off inside a string is redacted', () => {
    const json = JSON.stringify({ result: JSON.stringify({ text: numbered(`${pem}\n`) }) })
    for (const cut of [json.slice(4), json.slice(14), json.slice(0, -3), json.slice(30, -20)]) {
      expect(leak(redactKnown(cut), body[1] as string)).toBeNull()
    }
  })
})

// A search that went over the rest at each escape, or once for each way to nest, would need minutes for these.
test.each([
  ['backslashes', '\\'],
  ['escaped quotes', '\\"'],
  ['quotes and escapes', '"\\n'],
  ['nested quotes', '"\\"\\\\\\"'],
  ['secrets', '\\npassword=q1W2e3R4t5\\n'],
  ['literals with secrets', '"\\"password\\": \\"q1W2e3R4t5\\" ",'],
  ['open private keys', '\\n-----BEGIN PRIVATE KEY-----\\nq1w2e3r4t5y6u7i8o9'],
])('no text of %s stalls the search', (_name, unit) => {
  expect(redactKnown(unit.repeat(500_000 / unit.length)).length).toBeGreaterThan(0)
})
