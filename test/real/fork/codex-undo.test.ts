// Codex forks refer to their parent's file instead of copying it. Removing one that others build on would leave them without
// their history, so `undo` refuses that, forced or not. Judged by what the API gets when a descendant is resumed.
import { existsSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { execFork, execNew, execResume } from '../codex/exec.ts'
import { type AppBench, createAppBench } from './app-bench.ts'

let bench: AppBench
beforeAll(async () => {
  bench = await createAppBench('2.1.325', '0.166.0')
})
afterAll(() => bench.dispose())

/** The prompts the model is sent when this thread goes on. */
async function promptsSent(id: string, prompt: string): Promise<string[]> {
  await execResume(bench.codex, id, prompt)
  const { input = [] } = bench.codex.api.requestsOf(id).at(-1) ?? {}
  const texts = input.flatMap(({ content }) => (Array.isArray(content) ? content : []))
  return texts.flatMap(({ text }: { text?: unknown }) => (typeof text === 'string' && text.startsWith('say ') ? [text] : []))
}

async function talk(): Promise<string> {
  const id = await execNew(bench.codex, 'say one')
  await execResume(bench.codex, id, 'say two')
  return id
}

const forkOf = async (address: string, at?: string) =>
  (await bench.app.fork({ address, code: 'none', ...(at === undefined ? {} : { at }) })).fork

test('a fork that others build on is not removed, and they can be resumed', { timeout: 120_000 }, async () => {
  const source = await talk()
  const fork = await forkOf(source)
  await execResume(bench.codex, fork.sessionId, 'say three')
  const child = await forkOf(fork.sessionId)
  await execResume(bench.codex, child.sessionId, 'say four')
  const grandchild = await execFork(bench.codex, child.sessionId)

  const refused = await bench.app.undo(fork.id, { force: true }).then(
    () => null,
    (error: unknown) => error,
  )
  expect(refused).toMatchObject({
    code: 'fork_needed',
    exit: 4,
    message: expect.stringContaining(`codex:${child.sessionId}`),
    details: { descendants: expect.arrayContaining([{ agent: 'codex', session_id: child.sessionId, title: child.title }]) },
  })
  expect(String(refused)).toContain(`codex:${grandchild}`)
  expect(existsSync(fork.file ?? '')).toBe(true)
  expect(await promptsSent(child.sessionId, 'say five')).toEqual(['say one', 'say two', 'say three', 'say four', 'say five'])
  expect(await promptsSent(grandchild, 'say six')).toEqual(['say one', 'say two', 'say three', 'say four', 'say six'])
})

test('once nothing builds on it any more it is removed, and its source goes on', { timeout: 120_000 }, async () => {
  const source = await talk()
  const fork = await forkOf(source)
  await execResume(bench.codex, fork.sessionId, 'say three')
  const child = await forkOf(fork.sessionId)
  await expect(bench.app.undo(fork.id)).rejects.toMatchObject({ code: 'fork_needed' })
  await bench.app.undo(child.id)
  expect(await bench.app.undo(fork.id, { force: true })).toMatchObject({ undone: true })
  expect(existsSync(fork.file ?? '')).toBe(false)
  expect(await promptsSent(source, 'say on')).toEqual(['say one', 'say two', 'say on'])
})

test('a fork at an inherited turn does not need the one it was made from', { timeout: 120_000 }, async () => {
  const source = await talk()
  const fork = await forkOf(source)
  await execResume(bench.codex, fork.sessionId, 'say three')
  const beside = await forkOf(fork.sessionId, '1')
  expect(await bench.app.undo(fork.id, { force: true })).toMatchObject({ undone: true })
  expect(await promptsSent(beside.sessionId, 'say else')).toEqual(['say one', 'say else'])
})
