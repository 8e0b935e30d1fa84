// What must never happen: secrets or control characters in an answer, an answer too long, text that becomes a flag, a look outside.
import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { bytesOf, maxResultBytes } from '../../src/server/mcp/size.ts'
import { clientKinds, errorOf, type Result, structured } from './clients.ts'
import { createPlace } from './place.ts'

let place: ReturnType<typeof createPlace>
beforeEach(() => {
  place = createPlace()
})
afterEach(() => place.end())

const secret = `sk-ant-api03-${'Ab1'.repeat(20)}`
const nasty = '\u001b]0;owned\u0007\u001b[31mred\u001b[0m\u0000\u0085\u202eevil'

/** C0 but tab and line break, DEL, C1, marks that reorder text. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: finding them is the point
const controls = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, field]) => [key, ...textsIn(field)])
}

describe.each(clientKinds)('over HTTP with %s', (kind) => {
  it('gives out neither secrets nor control characters', async () => {
    const { id } = place.session(
      [
        {
          prompt: `Rotate ${secret} ${nasty} kingfisher`,
          answer: `The password="hunter2hunter2" ${nasty}`,
          tools: [
            {
              name: `Bash${nasty}`,
              input: { command: `curl -H "Authorization: Bearer ${secret}"`, api_key: 'q9w8e7r6t5y4' },
              output: `token ${secret} ${nasty}`,
            },
          ],
        },
      ],
      { cwd: place.repo },
    )
    const client = await place.http(kind)
    const results: Result[] = []
    for (const [name, args] of [
      ['search_sessions', { query: 'kingfisher' }],
      ['smart_fork', { intent: 'kingfisher' }],
      ['list_sessions', {}],
      ['list_turns', { session: id }],
      ['read_session', { session: id, tools: 'full' }],
      ['session_tree', {}],
      ['fork_session', { session: id, dry_run: true }],
    ] as const) {
      const result = await client.call(name, args)
      expect(result.isError, name).not.toBe(true)
      results.push(result)
    }
    expect(results[0]?.structuredContent).toMatchObject({ results: [{ session_id: id }] })
    const all = textsIn(results)
    expect(all.filter((text) => controls.test(text))).toEqual([])
    for (const hidden of [secret, 'hunter2hunter2', 'q9w8e7r6t5y4'])
      expect(all.filter((text) => text.includes(hidden))).toEqual([])
    expect(all.some((text) => text.includes('[redacted:anthropic-key]'))).toBe(true)
  })
})

it('a secret across the end of a page is not given out in halves', async () => {
  const { id } = place.session([{ prompt: `${'x'.repeat(390)} ${secret} ${'y'.repeat(3000)}` }], { cwd: place.repo })
  const client = await place.http()
  let read = ''
  for (let cursor: string | undefined; ; ) {
    const page = structured<{ untrusted: { messages: { text: string }[] }; next?: string }>(
      await client.call('read_session', { session: id, max_tokens: 140, ...(cursor === undefined ? {} : { cursor }) }),
    )
    read += page.untrusted.messages.map(({ text }) => text).join('')
    cursor = page.next
    if (cursor === undefined) break
  }
  expect(read).toContain(`${'x'.repeat(390)} [redacted:anthropic-key] ${'y'.repeat(3000)}`)
  expect(read).not.toContain('sk-ant')
})

describe('sizes', () => {
  it('every answer is under 20 KB, and everything can be read by pages', async () => {
    const long = Array.from({ length: 60 }, (_, at) => ({
      prompt: `Prompt ${at} "quoted" \n ${'wide 漢字 "quotes" \\ '.repeat(120)}`,
      answer: `Answer ${at} ${'text '.repeat(900)}`,
      tools: [{ name: 'Write', input: { content: '"\\\n'.repeat(9000) }, output: 'z'.repeat(30_000) }],
    }))
    const { id } = place.session(long, { cwd: place.repo })
    for (let at = 0; at < 60; at += 1) place.session([{ prompt: `"${'ü\\"'.repeat(100)} ${at} kingfisher` }], { cwd: place.repo })
    const client = await place.http()
    const sizes: number[] = []
    const page = async (name: string, args: object) => {
      const result = await client.call(name, { ...args })
      sizes.push(bytesOf(result))
      return structured<Record<string, unknown> & { next?: string }>(result)
    }
    const walk = async (name: string, args: object, rows: (answer: Record<string, unknown>) => readonly unknown[]) => {
      const seen: unknown[] = []
      for (let cursor: string | undefined; ; ) {
        const answer = await page(name, { ...args, ...(cursor === undefined ? {} : { cursor }) })
        seen.push(...rows(answer))
        if (answer.next === undefined) return seen
        expect(answer.next).not.toBe(cursor)
        cursor = answer.next
      }
    }
    expect(await walk('list_sessions', { limit: 50 }, ({ sessions }) => sessions as [])).toHaveLength(61)
    expect(await walk('list_turns', { session: id, limit: 100, prompt_length: 2000 }, ({ turns }) => turns as [])).toHaveLength(
      60,
    )
    expect(await walk('session_tree', { limit: 50 }, ({ nodes }) => nodes as [])).toHaveLength(61)
    await page('smart_fork', { intent: 'kingfisher', limit: 20, snippet_length: 1000 })
    await page('fork_session', { session: id, dry_run: true })
    const messages = (answer: Record<string, unknown>) =>
      (answer.untrusted as { messages: { text: string; index: number }[] }).messages
    const whole = (await walk('read_session', { session: `${id}@2`, tools: 'full', max_tokens: 5000 }, messages)) as {
      text: string
    }[]
    const text = whole.map((each) => each.text).join('')
    expect(text).toContain('z'.repeat(20))
    expect(text.split('z').length - 1).toBeGreaterThan(29_999)
    expect(text.split('text ').length - 1).toBe(900)
    expect(text).not.toContain('\ufffd')
    expect(Math.max(...sizes)).toBeLessThanOrEqual(maxResultBytes)
  })
})

it('text that looks like a flag stays text', async () => {
  place.session([{ prompt: '--version -rf ; $(touch /tmp/x) kingfisher' }], { cwd: place.repo })
  const client = await place.http()
  for (const intent of ['--help', '-n 5 kingfisher', '$(touch x)', '; rm -rf /']) {
    expect((await client.call('smart_fork', { intent })).isError).not.toBe(true)
  }
  expect(errorOf(await client.call('read_session', { session: '--all' }))).toMatchObject({ code: 'session_not_found' })
  expect(errorOf(await client.call('fork_session', { session: 'last', at_turn: '--code=none' }))).toMatchObject({
    code: 'bad_address',
  })
  expect(errorOf(await client.call('list_sessions', { project_path: '--project' }))).toMatchObject({ code: 'refused' })
})

describe('the roots', () => {
  it('are not left by links, neighbours, or paths of files', async () => {
    const neighbour = place.repository('project-evil')
    const { id, path } = place.session([{ prompt: 'kingfisher outside' }], { cwd: neighbour })
    symlinkSync(neighbour, join(place.repo, 'link'))
    const client = await place.http()
    expect(structured(await client.call('search_sessions', { query: 'kingfisher' }))).toMatchObject({ results: [] })
    expect(structured(await client.call('list_sessions'))).toMatchObject({ sessions: [] })
    for (const session of [id, `claude:${id}`, path, `../${id}`, '/etc/passwd']) {
      for (const name of ['read_session', 'list_turns', 'session_tree', 'fork_session']) {
        expect(['refused', 'session_not_found', 'bad_address']).toContain(errorOf(await client.call(name, { session })).code)
      }
    }
    for (const project_path of [neighbour, join(place.repo, 'link'), join(place.repo, '..'), '/']) {
      expect(errorOf(await client.call('smart_fork', { intent: 'x', project_path }))).toMatchObject({ code: 'refused' })
      const spawned = structured<{ workers: { error?: { code: string } }[] }>(
        await client.call('spawn_workers', { workers: [{ agent_type: 'claude', project_path, terminal: 'headless' }] }),
      )
      expect(spawned.workers[0]?.error).toMatchObject({ code: 'refused' })
    }
    expect(place.refused.length).toBeGreaterThan(4)
  })

  it('nothing is answered without the token', async () => {
    await expect(place.http('sdk 1', { token: 'b'.repeat(64) })).rejects.toThrow(/401|unauthorized/i)
  })
})

it('no tool deletes anything', async () => {
  const client = await place.http()
  const names = (await client.tools()).map(({ name }) => name)
  expect(names.filter((name) => /delete|remove|stop|undo|gc|restore/.test(name))).toEqual([])
})
