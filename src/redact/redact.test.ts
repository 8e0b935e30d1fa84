import { describe, expect, test } from 'vitest'
import { redactDocument } from './document.ts'
import { lintOut } from './lint.ts'
import { createRedactor, redactKnown } from './redact.ts'

// Fake keys, put together from parts so that no scanner mistakes this file for a leak.
const letters = 'aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zC'
const random = (length: number) => letters.repeat(Math.ceil(length / letters.length)).slice(0, length)
const hex = (length: number) => '0a1b2c3d4e5f6789'.repeat(Math.ceil(length / 16)).slice(0, length)
const upper = (length: number) => 'A1B2C3D4E5F6G7H8'.repeat(Math.ceil(length / 16)).slice(0, length)
const join = (...parts: string[]) => parts.join('')

const secrets: Record<string, string> = {
  'github classic': join('gh', 'p_', random(36)),
  'github app': join('gh', 's_', random(36)),
  'github fine-grained': join('github', '_pat_', random(22), '_', random(59)),
  gitlab: join('gl', 'pat-', random(20)),
  'gitlab runner': join('gl', 'rt-', random(20)),
  'slack bot': join('xo', 'xb-', '123456789012-', random(24)),
  'slack app': join('xa', 'pp-1-', 'A012345-', random(40)),
  'openai project': join('sk', '-proj-', random(48)),
  'openai classic': join('sk', '-', random(20), 'T3Blbk', 'FJ', random(20)),
  anthropic: join('sk', '-ant-', 'api03-', random(93), 'AA'),
  openrouter: join('sk', '-or-v1-', hex(64)),
  'aws access key': join('AK', 'IA', upper(16)),
  'google api': join('AI', 'za', random(35)),
  'google oauth': join('GOC', 'SPX-', random(28)),
  'google access': join('ya', '29.', random(60)),
  'stripe live': join('sk', '_live_', random(24)),
  'stripe restricted': join('rk', '_test_', random(24)),
  'stripe webhook': join('wh', 'sec_', random(32)),
  npm: join('np', 'm_', random(36)),
  pypi: join('py', 'pi-AgE', random(60)),
  rubygems: join('ruby', 'gems_', hex(48)),
  docker: join('dckr', '_pat_', random(27)),
  huggingface: join('h', 'f_', random(34)),
  groq: join('gs', 'k_', random(52)),
  sendgrid: join('S', 'G.', random(22), '.', random(43)),
  twilio: join('S', 'K', hex(32)),
  mailchimp: join(hex(32), '-us', '12'),
  vault: join('hv', 's.', random(95)),
  databricks: join('da', 'pi', hex(32)),
  digitalocean: join('do', 'p_v1_', hex(64)),
  linear: join('lin', '_api_', random(40)),
  notion: join('nt', 'n_', '12345678901', random(35)),
  figma: join('fi', 'gd_', random(43)),
  'grafana service account': join('gl', 'sa_', random(32), '_', hex(8)),
  shopify: join('shp', 'at_', hex(32)),
  telegram: join('1234567890', ':AA', random(33)),
  'new relic': join('NR', 'AK-', upper(27)),
  age: join('AGE-SECRET', '-KEY-1', upper(58)),
  'our own token': join('off', 'shoot_', random(43)),
  jwt: join('ey', 'J', random(20), '.', 'ey', 'J', random(40), '.', random(43)),
}

describe('tokens that name themselves', () => {
  const redactor = createRedactor()
  test.each(Object.entries(secrets))('%s goes, what surrounds it stays', async (_name, secret) => {
    for (const [before, after] of [
      ['use ', ' now'],
      ['"', '",\n'],
      ['export X=', '\n'],
      ['(', ')'],
    ] as const) {
      const clean = await redactor.redact(before + secret + after)
      expect(clean).not.toContain(secret)
      expect(clean).not.toContain(secret.slice(8, 28))
      expect(clean).toMatch(/\[redacted:[\w-]+\]/)
      expect(clean.endsWith(after)).toBe(true)
    }
  })
})

describe('secrets known by their place', () => {
  const value = random(24)
  test.each([
    ['bearer header', `Authorization: Bearer ${value}`],
    ['basic header', `authorization: basic ${value}`],
    ['env line', `DATABASE_PASSWORD=${value}`],
    ['exported env line', `export STRIPE_API_KEY='${value}'`],
    ['env in a command', `API_TOKEN=${value} npm run deploy`],
    ['json field', `{"client_secret": "${value}"}`],
    ['escaped json field', `{\\"password\\": \\"${value}\\"}`],
    ['yaml field', `apiKey: "${value}"`],
    ['url password', `postgres://admin:${value}@db.internal:5432/app`],
    ['https password', `https://user:${value}@example.test/repo.git`],
    ['flag', `deploy --token ${value}`],
    ['flag with equals sign', `deploy --api-key=${value}`],
    ['curl user', `curl -s -u admin:${value} https://example.test`],
    ['aws secret', `aws_secret_access_key = ${random(40)}`],
    ['azure storage', `AccountName=x;AccountKey=${random(86)}==;EndpointSuffix=y`],
    ['slack webhook', join('https://hooks.slack', '.com/services/', 'T01234567/B01234567/', value)],
    ['npmrc', `//registry.example.test/:_authToken=${value}`],
  ])('%s', (_name, text) => {
    expect(redactKnown(text)).not.toContain(value)
    expect(redactKnown(text)).toContain('[redacted:')
  })

  test('a whole private key block goes, also when it was cut off or escaped', () => {
    const body = `${random(64)}\n${random(64)}`
    const begin = join('-----BEGIN RSA PRIV', 'ATE KEY-----')
    const end = join('-----END RSA PRIV', 'ATE KEY-----')
    expect(redactKnown(`a\n${begin}\n${body}\n${end}\nb`)).toBe('a\n[redacted:private-key]\nb')
    expect(redactKnown(`${begin}\n${body}`)).toBe('[redacted:private-key]')
    expect(redactKnown(`"${begin}\\n${body.replace('\n', '\\n')}\\n${end}\\n"`)).toBe('"[redacted:private-key]\\n"')
  })

  test('only the password of a URL goes', () => {
    expect(redactKnown(`postgres://admin:${random(12)}@db:5432/app`)).toBe('postgres://admin:[redacted:password]@db:5432/app')
  })
})

describe('what is no secret stays byte for byte', () => {
  test.each([
    ['uuid', '60309e1e-84b8-4be1-9d3f-0d43f7b4e6a7'],
    ['sha1', 'da39a3ee5e6b4b0d3255bfef95601890afd80709'],
    ['sha256', `sha256:${hex(64)}`],
    [
      'integrity',
      '"integrity": "sha512-ulcfARo1TANr8tWzDO/5cFxSNEEfRzgW6YPHYUijgpH3iYfwtUhWEU/r/BiFGl2PNaGzzVE1N9A6nZ74xbYvUQ=="',
    ],
    [
      'typescript',
      'const token: string = await getAccessToken(user.id)\nif (password !== confirmation) throw new Error("password")',
    ],
    ['token count', '{"max_tokens": 4096, "input_tokens": 1200, "token_count": 17}'],
    ['env reference', 'API_KEY=$API_KEY npm start\nconst key = process.env.API_KEY\napi_key: "${OPENAI_API_KEY}"'],
    ['placeholder', 'OPENAI_API_KEY=your-key-here\npassword: "changeme"\nhttps://user:password@example.test'],
    ['shell', 'git commit -m "task-list: risk-free sk-circle animation" && npm_config_loglevel=error npm ci'],
    ['css', '.sk-folding-cube-container { animation: sk-foldCubeAngle 2.4s infinite }'],
    ['url with port', 'http://127.0.0.1:4777/session?x=1@2 and https://example.test:8080/a@b'],
    ['python', 'def check(secret_key: str, password="") -> None:\n    self.password = hash_password(password)'],
    ['form label', '<input type="password" name="password" placeholder="Password">'],
    ['time', '2026-11-15T09:30:00Z AA:BB:CC:DD:EE:FF'],
    ['prose', 'The bearer of this token basic understanding; curl is a token of affection.'],
    ['base64 image', `data:image/png;base64,iVBORw0KGgo${'A1b2'.repeat(50)}`],
  ])('%s', async (_name, text) => {
    expect(await createRedactor().redact(text)).toBe(text)
  })
})

test('redacting twice changes nothing more', async () => {
  const { redact } = createRedactor()
  const once = await redact(`${Object.values(secrets).join('\n')}\nDB_PASSWORD=${random(16)}\nhttps://u:${random(9)}@h.test/`)
  expect(await redact(once)).toBe(once)
})

test('a comment in the text cannot switch secretlint off', async () => {
  const secret = join('xo', 'xb-', '123456789012-', random(24))
  expect(await createRedactor().redact(`<!-- secretlint-disable -->\n${secret}`)).not.toContain(secret)
})

test('values inside JSON go, keys that name a secret take their value along, the rest keeps its shape', async () => {
  const { redactValue } = createRedactor()
  const value = {
    command: `curl -H "Authorization: Bearer ${random(24)}"`,
    nested: [{ password: 'hunter2!x' }],
    count: 3,
    none: null,
  }
  expect(await redactValue(value)).toEqual({
    command: 'curl -H "Authorization: Bearer [redacted:bearer-token]"',
    nested: [{ password: '[redacted:secret]' }],
    count: 3,
    none: null,
  })
})

describe('a value that only its place gives away', () => {
  const { redactValue } = createRedactor()
  test.each<[name: string, value: unknown, clean: unknown]>([
    ['a password with quotes in it', { password: 'ab"cd\'12!x' }, { password: '[redacted:secret]' }],
    ['a short bearer token', { Authorization: 'Bearer s3cr3t' }, { Authorization: 'Bearer [redacted:bearer-token]' }],
    ['a cookie', { Cookie: 'theme=dark; sid=a1b2c3d4' }, { Cookie: '[redacted:cookie]' }],
    ['a variable', { env: { DB_PASS: 'hunter22' } }, { env: { DB_PASS: '[redacted:env-value]' } }],
    ['a header with its name', { name: 'x-api-key', value: 'k3yk3yk3y' }, { name: 'x-api-key', value: '[redacted:secret]' }],
    ['a recorded cookie', { name: 'Set-Cookie', value: 'sid=a1b2c3d4' }, { name: 'Set-Cookie', value: '[redacted:cookie]' }],
    [
      'a recorded session cookie',
      { cookies: [{ name: 'connect.sid', value: random(32) }] },
      { cookies: [{ name: 'connect.sid', value: '[redacted:cookie]' }] },
    ],
    ['a list', { password: ['Kx7!mnop42'] }, { password: ['[redacted:secret]'] }],
    [
      'a list of several',
      { apiKeys: [random(32), 7, random(24)], note: ['a1b2'] },
      { apiKeys: ['[redacted:secret]', 7, '[redacted:secret]'], note: ['a1b2'] },
    ],
    ['an argument', ['deploy', '--password', 'hunter22'], ['deploy', '--password', '[redacted:argument]']],
  ])('%s', async (_name, value, clean) => {
    expect(await redactValue(value)).toEqual(clean)
    expect(await redactDocument(createRedactor(), { deep: [value] })).toEqual({ deep: [clean] })
  })

  test('harmless fields stay as they are', async () => {
    const value = {
      password: 'required',
      token: null,
      name: 'x-api-key',
      value: 'see docs',
      list: ['--token', '--json'],
      tokens: ['hello', 'world2'],
      secrets: ['DB_PASSWORD_1', 'see docs'],
      key: 'a\n"b',
    }
    expect(await redactValue(value)).toEqual(value)
  })
})

test.each(['my', 'abc', 'test', 'the'])('a long random value that happens to begin with "%s" is a secret', (word) => {
  const value = `${word}2${random(30)}`
  expect(redactKnown(`OAUTH_CLIENT_SECRET=${value}`)).not.toContain(value)
})

test('secretlint leaves nothing behind in the process', async () => {
  for (let round = 0; round < 3; round += 1) await lintOut(`aws ${random(40)} ${round}`)
  expect(performance.getEntries().filter(({ entryType }) => entryType === 'mark' || entryType === 'measure')).toEqual([])
})
