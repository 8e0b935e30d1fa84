// Codex forks hold a reference to their parent's file, so what happens to that file changes how the fork reads.
import {
  appendFileSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Manifest } from './archive-files.ts'
import type { Catalog } from './catalog.ts'
import { createSandbox, type Sandbox } from './sandbox.testkit.ts'

const parentId = '01a1ddf6-2d69-74a3-b25b-0797c78b57a2'
const childId = '01a1ddf6-51e1-74a0-885e-faad69304e79'
const grandchildId = '01a1ddf6-6000-7000-8000-000000000001'
let sandbox: Sandbox
let catalog: Catalog
beforeEach(() => {
  sandbox = createSandbox()
  catalog = sandbox.catalog()
})
afterEach(() => sandbox.close())

function sample(name: string): string {
  return fileURLToPath(new URL(`../agents/codex/samples/${name}`, import.meta.url))
}

function pathOf(id: string): string {
  const folder = join(sandbox.home, '.codex', 'sessions', '2026', '11', '15')
  mkdirSync(folder, { recursive: true })
  return join(folder, `rollout-2026-11-15T10-00-00-${id}.jsonl`)
}

function placeParent(): string {
  copyFileSync(sample('02-exec-4turns-shell-patch.jsonl'), pathOf(parentId))
  return pathOf(parentId)
}

function placeChild(): string {
  copyFileSync(sample('03-exec-fork-child.jsonl'), pathOf(childId))
  return pathOf(childId)
}

/** A fork of the child at the end of a file, without a turn of its own, as Codex writes it. */
function placeGrandchild(baseId = childId): string {
  const lines = readFileSync(pathOf(baseId), 'utf8').trim().split('\n')
  const first = JSON.parse(readFileSync(sample('03-exec-fork-child.jsonl'), 'utf8').split('\n')[0] ?? '')
  const end = JSON.parse(lines.at(-1) ?? '').ordinal + 1
  const base = { thread_id: baseId, end_ordinal_exclusive: end, end_byte_offset: 0 }
  const ids = { id: grandchildId, session_id: grandchildId, forked_from_id: childId, forked_from_ordinal_exclusive: end }
  const line = { ...first, ordinal: end, payload: { ...first.payload, ...ids, history_base: base } }
  writeFileSync(pathOf(grandchildId), `${JSON.stringify(line)}\n`)
  return pathOf(grandchildId)
}

/** The parent, rewound to its first turn: its two files, the older one first. */
function placeRewoundParent(): [string, string] {
  const parent = placeParent()
  const lines = readFileSync(parent, 'utf8').trimEnd().split('\n')
  const segmentId = '01a1ddf6-7000-7000-8000-000000000002'
  const cut = lines.findIndex((line) => line.includes('"task_complete"')) + 1
  const first = JSON.parse(lines[0] ?? '')
  const base = { thread_id: parentId, end_ordinal_exclusive: cut, end_byte_offset: 0 }
  const segment = join(dirname(parent), `rollout-2026-11-15T11-00-00-${parentId}_${segmentId}.jsonl`)
  const line = { ...first, ordinal: cut, payload: { ...first.payload, history_base: base } }
  writeFileSync(segment, `${JSON.stringify(line)}\n`)
  return [parent, segment]
}

async function sessionOf(id: string, of = catalog) {
  const found = (await of.listSessions()).find((each) => each.id === id)
  if (found === undefined) throw new Error(`${id} is not listed`)
  return found
}

async function promptsOf(id: string): Promise<string[]> {
  return (await catalog.listTurns(await sessionOf(id))).map(({ number, prompt }) => `${number} ${prompt.slice(0, 12)}`)
}

it('reads a fork anew when its parent comes and goes', async () => {
  placeChild()
  expect(await sessionOf(childId)).toMatchObject({ broken: expect.any(String), parent: { sessionId: parentId } })

  const parentPath = placeParent()
  const whole = { broken: null, turns: 5, ownTurns: 1, parent: { sessionId: parentId, turnNumber: 4 } }
  expect(await sessionOf(childId)).toMatchObject(whole)

  rmSync(parentPath)
  expect(await sessionOf(childId)).toMatchObject({ broken: expect.any(String), parent: { sessionId: parentId } })
})

it('follows a session into the archive of its agent, and its fork stays whole', async () => {
  const parentPath = placeParent()
  placeChild()
  const before = await catalog.listSessions()
  const archived = join(sandbox.home, '.codex', 'archived_sessions')
  mkdirSync(archived)
  const target = join(archived, `rollout-2026-11-15T10-00-00-${parentId}.jsonl`)
  renameSync(parentPath, target)
  const after = await catalog.listSessions()
  expect(after).toEqual(before.map((each) => (each.id === parentId ? { ...each, path: target, state: 'archived' } : each)))
})

it('reads a fork of a fork anew when the first parent comes and goes, though the one between is gone', async () => {
  const [parent, child] = [placeParent(), placeChild()]
  // Forked at a turn that the child inherited: its file is not needed.
  placeGrandchild(parentId)
  const whole = await promptsOf(grandchildId)
  expect(whole).toHaveLength(4)
  rmSync(child)
  expect((await sessionOf(grandchildId)).broken).toBeNull()
  rmSync(parent)
  expect((await sessionOf(grandchildId)).broken).toContain(parentId)
  placeParent()
  expect(await sessionOf(grandchildId)).toMatchObject({ broken: null })
  expect(await promptsOf(grandchildId)).toEqual(whole)
})

describe('a parent that our archive holds', () => {
  async function archive(...ids: string[]): Promise<void> {
    const { problems } = await catalog.archive({ sessions: ids.map((sessionId) => ({ agent: 'codex', sessionId })) })
    expect(problems).toEqual([])
  }
  async function readText(id: string): Promise<string> {
    const texts: string[] = []
    for await (const entry of catalog.readSession(await sessionOf(id))) {
      if (entry.kind === 'message') texts.push(`${entry.message.turnId} ${entry.message.text}`)
    }
    return texts.join('\n')
  }

  it('is read for its forks while its own file is away, and after it is back', async () => {
    const [parent, child] = [placeParent(), placeChild()]
    placeGrandchild()
    await archive(parentId, childId)
    const [whole, text] = [await promptsOf(childId), await readText(childId)]
    const [below, textBelow] = [await promptsOf(grandchildId), await readText(grandchildId)]
    const away = join(sandbox.root, 'away.jsonl')
    renameSync(parent, away)
    for (const at of [catalog, sandbox.catalog()]) {
      expect(await sessionOf(childId, at)).toMatchObject({ broken: null, turns: 5, ownTurns: 1 })
      expect((await sessionOf(parentId, at)).state).toBe('gone')
    }
    expect(await promptsOf(childId)).toEqual(whole)
    expect(await readText(childId)).toBe(text)
    const { messages } = await catalog.readTurns(await sessionOf(childId), { from: 1, to: 2 })
    expect(messages.length).toBeGreaterThan(2)

    rmSync(child)
    expect(await sessionOf(grandchildId)).toMatchObject({ broken: null })
    expect(await readText(grandchildId)).toBe(textBelow)
    expect(await sessionOf(childId)).toMatchObject({ state: 'gone', broken: null, turns: 5 })
    expect(await readText(childId)).toBe(text)

    renameSync(away, parent)
    expect(await promptsOf(childId)).toEqual(whole)
    expect(await promptsOf(grandchildId)).toEqual(below)
    expect(existsSync(child)).toBe(false)
  })

  it('is read on from when its fork grows meanwhile', async () => {
    const [parent, child] = [placeParent(), placeChild()]
    await archive(parentId)
    const lines = readFileSync(child, 'utf8').trimEnd().split('\n')
    writeFileSync(child, `${lines.slice(0, 5).join('\n')}\n`)
    const before = await sessionOf(childId)
    rmSync(parent)
    expect((await sessionOf(childId)).broken).toBeNull()
    writeFileSync(child, `${lines.join('\n')}\n`)
    const after = await sessionOf(childId)
    expect(after).toMatchObject({ broken: null, turns: 5, ownTurns: 1 })
    expect(after.messages).toBeGreaterThan(before.messages)
  })

  it('is put back with its fork when the fork needs its file', async () => {
    const [parent, child] = [placeParent(), placeChild()]
    placeGrandchild()
    await archive(parentId, childId)
    const bytes = readFileSync(parent)
    rmSync(parent)
    rmSync(child)
    expect((await catalog.putBackMissing(await sessionOf(grandchildId))).sort()).toEqual([parent, child].sort())
    expect(readFileSync(parent)).toEqual(bytes)
    expect(await catalog.putBackMissing(await sessionOf(grandchildId))).toEqual([])
    expect((await sessionOf(parentId)).state).toBe('present')
  })

  it('that its agent moved between two copies is one session when it is gone', async () => {
    const parent = placeParent()
    await archive(parentId)
    const moved = join(sandbox.home, '.codex', 'archived_sessions', basename(parent))
    mkdirSync(dirname(moved))
    renameSync(parent, moved)
    await archive(parentId)
    renameSync(moved, parent)
    appendFileSync(parent, '{"timestamp":"2026-11-15T12:00:00.000Z","type":"event_msg","payload":{"type":"token_count"}}\n')
    await archive(parentId)
    const bytes = readFileSync(parent)
    rmSync(parent)
    const gone = (await catalog.listSessions()).filter(({ id }) => id === parentId)
    expect(gone).toMatchObject([{ state: 'gone', path: parent, bytes: bytes.length }])
    expect(await catalog.putBackMissing(await sessionOf(parentId))).toEqual([parent])
    expect(readFileSync(parent)).toEqual(bytes)
    expect(existsSync(moved)).toBe(false)
  })

  it('is brought back with all of its files when it was rewound', async () => {
    const [parent, segment] = placeRewoundParent()
    const prompts = async () =>
      (await catalog.listTurns(await sessionOf(parentId), { deadBranches: true })).map(({ number, id }) => `${number} ${id}`)
    const before = await prompts()
    expect(before.map((each) => each.split(' ')[0])).toEqual(['1', 'null', 'null', 'null'])
    await archive(parentId)
    rmSync(segment)
    rmSync(parent)
    expect(await sessionOf(parentId)).toMatchObject({ state: 'gone', broken: null })
    expect(await prompts()).toEqual(before)
    const anew = sandbox.catalog({ folder: join(sandbox.root, 'other') })
    mkdirSync(join(sandbox.root, 'other'))
    renameSync(join(sandbox.offshootHome, 'archive'), join(sandbox.root, 'other', 'archive'))
    expect(await sessionOf(parentId, anew)).toMatchObject({ state: 'gone', broken: null, turns: 1 })
  })

  async function turnsOf(id: string): Promise<string[]> {
    const turns = await catalog.listTurns(await sessionOf(id), { deadBranches: true })
    return turns.map((turn) => `${turn.number} ${turn.id}`)
  }

  it('is put back with all of its files for a fork that needs only one of them', async () => {
    const files = placeRewoundParent()
    placeChild()
    await archive(parentId, childId)
    const before = await turnsOf(parentId)
    const bytes = files.map((path) => readFileSync(path))
    for (const path of files) rmSync(path)
    expect((await catalog.listMissing(await sessionOf(childId))).map(({ path }) => path).sort()).toEqual([...files].sort())
    expect((await catalog.putBackMissing(await sessionOf(childId))).sort()).toEqual([...files].sort())
    expect(files.map((path) => readFileSync(path))).toEqual(bytes)
    expect(await sessionOf(parentId)).toMatchObject({ state: 'present', broken: null, turns: 1 })
    expect(await turnsOf(parentId)).toEqual(before)
  })

  it.each([
    ['newer', 1],
    ['older', 0],
  ])('is read complete and marked as restorable while only its %s file is gone', async (_, index) => {
    const files = placeRewoundParent()
    placeChild()
    await archive(parentId, childId)
    const [before, text] = [await turnsOf(parentId), await readText(parentId)]
    const lost = files[index] ?? ''
    const bytes = readFileSync(lost)
    rmSync(lost)
    for (const at of [catalog, sandbox.catalog()]) {
      expect(await sessionOf(parentId, at)).toMatchObject({ state: 'gone', broken: null, turns: 1, path: files[1] })
    }
    expect(await turnsOf(parentId)).toEqual(before)
    expect(await readText(parentId)).toBe(text)
    expect(await sessionOf(childId)).toMatchObject({ broken: null, turns: 5 })
    expect((await catalog.listMissing(await sessionOf(parentId))).map(({ path }) => path)).toEqual([lost])
    expect(await catalog.putBackMissing(await sessionOf(parentId))).toEqual([lost])
    expect(readFileSync(lost)).toEqual(bytes)
    expect(await sessionOf(parentId)).toMatchObject({ state: 'present', broken: null, turns: 1 })
    expect(await turnsOf(parentId)).toEqual(before)
  })

  function damageCopy(home: string, path: string): void {
    const folder = join(home, 'archive', 'codex', parentId)
    const manifest = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8')) as Manifest
    const generation = manifest.files.find((file) => file.path === path)?.generations[0]
    for (const { sha256 } of generation?.segments ?? []) writeFileSync(join(folder, `${sha256}.gz`), gzipSync('something else'))
  }

  it('is not put back at all when the copy of one of its files is damaged', async () => {
    const files = placeRewoundParent()
    placeChild()
    await archive(parentId, childId)
    await sessionOf(childId)
    for (const path of files) rmSync(path)
    const child = await sessionOf(childId)
    damageCopy(sandbox.offshootHome, files[1])
    await expect(catalog.putBackMissing(child)).rejects.toThrow('damaged')
    expect(files.filter((path) => existsSync(path))).toEqual([])
    expect(readdirSync(dirname(files[0])).filter((name) => name.endsWith('.offshoot'))).toEqual([])
  })

  it('is incomplete, and doctor says so, while a file is gone and the copy of it is damaged', async () => {
    const files = placeRewoundParent()
    await archive(parentId)
    const other = join(sandbox.root, 'other')
    mkdirSync(other)
    renameSync(join(sandbox.offshootHome, 'archive'), join(other, 'archive'))
    damageCopy(other, files[1])
    const away = join(sandbox.root, 'away.jsonl')
    renameSync(files[1], away)
    const anew = sandbox.catalog({ folder: other })
    expect(await sessionOf(parentId, anew)).toMatchObject({ broken: expect.stringContaining('damaged'), path: files[1] })
    const history = (await anew.doctor()).find(({ id }) => id === 'codex.history')
    expect(history?.message).toContain(parentId)
    renameSync(away, files[1])
    expect(await sessionOf(parentId, anew)).toMatchObject({ state: 'present', broken: null, turns: 1 })
  })

  it('is complete when its agent has moved one of its files', async () => {
    const [older, newer] = placeRewoundParent()
    await archive(parentId)
    const moved = join(sandbox.home, '.codex', 'archived_sessions', basename(older))
    mkdirSync(dirname(moved))
    renameSync(older, moved)
    expect(await sessionOf(parentId)).toMatchObject({ state: 'present', path: newer, broken: null, turns: 1 })
    expect(await catalog.listMissing(await sessionOf(parentId))).toEqual([])
  })
})
