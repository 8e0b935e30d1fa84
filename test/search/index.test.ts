// The index follows the sessions: what grows, is rewound, forked, moved or deleted ends up as if it had been indexed just now.
import { appendFileSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { builtinAgents } from '../../src/agents/index.ts'
import { type App, createApp } from '../../src/app.ts'
import { createGiveWay } from '../../src/search/index/give-way.ts'
import { createSandbox, dumpIndex, type Sandbox, startAt } from './sandbox.ts'

let box: Sandbox
let app: App

beforeEach(() => {
  box = createSandbox()
  app = box.app()
})
afterEach(() => box.close())

const clean = { missingTerms: [], strayBlocks: [], missingBlocks: [] }

/** The index as it is, after showing that one built from nothing is the same. */
async function settled(): Promise<Record<string, unknown[]>> {
  await app.updateIndex()
  const incremental = dumpIndex(box)
  await app.rebuildIndex()
  expect(dumpIndex(box)).toEqual(incremental)
  expect(incremental).toMatchObject(clean)
  return incremental as Record<string, unknown[]>
}

async function find(text: string): Promise<string[]> {
  const { results } = await app.search({ text })
  return results.map(({ session, turn }) => `${session.id}@${turn?.number}`)
}

describe('a session that', () => {
  it('is new is found, and what did not change is not read again', async () => {
    const session = box.session(['How do zebras migrate?', 'And giraffes?'])
    expect(await app.updateIndex()).toMatchObject({ sessions: 1, chunks: 2, problems: [], busy: false })
    expect(await app.updateIndex()).toMatchObject({ sessions: 0, chunks: 0 })
    expect(await find('zebras')).toEqual([`${session.id}@1`])
    expect(await app.indexStatus()).toMatchObject({
      sessions: 1,
      indexedSessions: 1,
      turns: 2,
      complete: true,
      running: false,
      embedded: 1,
    })
  })

  it('grows adds its new turns only', async () => {
    const session = box.session(['zebra one', 'zebra two', 'zebra three'])
    await app.updateIndex()
    session.add('an okapi appears')
    const { chunks } = await app.updateIndex()
    expect(chunks).toBe(2) // the new one, and the last one before it, which may have changed
    expect(await find('okapi')).toEqual([`${session.id}@4`])
    await settled()
  })

  it('is written to while it is indexed catches up', async () => {
    const session = box.session(['first words'])
    await app.updateIndex()
    appendFileSync(session.path, '{"type":"user","message":{"role":"us')
    await app.updateIndex()
    rmSync(session.path)
    for (const line of session.lines) appendFileSync(session.path, `${JSON.stringify(line)}\n`)
    session.add('last words: ostrich')
    expect(await find('ostrich')).toEqual([`${session.id}@2`])
    await settled()
  })

  it('is rewound loses the turns it has no more', async () => {
    const session = box.session(['plan the walrus', 'build the walrus badly'])
    await app.updateIndex()
    const [first] = session.lines.filter(({ type }) => type === 'assistant')
    session.write({
      ...session.lines[2],
      uuid: 'b1b1b1b1-0000-4000-8000-000000000001',
      parentUuid: first?.uuid,
      message: { role: 'user', content: 'build the narwhal instead' },
    })
    session.write({
      ...session.lines[3],
      uuid: 'b1b1b1b1-0000-4000-8000-000000000002',
      parentUuid: 'b1b1b1b1-0000-4000-8000-000000000001',
    })
    expect(await find('narwhal')).toEqual([`${session.id}@2`])
    expect(await find('badly')).toEqual([])
    const { turns } = await settled()
    expect(turns).toHaveLength(2)
  })

  it('is forked is indexed once, at its origin', async () => {
    const parent = box.session(['inherited lemur question', 'inherited tapir question'])
    const child = box.session(['own ibex question'], { copied: parent.lines, at: startAt + 3_600_000 })
    await app.updateIndex()
    expect(await find('lemur')).toEqual([`${parent.id}@1`])
    expect(await find('ibex')).toEqual([`${child.id}@3`])
    const { turns } = await settled()
    expect(turns).toHaveLength(3)
  })

  it('is a fork nobody has prompted yet is found by its title, at the turn it was forked at', async () => {
    const parent = box.session(['inherited lemur question', 'inherited tapir question', 'later question'])
    const forkedFrom = ({ uuid }: { readonly uuid?: unknown }) => ({ forkedFrom: { sessionId: parent.id, messageUuid: uuid } })
    const copied = parent.lines.slice(0, 4).map((line) => ({ ...line, ...forkedFrom(line) }))
    const child = box.session([], { copied, at: startAt + 3_600_000 })
    child.write({ type: 'custom-title', customTitle: 'Fork about pangolins', sessionId: child.id })
    await app.updateIndex()
    expect(await find('pangolins')).toEqual([`${child.id}@2`])
  })

  it('is left behind by a fork whose parent is deleted keeps the prefix', async () => {
    const parent = box.session(['inherited lemur question'])
    const child = box.session(['own ibex question'], { copied: parent.lines, at: startAt + 3_600_000 })
    await app.updateIndex()
    rmSync(parent.path)
    const { results } = await app.search({ text: 'lemur' })
    expect(results.filter(({ canFork }) => canFork).map(({ session }) => session.id)).toEqual([child.id])
    expect(await find('lemur')).toEqual([`${child.id}@1`])
    await settled()
  })

  it('is deleted is gone from the index', async () => {
    const session = box.session(['about quokkas'])
    box.session(['about numbats'])
    await app.updateIndex()
    rmSync(session.path)
    expect(await app.updateIndex()).toMatchObject({ removed: 1 })
    expect(await find('quokkas')).toEqual([])
    const { sessions } = await settled()
    expect(sessions).toHaveLength(1)
  })

  it('moves keeps its place in the index', async () => {
    const session = box.session(['about pangolins'])
    await app.updateIndex()
    const folder = join(dirname(dirname(session.path)), '-elsewhere')
    mkdirSync(folder)
    renameSync(session.path, join(folder, `${session.id}.jsonl`))
    expect(await app.updateIndex()).toMatchObject({ removed: 0, chunks: 0 })
    expect(await find('pangolins')).toEqual([`${session.id}@1`])
    await settled()
  })

  it('is given a name is found by it, at its end', async () => {
    const session = box.session(['one', 'two'])
    await app.updateIndex()
    session.write({ type: 'custom-title', customTitle: 'The great aardvark hunt', sessionId: session.id })
    expect(await find('aardvark')).toEqual([`${session.id}@2`])
    await settled()
  })

  it('says nothing anyone could search for is no trouble', async () => {
    box.session(['', '   ', { prompt: '!!!', answer: '...' }])
    expect(await app.updateIndex()).toMatchObject({ problems: [] })
    await settled()
  })
})

it('survives the catalogue being emptied, without being built anew', async () => {
  box.session(['about echidnas'])
  await app.updateIndex()
  const before = dumpIndex(box)
  app.close()
  const { openDatabase } = await import('../../src/store/open.ts')
  const db = openDatabase(join(box.home, '.offshoot'))
  db.exec('DELETE FROM sessions')
  db.close()
  expect(await app.updateIndex()).toMatchObject({ chunks: 0 })
  expect(dumpIndex(box)).toEqual(before)
})

it('is told of as it goes on, and can be stopped and taken up again', async () => {
  for (let at = 0; at < 30; at += 1) box.session([`session ${at}`], { at: startAt + at * 60_000 })
  const stop = new AbortController()
  const seen: number[] = []
  const report = await app.updateIndex({
    signal: stop.signal,
    onProgress: ({ filesDone, files, bytes, bytesDone }) => {
      expect(files).toBe(30)
      expect(bytesDone).toBeLessThanOrEqual(bytes)
      seen.push(filesDone)
      stop.abort()
    },
  })
  expect(report).toMatchObject({ stopped: true })
  expect(report.sessions).toBeLessThan(30)
  expect(await app.indexStatus()).toMatchObject({ complete: false, indexedSessions: report.sessions })
  // The newest came first.
  expect((await app.search({ text: 'session 29' }, { updateMs: 0 })).results[0]?.session.title).toBe('session 29')
  expect((await app.updateIndex()).sessions).toBe(30 - report.sessions)
  expect(await app.indexStatus()).toMatchObject({ complete: true, indexedSessions: 30 })
  expect(seen.length).toBeGreaterThan(0)
  await settled()
})

it('is the same when threads prepare it', async () => {
  // Outputs are read but not indexed: much to read, little to compare.
  const noise = { name: 'Bash', input: { command: 'cat noise' }, output: 'noise\n'.repeat(700_000) }
  for (let at = 0; at < 6; at += 1) {
    box.session([{ prompt: `Look at thing${at}`, tools: [noise] }, `Mend thing${at}`], { at: startAt + at * 60_000 })
  }
  expect(await app.updateIndex()).toMatchObject({ sessions: 6, chunks: 12, problems: [] })
  const inThreads = dumpIndex(box)
  // Agents a thread cannot load are read here.
  const alone = createApp({
    home: box.home,
    vars: box.vars,
    cwd: box.root,
    now: () => startAt,
    agents: builtinAgents.map((agent) => ({ ...agent })),
  })
  await alone.rebuildIndex()
  expect(dumpIndex(box)).toEqual(inThreads)
  // Rests for a second when somebody searches, in threads and here, and loses nothing by it.
  for (const each of [app, alone]) {
    const giveWay = createGiveWay()
    const startedAt = performance.now()
    giveWay.asked()
    await each.rebuildIndex({ giveWay })
    expect(performance.now() - startedAt).toBeGreaterThan(990)
    expect(dumpIndex(box)).toEqual(inThreads)
  }
  alone.close()
  expect(await find('thing3')).toHaveLength(1)
})

describe("the user's words", () => {
  it('are found where they were typed while the agent worked, and beside a result', async () => {
    const session = box.session([])
    const operation = (name: string, more = {}) =>
      session.write({ type: 'queue-operation', operation: name, timestamp: new Date(startAt).toISOString(), ...more })
    session.add('plain question')
    operation('enqueue', { content: 'mind the axolotl' })
    operation('remove')
    session.add({ prompt: 'second question', tools: [{ name: 'Bash', input: { command: 'ls' } }] })
    const call = session.lines.findLast(({ type }) => type === 'assistant')
    const content = [
      { type: 'tool_result', tool_use_id: 'toolu_x', content: 'done' },
      { type: 'text', text: 'and the capybara' },
    ]
    session.write({ ...call, type: 'user', uuid: 'r-1', parentUuid: call?.uuid, message: { role: 'user', content } })
    await app.updateIndex()
    expect(await find('axolotl')).toEqual([`${session.id}@1`])
    expect(await find('capybara')).toEqual([`${session.id}@2`])
    const { results } = await app.search({ text: 'axolotl' })
    expect(results[0]?.snippet.text).toContain('mind the axolotl')
  })

  it('are all that is found and shown of a prompt', async () => {
    const session = box.session([
      '<ide_opened_file>The user opened the file /repo/wolverine.ts in the IDE.</ide_opened_file>\nrename the marmot flag',
      '<command-message>fix</command-message>\n<command-name>/fix</command-name>\n<command-args>the gecko</command-args>',
    ])
    const harness = '<teammate-message teammate_id="lead">\nlook at the narwhal\n</teammate-message>'
    session.add(harness)
    await app.updateIndex()
    expect(await find('wolverine')).toEqual([])
    expect(await find('narwhal')).toEqual([])
    const [marmot] = (await app.search({ text: 'marmot' })).results
    expect([marmot?.snippet.text, marmot?.session.title]).toEqual(['rename the marmot flag Done.', 'rename the marmot flag'])
    expect((await app.search({ text: 'gecko' })).results[0]?.snippet.text).toBe('/fix the gecko Done. Done.')
  })
})
