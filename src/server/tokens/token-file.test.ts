import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createToken, hashSecret, readTokens, removeExpired, revokeToken, tokenFileOf } from './token-file.ts'

let home: string

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'offshoot-tokens-'))
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

const create = (name?: string, expiresAt: number | null = null) =>
  createToken(home, { scope: 'read', projects: [], expiresAt, name }, 1000)

test('only the hash of a secret with 256 random bits is stored, in a file of the owner alone', async () => {
  const { token, secret } = await create('dashboard')
  expect(secret).toMatch(/^offshoot_[\w-]{43}$/)
  expect(Buffer.from(secret.slice('offshoot_'.length), 'base64url')).toHaveLength(32)
  expect(statSync(tokenFileOf(home)).mode & 0o777).toBe(0o600)
  for (const name of readdirSync(home)) expect(readFileSync(join(home, name), 'utf8')).not.toContain(secret.slice(9))
  expect(token.hash).toBe(hashSecret(secret).toString('hex'))
  expect(readTokens(home)).toEqual([token])
  expect((await create('other')).secret).not.toBe(secret)
})

test('tokens created and revoked at once are all there or gone, and no lock is left', async () => {
  const names = Array.from({ length: 20 }, (_, at) => `token-${at}`)
  await Promise.all(names.map((name) => create(name)))
  await Promise.all([...names.slice(10).map((name) => revokeToken(home, name)), create('late')])
  expect(new Set(readTokens(home).map(({ name }) => name))).toEqual(new Set([...names.slice(0, 10), 'late']))
  expect(readdirSync(home)).toEqual(['tokens.json'])
})

test('a name is used once, and a token is revoked by its name or id', async () => {
  const { token } = await create('dashboard')
  await expect(create('dashboard')).rejects.toMatchObject({ code: 'name_taken', exit: 4 })
  await expect(create(token.id)).rejects.toMatchObject({ code: 'name_taken' })
  await expect(revokeToken(home, 'dashbord')).rejects.toMatchObject({
    code: 'token_not_found',
    exit: 3,
    message: 'There is no token "dashbord". Did you mean dashboard?',
  })
  await expect(revokeToken(home, 'phone')).rejects.toMatchObject({ message: 'There is no token "phone". There are: dashboard.' })
  expect(await revokeToken(home, token.id)).toEqual(token)
  await expect(revokeToken(home, 'dashboard')).rejects.toMatchObject({ message: expect.stringContaining('There are none.') })
})

test('expired tokens are removed, others stay', async () => {
  await create('old', 2000)
  await create('young', 4000)
  await create('forever')
  await removeExpired(home, 2000)
  expect(readTokens(home).map(({ name }) => name)).toEqual(['young', 'forever'])
})

test.each([
  ['is cut off', () => writeFileSync(tokenFileOf(home), '{"tokens":[{"id"', { mode: 0o600 })],
  ['has another shape', () => writeFileSync(tokenFileOf(home), '{"tokens":[{"id":"x","scope":"all"}]}', { mode: 0o600 })],
  ['holds null', () => writeFileSync(tokenFileOf(home), 'null', { mode: 0o600 })],
  ['is larger than tokens need', () => writeFileSync(tokenFileOf(home), Buffer.alloc(5 << 20, 32), { mode: 0o600 })],
  ['can be written by others', () => chmodSync(tokenFileOf(home), 0o620)],
  ['is a link', () => symlinkTo(join(home, 'elsewhere'))],
  ['is a FIFO', () => replaceByFifo(tokenFileOf(home))],
])('a file that %s is refused with what to do, and not overwritten', async (_, damage) => {
  await create('dashboard')
  damage()
  expect(() => readTokens(home)).toThrow(expect.objectContaining({ code: 'unreadable', hint: expect.stringContaining('emove') }))
  const before = statSync(tokenFileOf(home)).ino
  await expect(create('another')).rejects.toMatchObject({ code: 'unreadable' })
  expect(statSync(tokenFileOf(home)).ino).toBe(before)
})

test('a folder that cannot be written is an error with what to do', async () => {
  const file = join(home, 'file')
  writeFileSync(file, '')
  const request = { scope: 'read', projects: [], expiresAt: null } as const
  await expect(createToken(join(file, 'home'), request, 0)).rejects.toMatchObject({
    code: 'failed',
    hint: expect.stringContaining('writable folder'),
  })
  await create('kept')
  const before = readFileSync(tokenFileOf(home), 'utf8')
  mkdirSync(join(home, 'tokens.lock')) // where no lock can be made
  await expect(create('lost')).rejects.toMatchObject({ code: 'failed' })
  expect(readFileSync(tokenFileOf(home), 'utf8')).toBe(before)
})

function symlinkTo(target: string): void {
  writeFileSync(target, readFileSync(tokenFileOf(home)), { mode: 0o600 })
  rmSync(tokenFileOf(home))
  symlinkSync(target, tokenFileOf(home))
}

function replaceByFifo(file: string): void {
  rmSync(file)
  execFileSync('mkfifo', ['-m', '600', file])
}

// Only root can give a file away.
test.runIf(process.getuid?.() === 0)('a file that belongs to another user is refused, and not written', async () => {
  await create('dashboard')
  chownSync(tokenFileOf(home), 65_534, 65_534)
  const before = readFileSync(tokenFileOf(home), 'utf8')
  const refusal = { code: 'unreadable', message: expect.stringContaining('not a file that only you can write') }
  expect(() => readTokens(home)).toThrow(expect.objectContaining(refusal))
  await expect(create('another')).rejects.toMatchObject(refusal)
  expect(readFileSync(tokenFileOf(home), 'utf8')).toBe(before)
  expect(statSync(tokenFileOf(home)).uid).toBe(65_534)
})
