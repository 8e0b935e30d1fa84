// Who is calling, as both agents let it be known, and what follows from it: which repository, what is not offered, "fork me here".
import { randomUUID } from 'node:crypto'
import { appendFileSync, mkdirSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Transcript } from '../search/sandbox.ts'
import { type Connected, connect, errorOf, structured } from './clients.ts'
import { createPlace } from './place.ts'

let place: ReturnType<typeof createPlace>
beforeEach(() => {
  place = createPlace()
})
afterEach(() => place.end())

const toolUseId = 'toolu_01AbCdEfGhIjKlMnOpQrStUv'

/** A turn whose call of our tool has no result yet. */
function beginCall(transcript: Transcript, cwd: string, id = toolUseId): void {
  const base = { isSidechain: false, userType: 'external', cwd, sessionId: transcript.id, version: '2.1.325', gitBranch: 'main' }
  const last = transcript.lines.findLast((line) => typeof line.uuid === 'string')?.uuid ?? null
  const prompt = randomUUID()
  const timestamp = new Date().toISOString()
  transcript.write({
    ...base,
    parentUuid: last,
    type: 'user',
    message: { role: 'user', content: 'fork me here' },
    promptId: randomUUID(),
    uuid: prompt,
    timestamp,
  })
  transcript.write({
    ...base,
    parentUuid: prompt,
    type: 'assistant',
    message: {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: 'm',
      content: [{ type: 'tool_use', id, name: 'mcp__offshoot__fork_session', input: {} }],
      stop_reason: 'tool_use',
      usage: { input_tokens: 1, output_tokens: 1 },
    },
    uuid: randomUUID(),
    timestamp,
  })
}

const claudeMeta = { 'claudecode/toolUseId': toolUseId, progressToken: 2 }
const rows = (result: Awaited<ReturnType<Connected['call']>>) =>
  structured<{ results: { session_id: string }[] }>(result).results.map((row) => row.session_id)

describe('Claude, by the transcript its call stands in', () => {
  it('is not offered its own session, unless it asks for it', async () => {
    const mine = place.session(['The kingfisher at the river'], { cwd: place.repo })
    const other = place.session(['The kingfisher at the lake'], { cwd: place.repo })
    beginCall(mine, place.repo)
    const client = await place.http()
    expect(rows(await client.call('smart_fork', { intent: 'kingfisher' }, { meta: claudeMeta }))).toEqual([other.id])
    expect(rows(await client.call('search_sessions', { query: 'kingfisher' }, { meta: claudeMeta }))).toEqual([other.id])
    const asked = await client.call('search_sessions', { query: 'kingfisher', include_caller: true }, { meta: claudeMeta })
    expect(rows(asked).sort()).toEqual([mine.id, other.id].sort())
    const listed = structured<{ sessions: { id: string; is_caller?: boolean }[] }>(
      await client.call('list_sessions', {}, { meta: claudeMeta }),
    )
    expect(listed.sessions.filter(({ is_caller }) => is_caller).map(({ id }) => id)).toEqual([mine.id])
  })

  it('is found though its line comes after the call', async () => {
    const mine = place.session(['one', 'two'], { cwd: place.repo })
    const client = await place.http()
    const planned = client.call('fork_session', { dry_run: true }, { meta: claudeMeta })
    setTimeout(() => beginCall(mine, place.repo), 300)
    expect(structured(await planned)).toMatchObject({ plan: { parent: { session_id: mine.id, turn_number: 2 } } })
  })

  it('forks itself at its last finished turn', async () => {
    const mine = place.session(['one', 'two'], { cwd: place.repo })
    const late = place.session(['newer'], { cwd: place.repo })
    beginCall(mine, place.repo)
    const client = await place.http()
    for (const args of [{}, { session: 'caller' }]) {
      const planned = structured(await client.call('fork_session', { ...args, dry_run: true }, { meta: claudeMeta }))
      expect(planned).toMatchObject({ plan: { parent: { session_id: mine.id, turn_number: 2 }, kept_turns: 2 } })
    }
    for (const first of ['1', 1]) {
      const earlier = structured(await client.call('fork_session', { at_turn: first, dry_run: true }, { meta: claudeMeta }))
      expect(earlier).toMatchObject({ plan: { parent: { session_id: mine.id, turn_number: 1 } } })
    }
    const made = structured<{ forked_session: { session_id: string } }>(
      await client.call('fork_session', { code: 'head' }, { meta: claudeMeta }),
    )
    expect(made.forked_session).toMatchObject({
      resume_session_id: mine.id,
      proof: { source_unchanged: true, prefix_verified: true },
    })
    expect(made.forked_session.session_id).not.toBe(late.id)
  })

  it('a subagent counts as its session; a result, a quotation or an old file does not', async () => {
    const mine = place.session(['one'], { cwd: place.repo })
    const quoting = place.session([`what is ${toolUseId}?`], { cwd: place.repo })
    const old = place.session(['old'], { cwd: place.repo })
    beginCall(old, place.repo)
    const longAgo = Date.now() / 1000 - 3600
    utimesSync(old.path, longAgo, longAgo)
    const folder = join(dirname(mine.path), mine.id, 'subagents')
    mkdirSync(folder, { recursive: true })
    const call = { type: 'tool_use', id: toolUseId, name: 'x', input: {} }
    writeFileSync(join(folder, 'agent-1.jsonl'), '')
    appendFileSync(
      join(folder, 'agent-1.jsonl'),
      `${JSON.stringify({ type: 'assistant', sessionId: mine.id, cwd: place.repo, message: { content: [call] } })}\n`,
    )
    const client = await place.http()
    const listed = structured<{ sessions: { id: string; is_caller?: boolean }[] }>(
      await client.call('list_sessions', {}, { meta: claudeMeta }),
    )
    expect(listed.sessions.filter(({ is_caller }) => is_caller).map(({ id }) => id)).toEqual([mine.id])
    expect(listed.sessions.map(({ id }) => id)).toContain(quoting.id)
  })

  it('nothing finished yet is said, not guessed', async () => {
    const mine = place.session([], { cwd: place.repo })
    beginCall(mine, place.repo)
    const client = await place.http()
    expect(errorOf(await client.call('fork_session', {}, { meta: claudeMeta }))).toMatchObject({ code: 'busy' })
  })
})

describe('Codex, by what it says with the call', () => {
  it('its repository is the one meant, within the roots', async () => {
    place.session(['The kingfisher'], { cwd: place.repo })
    const outside = place.repository('outside')
    const meta = (root: string) => ({
      threadId: randomUUID(),
      'x-codex-turn-metadata': { turn_id: randomUUID(), workspaces: { [root]: { has_changes: false } } },
    })
    const client = await place.http()
    expect(rows(await client.call('smart_fork', { intent: 'kingfisher' }, { meta: meta(place.repo) }))).toHaveLength(1)
    expect(errorOf(await client.call('smart_fork', { intent: 'kingfisher' }, { meta: meta(outside) }))).toMatchObject({
      code: 'refused',
    })
    const named = { intent: 'kingfisher', project_path: place.repo }
    expect(rows(await client.call('smart_fork', named, { meta: meta(outside) }))).toHaveLength(1)
    const asText = { threadId: 'x', 'x-codex-turn-metadata': JSON.stringify({ workspaces: { [outside]: {} } }) }
    expect(errorOf(await client.call('smart_fork', { intent: 'kingfisher' }, { meta: asText }))).toMatchObject({
      code: 'refused',
    })
  })

  it('a thread nobody knows cannot be forked', async () => {
    const client = await place.http()
    const meta = { threadId: randomUUID(), 'x-codex-turn-metadata': '{broken' }
    expect(errorOf(await client.call('fork_session', {}, { meta }))).toMatchObject({ code: 'session_not_found' })
  })
})

describe('where no call tells', () => {
  it('a stdio server goes by its environment', async () => {
    const mine = place.session(['The kingfisher at the river'], { cwd: place.repo })
    const other = place.session(['The kingfisher at the lake'], { cwd: place.repo })
    const client = await connect('sdk 1', { cwd: place.repo, env: { ...place.env, CLAUDE_CODE_SESSION_ID: mine.id } })
    expect(rows(await client.call('smart_fork', { intent: 'kingfisher' }))).toEqual([other.id])
    await client.close()
  })

  it('a stdio server that was started elsewhere answers for the project it was given', async () => {
    const known = place.session(['The kingfisher at the river'], { cwd: place.repo })
    const elsewhere = place.repository('elsewhere')
    const client = await connect('sdk 1', { cwd: elsewhere, env: place.env, args: ['--project', place.repo] })
    expect(rows(await client.call('smart_fork', { intent: 'kingfisher' }))).toEqual([known.id])
    await client.close()
  })

  it('"fork me here" is refused with what to do instead', async () => {
    place.session(['one'], { cwd: place.repo })
    const client = await place.http()
    const error = errorOf(await client.call('fork_session', { session: 'caller' }))
    expect(error).toMatchObject({ code: 'usage', hint: expect.stringContaining('list_sessions') })
  })
})
