// Indexing that is cut off, and indexing in several processes: the index must end up as if nothing had happened.
import { type ChildProcess, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { IndexReport } from '../../src/model/search.ts'
import { createSandbox, dumpIndex, type Sandbox, startAt } from './sandbox.ts'

let box: Sandbox
beforeEach(() => {
  box = createSandbox()
})
afterEach(() => box.close())

function start(): ChildProcess {
  const script = fileURLToPath(new URL('./index-child.ts', import.meta.url))
  return spawn(process.execPath, ['--import', 'tsx', script, box.home, box.root], { stdio: ['ignore', 'pipe', 'pipe', 'ipc'] })
}

async function finish(child: ChildProcess): Promise<IndexReport> {
  let [out, err] = ['', '']
  child.stdout?.on('data', (chunk) => {
    out += chunk
  })
  child.stderr?.on('data', (chunk) => {
    err += chunk
  })
  const status = await new Promise((resolve) => child.once('close', resolve))
  expect({ status, err }).toEqual({ status: 0, err: '' })
  return JSON.parse(out) as IndexReport
}

function makeSessions(from: number, count: number): void {
  for (let at = from; at < from + count; at += 1) {
    const long = (word: string) =>
      `${word}${at} is worked on at length. ${`It has a part${at % 7} and a plan${at % 11}. `.repeat(60)}`
    box.session(
      [
        { prompt: `Build thing${at}`, answer: long('thing') },
        { prompt: `Test thing${at}`, answer: long('test'), tools: [{ name: 'Edit', input: { file_path: `/p/thing${at}.ts` } }] },
      ],
      { at: startAt + at * 1000 },
    )
  }
}

/** Resolves when the child has said so many times how far it is, or has ended. */
function untilProgress(child: ChildProcess, times: number): Promise<void> {
  return new Promise((resolve) => {
    let seen = 0
    child.on('message', (message: { filesDone?: number }) => {
      if (message.filesDone !== undefined) seen += 1
      if (seen >= times) resolve()
    })
    child.once('exit', () => resolve())
  })
}

it('killed at twenty moments, then left to end: equal to an index built undisturbed', async () => {
  let made = 0
  let killed = 0
  // Where we were held up, one may have ended by itself: then there are more.
  for (let round = 0; round < 20 || (killed <= 10 && round < 60); round += 1) {
    makeSessions(made, 12)
    made += 12
    const child = start()
    const closed = new Promise((resolve) => child.once('close', resolve))
    // From the first moment to the last: some before anything is written, some after all of it.
    await (round % 4 === 0 ? new Promise((resolve) => child.once('message', resolve)) : untilProgress(child, 1))
    await new Promise((resolve) => setTimeout(resolve, (round * 37) % 120))
    if (child.exitCode === null && child.kill('SIGKILL')) killed += 1
    await closed
  }
  expect(killed).toBeGreaterThan(10)
  const app = box.app()
  const report = await app.updateIndex()
  expect(report).toMatchObject({ busy: false, problems: [] })
  expect(await app.indexStatus()).toMatchObject({ complete: true, indexedSessions: made, embedded: 1 })
  const disturbed = dumpIndex(box)
  await app.rebuildIndex()
  expect(disturbed).toEqual(dumpIndex(box))
  expect(disturbed).toMatchObject({ missingTerms: [], strayBlocks: [], missingBlocks: [] })
  expect((await app.search({ text: `thing${made - 1}` })).results[0]?.session.title).toBe(`Build thing${made - 1}`)
}, 300_000)

it('in four processes at once: one works, the others say so, all can search', async () => {
  makeSessions(0, 60)
  const reports = await Promise.all([start(), start(), start(), start()].map(finish))
  const working = reports.filter(({ busy }) => !busy)
  expect(working.length).toBeGreaterThan(0)
  expect(reports.every(({ problems }) => problems.length === 0)).toBe(true)
  expect(working.reduce((sum, { sessions }) => sum + sessions, 0)).toBe(60)
  const app = box.app()
  expect(await app.updateIndex()).toMatchObject({ sessions: 0, chunks: 0 })
  const together = dumpIndex(box)
  await app.rebuildIndex()
  expect(together).toEqual(dumpIndex(box))
})

it('answers while another process indexes, from what is there', async () => {
  makeSessions(0, 30)
  const app = box.app()
  await app.updateIndex()
  makeSessions(30, 200)
  const child = start()
  await untilProgress(child, 1)
  const { results, index } = await app.search({ text: 'thing7' }, { updateMs: 0 })
  expect(results[0]?.session.title).toBe('Build thing7')
  expect(index.indexedSessions).toBeGreaterThanOrEqual(30)
  await finish(child)
  const after = await app.search({ text: 'thing229' }, { updateMs: 0 })
  expect(after.results[0]?.session.title).toBe('Build thing229')
  expect(after.index).toMatchObject({ complete: true, indexedSessions: 230, running: false })
})
