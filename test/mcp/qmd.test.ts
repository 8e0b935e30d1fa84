// qmd present, absent, hanging, crashing, without its collection: the real process answers each time and stays up.
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type Connected, connect, structured } from './clients.ts'
import { createPlace } from './place.ts'

let place: ReturnType<typeof createPlace>
let client: Connected
let id: string

beforeEach(async () => {
  place = createPlace()
  id = place.session([{ prompt: 'Feed the kingfisher', answer: 'It is fed.' }], { cwd: place.repo }).id
  const other = place.repository('other')
  place.session([{ prompt: 'Feed the kingfisher elsewhere' }], { cwd: other })
  client = await connect('sdk 2 of 2026', {
    cwd: place.repo,
    env: { ...place.env, PATH: `${join(place.root, 'bin')}:${place.env.PATH}` },
  })
})
afterEach(async () => {
  // Whatever qmd did, the server is still there and the built-in engine answers.
  expect(structured(await client.call('smart_fork', { intent: 'kingfisher' }))).toMatchObject({
    engine: 'builtin',
    results: [{ session_id: id }],
  })
  await client.close()
  await place.end()
})

function fake(script: string): void {
  const folder = join(place.root, 'bin')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'qmd'), `#!/bin/sh\n${script}\n`)
  chmodSync(join(folder, 'qmd'), 0o755)
}

const listed = `case "$*" in *"collection list"*) echo 'claude-sessions (qmd://claude-sessions/)'; exit 0;; esac`
const ask = async (args: object = {}) =>
  structured<Record<string, unknown>>(
    await client.call('smart_fork', { intent: 'kingfisher', collection: 'claude-sessions', ...args }),
  )

const guidance = () => ({
  error: 'qmd_not_available',
  message: expect.any(String),
  next_steps: expect.arrayContaining([expect.stringContaining('builtin')]),
  fallback_sessions: [{ session_id: id, project_path: place.repo, last_modified: expect.any(String), agent_type: 'claude' }],
})

it('absent', async () => {
  expect(await ask()).toEqual({ ...guidance(), message: 'qmd is not on PATH.' })
  expect(structured(await client.call('search_sessions', { query: 'kingfisher', engine: 'qmd' }))).toEqual(guidance())
  // Every step can be taken with the tool that was called.
  const { next_steps } = await ask()
  expect(next_steps).toContain('Meanwhile search with the built-in engine: `engine: "builtin"`, without a collection.')
  expect(JSON.stringify(next_steps)).not.toContain('--')
  const instead = structured(await client.call('smart_fork', { intent: 'kingfisher', engine: 'builtin' }))
  expect(instead).toMatchObject({ engine: 'builtin', results: [{ session_id: id }] })
})

it('offers no more sessions instead than were asked for', async () => {
  for (let at = 0; at < 4; at += 1) place.session([{ prompt: `Another matter ${at}` }], { cwd: place.repo })
  expect(await ask({ limit: 2 })).toMatchObject({ fallback_sessions: [expect.anything(), expect.anything()] })
  expect((await ask({ limit: 2 })).fallback_sessions).toHaveLength(2)
})

it('present', async () => {
  fake(`${listed}\necho '[{"file":"qmd://claude-sessions/project/${id}.md","score":0.7,"snippet":"the kingfisher"}]'`)
  expect(await ask()).toMatchObject({
    engine: 'qmd',
    results: [{ rank: 1, score: 0.7, session_id: id, turn: `claude:${id}@1`, can_fork: true }],
    qmd_error: expect.stringContaining('model'),
  })
})

it('crashing', async () => {
  fake('kill -SEGV $$')
  expect(await ask()).toEqual({ ...guidance(), message: expect.stringContaining('crashed') })
})

it('crashing once it is asked', async () => {
  fake(`${listed}\nkill -SEGV $$`)
  expect(await ask()).toEqual({ ...guidance(), message: expect.stringContaining('gave no answer') })
})

it('without the collection', async () => {
  fake(listed)
  expect(await ask({ collection: '--evil' })).toEqual({ ...guidance(), message: 'qmd has no collection --evil.' })
})

it('hanging: the answer comes when its time is over', async () => {
  fake('sleep 300')
  expect(await ask()).toEqual({ ...guidance(), message: expect.stringContaining('did not end within 15 s') })
})

it('hanging: whoever cancels need not wait, and it is stopped', async () => {
  const pidFile = join(place.root, 'pid')
  fake(`echo $$ > ${pidFile}.part; mv ${pidFile}.part ${pidFile}; exec sleep 300`)
  const stop = new AbortController()
  const asked = client.call('smart_fork', { intent: 'kingfisher', collection: 'x' }, { signal: stop.signal })
  const cancelled = expect(asked).rejects.toThrow()
  const pid = await expect
    .poll(() => readPid(pidFile), { timeout: 30_000 })
    .toBeGreaterThan(0)
    .then(() => readPid(pidFile))
  stop.abort()
  await cancelled
  await expect.poll(() => isAlive(pid), { timeout: 10_000 }).toBe(false)
})

function readPid(path: string): number {
  try {
    return Number(readFileSync(path, 'utf8'))
  } catch {
    return 0 // not started yet
  }
}

function isAlive(pid: number): boolean {
  try {
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}
