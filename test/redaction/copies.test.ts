// Every shape of secret through every copy that leaves the agent's own file.
import { mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Hono } from 'hono'
import { afterAll, expect, test } from 'vitest'
import type { Entry, SessionSummary } from '../../src/agents/reading.ts'
import { briefPrompt } from '../../src/capture/brief-prompt.ts'
import { commitMessage } from '../../src/capture/commit-message.ts'
import { cleanSummary } from '../../src/catalog/clean.ts'
import { redactEntries, redactHead } from '../../src/cli/redact-entries.ts'
import type { CatalogSession } from '../../src/model/catalog.ts'
import type { Message, Turn } from '../../src/model/session.ts'
import { createRedactor } from '../../src/redact/redact.ts'
import { type Shape, secretShapes } from '../../src/redact/shapes.testkit.ts'
import { collectMessage, prepareTurn } from '../../src/search/index/prepare.ts'
import { exportSession } from '../../src/search/qmd/export-session.ts'
import { createAnswer } from '../../src/server/api.ts'
import { safeText, safeValue } from '../../src/server/mcp/safe-text.ts'
import { createRunRedactor } from '../../src/server/redact-run.ts'
import { withoutSecrets } from '../../src/workers/told.ts'
import { removeFolder } from '../setup/remove-folder.ts'

const shapes = secretShapes('copies')
const redactor = createRedactor()
const folder = mkdtempSync(join(tmpdir(), 'offshoot-copies-'))
afterAll(() => removeFolder(folder))

/** Names of the shapes of which anything is left in the copy. */
async function leaks(copy: (shape: Shape) => Promise<string>, among = shapes): Promise<string[]> {
  const left: string[] = []
  for (const shape of among) {
    const text = (await copy(shape)).replaceAll(/\[redacted:[\w-]+\]/g, '')
    const pieces = Array.from({ length: shape.secret.length - 5 }, (_, at) => shape.secret.slice(at, at + 6))
    if (pieces.some((piece) => text.includes(piece))) left.push(shape.name)
  }
  return left
}

const message = (text: string): Message => ({ id: 'm', turnId: 't', role: 'assistant', text, at: null }) as unknown as Message
const turn = (prompt: string): Turn => ({ id: 't', number: 1, prompt, messages: 1 }) as unknown as Turn
const call = (text: string): Message =>
  ({
    ...message(''),
    role: 'tool',
    tool: { name: 'Bash', arguments: { command: text }, output: text, exitCode: 1 },
  }) as unknown as Message
async function* stream(...entries: Entry[]): AsyncGenerator<Entry> {
  yield* entries
}
/** Shapes of one line: names, titles and first lines have no other. */
const lines = shapes.filter(({ text }) => !text.includes('\n'))

test('answers over HTTP hold no secret, in texts and in JSON', async () => {
  const api = new Hono().post('/', async (context) => createAnswer(redactor)(context as never, await context.req.json(), 200))
  const ask = async (document: unknown) => (await api.request('/', { method: 'POST', body: JSON.stringify(document) })).text()
  expect(await leaks(({ text }) => ask({ messages: [{ text }], branch: text, cwd: text, input: text }))).toEqual([])
})

test('answers over MCP hold no secret', async () => {
  expect(await leaks(({ text }) => safeText(redactor, text))).toEqual([])
  expect(await leaks(async ({ text }) => JSON.stringify(await safeValue(redactor, { a: [text], b: { c: text } })))).toEqual([])
})

test('the search index holds no secret', async () => {
  const index = async (one: Message) => {
    const collected = { turnId: 't', cwd: null, pieces: [] }
    collectMessage(collected as never, one)
    return JSON.stringify(await prepareTurn(redactor, collected as never))
  }
  expect(await leaks(({ text }) => index(message(text)))).toEqual([])
  expect(await leaks(({ text }) => index(call(text)))).toEqual([])
})

test('exports for qmd hold no secret', async () => {
  const path = join(folder, 'export.md')
  const copy = async (text: string) => {
    const entries = stream(
      { kind: 'turn', turn: turn(text) },
      { kind: 'message', message: message(text) },
      { kind: 'message', message: call(text) },
    )
    await exportSession(path, { header: '', entries, skipTurns: 0 }, redactor)
    return readFileSync(path, 'utf8')
  }
  expect(await leaks(({ text }) => copy(text))).toEqual([])
})

test('exported documents hold no secret, in their head neither', async () => {
  const copy = async (text: string) => {
    const out: unknown[] = [await redactHead({ title: text, branch: text, cwd: text, broken: text } as CatalogSession, redactor)]
    const entries = stream({ kind: 'turn', turn: turn(text) }, { kind: 'message', message: call(text) })
    for await (const entry of redactEntries(entries, redactor)) out.push(entry)
    return JSON.stringify(out)
  }
  expect(await leaks(({ text }) => copy(text))).toEqual([])
})

test('captures and commit messages hold no secret', async () => {
  const named = { agent: 'claude', sessionId: 's', turnKey: 'k', turnId: null, turnNumber: 1 } as const
  expect(await leaks(async ({ text }) => commitMessage({ ...named, prompt: await briefPrompt(text) }).message)).toEqual([])
})

test('what is remembered of a worker holds no secret', async () => {
  expect(await leaks(({ text }) => withoutSecrets(text))).toEqual([])
})

test('the catalogue keeps no secret in titles, prompts and names of branches', async () => {
  const copy = async (text: string) => {
    const summary = {
      title: text,
      titleFrom: 'custom',
      branch: text,
      broken: text,
      cwd: null,
      turns: [turn(text)],
      deadTurns: [turn(text)],
      resume: { a: [text] },
    }
    return JSON.stringify(await cleanSummary(redactor, summary as unknown as SessionSummary))
  }
  expect(await leaks(({ text }) => copy(text))).toEqual([])
})

test('text of a running turn holds no secret, in whatever pieces it comes', async () => {
  const copy = async (text: string, length: number) => {
    const run = createRunRedactor(redactor)
    const out: unknown[] = []
    for (let at = 0; at < text.length; at += length)
      out.push(...(await run.push({ kind: 'text', delta: text.slice(at, at + length) } as never)))
    out.push(...(await run.flush()))
    return out.map((event) => (event as { delta: string }).delta).join('')
  }
  for (const length of [1, 7, 40]) {
    expect(await leaks(({ text }) => copy(`${text}\n`, length))).toEqual([])
    expect(await leaks(({ text }) => copy(text, length), lines)).toEqual([])
  }
})
