// What a person asks and gets: words, quotes, exclusions, filters, files, thresholds, and an honest "nothing".
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { App } from '../../src/app.ts'
import { createSandbox, type Sandbox, startAt, type Transcript } from './sandbox.ts'

let box: Sandbox
let app: App
let retry: Transcript
let login: Transcript
let dates: Transcript
let old: Transcript
let shop: string

beforeAll(async () => {
  box = createSandbox()
  shop = box.repository('shop')
  const edit = (file: string) => ({ name: 'Edit', input: { file_path: file, old_string: 'a', new_string: 'b' } })
  const read = (file: string) => ({ name: 'Read', input: { file_path: file } })
  retry = box.session(
    [
      {
        prompt: 'Payments fail when the gateway is slow. Add a retry with exponential backoff.',
        answer: 'I added retryWithBackoff around chargeCard and a test for the timeout.',
        tools: [
          edit(join(shop, 'src/payments/charge.ts')),
          {
            name: 'Bash',
            input: { command: 'npm test -- payments' },
            output: 'AssertionError: expected 3 attempts',
            exitCode: 1,
          },
        ],
      },
      {
        prompt: 'Also log every attempt.',
        answer: 'Each attempt is logged with its delay.',
        tools: [edit(join(shop, 'src/log.ts'))],
      },
    ],
    { cwd: shop },
  )
  login = box.session(
    [
      {
        prompt: 'Let people log in with a magic link.',
        answer: 'The sign-in page sends a link by mail; parse_token checks it.',
        tools: [edit(join(shop, 'src/auth/login.ts')), read(join(shop, 'src/payments/charge.ts'))],
      },
      {
        prompt: 'The link must expire after ten minutes',
        answer: 'Tokens now carry an expiry, and parseToken refuses old ones.',
      },
    ],
    { cwd: shop, at: startAt + 3_600_000 },
  )
  dates = box.session([{ prompt: 'Sort the tasks by due date', answer: 'The list is ordered by its dueDate column now.' }], {
    at: startAt + 7_200_000,
  })
  old = box.session([{ prompt: 'Sort the tasks by due date', answer: 'The list is ordered by its dueDate column now.' }], {
    at: startAt - 300 * 86_400_000,
  })
  app = box.app({ cwd: shop })
  await app.updateIndex()
})
afterAll(() => box.close())

async function ids(text: string, more = {}): Promise<string[]> {
  return (await app.search({ text, ...more }, { updateMs: 0 })).results.map(({ session }) => session.id)
}

describe('words', () => {
  it('find the session and the turn, with what matched', async () => {
    const { results, engine, mode, index, notes } = await app.search({
      text: 'retry the payment when the gateway times out',
      explain: true,
    })
    const [first] = results
    expect({ engine, mode, notes }).toEqual({ engine: 'builtin', mode: 'hybrid', notes: [] })
    expect(index).toMatchObject({ complete: true, sessions: 4 })
    expect(first).toMatchObject({ rank: 1, canFork: true, session: { id: retry.id }, turn: { number: 1 } })
    expect(first?.snippet.marks.map(([from, to]) => first.snippet.text.slice(from, to).toLowerCase())).toContain('retry')
    expect(first?.explain?.matched).toContain('retri')
    expect(Object.keys(first?.explain?.parts ?? {})).toEqual([
      'words',
      'session',
      'meaning',
      'asked',
      'did',
      'nearness',
      'repository',
      'recent',
    ])
    expect(first?.explain?.parts.repository).toBeGreaterThan(0)
  })

  it('find a later turn by what was said there', async () => {
    const { results } = await app.search({ text: 'expiry of tokens' })
    expect(results[0]).toMatchObject({ session: { id: login.id }, turn: { number: 2 } })
  })

  it.each(['parseToken', 'parse_token', 'parse token', 'PARSE TOKENS'])('find a name however it is written: %s', async (text) => {
    expect((await ids(text))[0]).toBe(login.id)
  })

  it('need not all be there', async () => {
    expect((await ids('exponential backoff kubernetes'))[0]).toBe(retry.id)
  })

  it('find what was done: commands, and errors', async () => {
    expect((await ids('npm test payments'))[0]).toBe(retry.id)
    expect((await ids('AssertionError attempts'))[0]).toBe(retry.id)
  })

  it('prefer newer work where all else is equal', async () => {
    expect(await ids('sort tasks by due date')).toEqual([dates.id, old.id])
  })

  it('prefer this repository where all else is equal', async () => {
    const twin = box.session(
      [{ prompt: 'Sort the tasks by due date', answer: 'The list is ordered by its dueDate column now.' }],
      { cwd: shop, at: startAt - 300 * 86_400_000 },
    )
    expect(await ids('sort the tasks by due date', {})).not.toContain(twin.id)
    const { results } = await app.search({ text: 'sort the tasks by due date' })
    expect(results.map(({ session }) => session.id).indexOf(twin.id)).toBeLessThan(
      results.map(({ session }) => session.id).indexOf(old.id),
    )
    rmSync(twin.path)
    await app.updateIndex()
  })
})

describe('quotes and exclusions', () => {
  it('keep only what has the phrase', async () => {
    expect(await ids('"magic link"')).toEqual([login.id])
    expect(await ids('"link magic"')).toEqual([])
    expect(await ids('payments "magic link"')).toEqual([login.id])
  })

  it('leave out what has the word', async () => {
    expect(await ids('attempt link expire')).toContain(login.id)
    expect(await ids('attempt link expire -magic')).not.toContain(login.id)
  })
})

describe('filters', () => {
  it.each([
    ['agent:claude sort', 2],
    ['agent:codex sort', 0],
    ['repo:shop sort gateway', 1],
    ['branch:main gateway', 1],
    ['branch:other gateway', 0],
    ['model:opus gateway', 1],
    ['sort after:2026-10-01', 1],
    ['sort before:2026-06-01', 1],
  ])('%s', async (text, count) => {
    expect(await ids(text)).toHaveLength(count)
  })

  it('of the query itself do the same', async () => {
    expect(await ids('sort', { repo: shop })).toEqual([])
    expect(await ids('gateway', { repo: shop })).toEqual([retry.id])
    expect(await ids('gateway', { agent: 'codex' })).toEqual([])
  })

  it('alone list what passes, newest first', async () => {
    const { results, mode } = await app.search({ text: `repo:shop` })
    expect(mode).toBe('recent')
    expect(results.map(({ session }) => session.id)).toEqual([login.id, retry.id])
  })
})

describe('files', () => {
  it('are found by the end of their path: who edited first, then who looked', async () => {
    const { results, mode } = await app.search({ text: '', file: 'payments/charge.ts' })
    expect(mode).toBe('files')
    expect(results.map(({ session, touched, turn }) => [session.id, touched, turn?.number])).toEqual([
      [retry.id, 'edited', 1],
      [login.id, 'read', 1],
    ])
  })

  it('are found by their whole path, and not by half a name', async () => {
    expect(await ids('', { file: join(shop, 'src/auth/login.ts') })).toEqual([login.id])
    expect(await ids('', { file: 'ogin.ts' })).toEqual([])
    expect(await ids('file:log.ts')).toEqual([retry.id])
  })

  it('go with words', async () => {
    expect(await ids('link file:charge.ts')).toEqual([login.id])
  })
})

describe('a score', () => {
  it('is between 0 and 1, falling, and can be asked for', async () => {
    const { results } = await app.search({ text: 'retry payments with backoff' })
    const scores = results.map(({ score }) => score)
    expect(scores.every((score) => score > 0 && score <= 1)).toBe(true)
    expect([...scores].sort((a, b) => b - a)).toEqual(scores)
    expect(scores[0]).toBeGreaterThan(0.5)
    expect((await app.search({ text: 'retry payments with backoff', minScore: scores[0] ?? 1 })).results).toHaveLength(1)
    expect((await app.search({ text: 'retry payments with backoff', minScore: 1 })).results).toEqual([])
  })

  it('is not given to what has nothing to do with it', async () => {
    const { results, notes } = await app.search({ text: 'quantum chromodynamics lattice simulation' })
    expect(results).toEqual([])
    expect(notes).toEqual(['No session is about this.'])
  })
})

it.each([
  '',
  '"',
  '-',
  'AND',
  'NEAR(a b)',
  'a* OR ^b',
  '{prompt}: x',
  "'; DROP TABLE sessions; --",
  '日本語',
  '\0',
  'file:',
  '-"',
  '🙂',
])('takes any text: %j', async (text) => {
  expect(Array.isArray(await ids(text))).toBe(true)
})

it('says that a session cannot be forked any more', async () => {
  const gone = box.session(['about a wombat nobody will see again'])
  await app.updateIndex()
  rmSync(gone.path)
  const { results } = await app.search({ text: 'wombat' }, { updateMs: 0 })
  expect(results[0]).toMatchObject({ canFork: false, warning: expect.stringContaining('gone') })
  await app.updateIndex()
})

it('shows a deleted session once, with a warning and in its repository, and then forgets it', async () => {
  const other = createSandbox()
  try {
    const repository = other.repository('repo')
    const there = other.app({ cwd: repository })
    const gone = other.session(['about a quokka nobody will see again'], { cwd: repository })
    other.session(['about something else'], { cwd: repository })
    await there.updateIndex()
    rmSync(gone.path)
    // Every command looks at the agents' files, and finds that it is gone.
    expect((await there.listSessions()).map(({ id }) => id)).not.toContain(gone.id)
    await expect(there.resolve(`claude:${gone.id}`)).rejects.toMatchObject({ code: 'session_not_found' })
    const { results } = await there.search({ text: 'quokka', repo: repository })
    expect(results).toMatchObject([{ session: { id: gone.id, cwd: repository }, canFork: false }])
    expect(results[0]?.warning).toContain('gone')
    expect((await there.search({ text: 'quokka' })).results.map(({ session }) => session.id)).not.toContain(gone.id)
    expect(await there.listDeleted()).toEqual([])
  } finally {
    other.close()
  }
})

it('takes a session up again that comes back after it was deleted', async () => {
  const other = createSandbox()
  try {
    const there = other.app()
    const session = other.session(['about a bandicoot'])
    await there.updateIndex()
    const text = readFileSync(session.path)
    rmSync(session.path)
    await there.listSessions()
    writeFileSync(session.path, text)
    expect((await there.listSessions()).map(({ id }) => id)).toEqual([session.id])
    const { results } = await there.search({ text: 'bandicoot' })
    expect(results).toMatchObject([{ session: { id: session.id, turns: 1 }, canFork: true, turn: { number: 1 } }])
  } finally {
    other.close()
  }
})

it('says so where nothing is indexed yet', async () => {
  const other = createSandbox()
  try {
    const { results, notes } = await other.app().search({ text: 'anything' })
    expect(results).toEqual([])
    expect(notes).toEqual(['Nothing is indexed yet.'])
  } finally {
    other.close()
  }
})
