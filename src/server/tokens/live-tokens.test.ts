import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type LiveTokens, watchTokens } from './live-tokens.ts'
import { createToken, revokeToken, tokenFileOf } from './token-file.ts'

let home: string
let now: number
let live: LiveTokens
let problems: unknown[]

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'offshoot-tokens-'))
  now = 1000
  problems = []
  live = watchTokens({ home, now: () => now, onProblem: (error) => problems.push(error), everyMs: 5 })
})
afterEach(() => {
  live.close()
  rmSync(home, { recursive: true, force: true })
})

const create = async (expiresAt: number | null = null) =>
  (await createToken(home, { scope: 'fork', projects: ['/a'], expiresAt }, now)).secret

/** What a stream of the token waits for. */
const ended = (signal: AbortSignal | undefined) =>
  new Promise<void>((resolve) => {
    if (signal?.aborted === true) resolve()
    signal?.addEventListener('abort', () => resolve())
  })

test('a token is known as soon as it is created, and not by any other secret', async () => {
  expect(live.find('offshoot_x')).toBeNull()
  const secret = await create()
  expect(live.find(secret)).toMatchObject({ scope: 'fork', projects: ['/a'], ended: { aborted: false } })
  expect(live.find(`${secret}x`)).toBeNull()
  expect(live.find(secret.slice(0, -1))).toBeNull()
})

test('revoking one ends what it has open, and no other', async () => {
  const [first, second] = [live.find(await create()), live.find(await create())]
  await revokeToken(home, first?.name ?? '')
  await ended(first?.ended)
  expect(second?.ended.aborted).toBe(false)
})

test('a request right after the revocation is refused, whenever the file was looked at last', async () => {
  const slow = watchTokens({ home, now: () => now, onProblem: () => undefined, everyMs: 1e6 })
  const secret = await create()
  const { name, ended: signal } = slow.find(secret) ?? {}
  await revokeToken(home, name ?? '')
  expect(slow.find(secret)).toBeNull()
  expect(signal?.aborted).toBe(true)
  slow.close()
})

test('an expired token is ended, also while nobody asks', async () => {
  const secret = await create(2000)
  const found = live.find(secret)
  expect(found?.ended.aborted).toBe(false)
  now = 2000
  await ended(found?.ended)
  expect(live.find(secret)?.ended.aborted).toBe(true)
})

test('a token stays the same for its streams when others come and go', async () => {
  const secret = await create()
  const found = live.find(secret)
  await create()
  expect(live.find(secret)).toBe(found)
})

test('while the file is damaged or gone no token is accepted, and streams have ended', async () => {
  const secret = await create()
  const first = live.find(secret)
  writeFileSync(tokenFileOf(home), '{')
  expect(live.find(secret)).toBeNull()
  expect(first?.ended.aborted).toBe(true)
  expect(problems).toEqual([expect.objectContaining({ code: 'unreadable' })])
  live.find(secret)
  expect(problems).toHaveLength(1)
  rmSync(tokenFileOf(home))
  expect(live.find(secret)).toBeNull()
})

test('any number of answers may wait for the end of one token without a warning', async () => {
  const warnings: string[] = []
  const listen = ({ name }: Error) => warnings.push(name)
  process.on('warning', listen)
  const { ended: signal } = live.find(await create()) ?? {}
  for (let at = 0; at < 100; at += 1) signal?.addEventListener('abort', () => at)
  await new Promise((resolve) => setImmediate(resolve))
  process.off('warning', listen)
  expect(warnings).toEqual([])
})
