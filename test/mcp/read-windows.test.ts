// `read_session` reads a late page or one turn from its own part of the file. What it gives must be what reading from the start gives.
import { randomUUID } from 'node:crypto'
import { copyFileSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { App } from '../../src/app.ts'
import type { Target } from '../../src/model/catalog.ts'
import { createRedactor } from '../../src/redact/redact.ts'
import { openEntries } from '../../src/server/mcp/entries.ts'
import { type Page, readPage } from '../../src/server/mcp/read-page.ts'
import { structured } from './clients.ts'
import { createPlace } from './place.ts'

let place: ReturnType<typeof createPlace>
beforeEach(() => {
  place = createPlace()
})
afterEach(() => place.end())

const redactor = createRedactor()
const { signal } = new AbortController()

type Reading = Parameters<typeof openEntries>[0]

/** The ways there are: with windows, and from the start of the file alone. */
function waysOf(app: App): { readonly windows: Reading; readonly whole: Reading } {
  const whole = {
    readSession: app.readSession,
    readPage: async () => null,
    readTurns: async () => ({ from: 1, messages: [], turns: [] }),
  }
  return { windows: app, whole }
}

async function readAll(app: Reading, target: Target, maxTokens: number): Promise<Page[]> {
  const pages: Page[] = []
  let from: Page['next'] = { message: 0, character: 0 }
  while (from !== null) {
    const { entries, first } = await openEntries(app, target, from.message)
    const page: Page = await readPage(entries, redactor, { from, first, maxTokens, tools: 'full', signal })
    pages.push(page)
    from = page.next
  }
  return pages
}

function placeSamples(): void {
  const samples = (agent: string) => {
    const folder = join(import.meta.dirname, '..', '..', 'src', 'agents', agent, 'samples')
    return readdirSync(folder).flatMap((name) => (name.endsWith('.jsonl') ? [join(folder, name)] : []))
  }
  const copy = (sample: string, path: string) => {
    mkdirSync(dirname(path), { recursive: true })
    copyFileSync(sample, path)
  }
  for (const name of samples('claude')) copy(name, join(place.home, '.claude', 'projects', '-work', `${randomUUID()}.jsonl`))
  for (const name of samples('codex')) {
    const [, id] = /"id":"([0-9a-f-]{36})"/.exec(readFileSync(name, 'utf8')) ?? []
    copy(name, join(place.home, '.codex', 'sessions', '2026', '01', '05', `rollout-2026-01-05T09-00-00-${id}.jsonl`))
  }
}

it('is the same on every recorded file, page by page and turn by turn', async () => {
  placeSamples()
  const app = place.app()
  const { windows, whole } = waysOf(app)
  const sessions = await app.listSessions()
  expect(sessions.length).toBeGreaterThan(20)
  for (const session of sessions) {
    const all = { session, turn: null, messageId: null }
    expect([session.path, await readAll(windows, all, 300)]).toEqual([session.path, await readAll(whole, all, 300)])
    for (const turn of await app.listTurns(session, { refresh: false, deadBranches: true })) {
      const target = { session, turn, messageId: null }
      expect([turn.id, await readAll(windows, target, 1000)]).toEqual([turn.id, await readAll(whole, target, 1000)])
    }
  }
})

it('a secret across the border of two pages is in none of them, and nothing is read from the start', async () => {
  const secret = `ghp_${'a1B2'.repeat(9)}`
  const turns = Array.from({ length: 12 }, (_, at) => ({
    prompt: at === 0 ? 'first' : `${'x'.repeat(380 + at * 3)} ${secret} ${'y'.repeat(700)}`,
    answer: `answer ${at}`,
  }))
  const { id } = place.session(turns, { cwd: place.repo })
  const begun: number[] = []
  const app = place.app({ cwd: place.repo })
  const client = await place.http('sdk 2 of 2026', {
    verbs: {
      readSession(session, options) {
        begun.push(1)
        return app.readSession(session, options)
      },
    },
  })
  const read = async (address: string, cursor?: string) =>
    structured<{ next?: string; untrusted: { messages: { index: number; turn: number; text: string }[] } }>(
      await client.call('read_session', { session: address, max_tokens: 200, ...(cursor && { cursor }) }),
    )
  const texts = new Map<number, string>()
  let page = await read(id)
  let pages = 1
  expect(begun).toHaveLength(1)
  for (;;) {
    for (const { index, turn, text } of page.untrusted.messages) {
      expect(turn).toBe(Math.floor(index / 2) + 1)
      texts.set(index, (texts.get(index) ?? '') + text)
      expect(text).not.toContain('a1B2')
    }
    if (page.next === undefined) break
    page = await read(id, page.next)
    pages += 1
  }
  expect(pages).toBeGreaterThan(12)
  expect([...texts.values()]).toEqual(
    turns.flatMap(({ prompt, answer }) => [prompt.replace(secret, '[redacted:github-token]'), answer]),
  )
  expect((await read(`${id}@last`)).untrusted.messages).toMatchObject([{ index: 0, turn: 12 }])
  expect(begun).toHaveLength(1)
})
