// How much of the context window a fork fills: what is known, what is assumed, and what each of them may stop.
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { codex } from '../../src/agents/codex/index.ts'
import type { FakeSession, Line } from '../../src/catalog/sandbox.testkit.ts'
import { createSandbox, type Sandbox } from './sandbox.ts'
import { type SeenSeed, seededClaude } from './seeded-claude.ts'

let sandbox: Sandbox
beforeEach(() => {
  sandbox = createSandbox()
})
afterEach(() => sandbox.close())

/** A prompt nobody has answered, of about as many tokens as words. */
function addUnanswered({ path, lines }: FakeSession, words: number): void {
  const { cwd, sessionId, version, gitBranch } = lines[0] ?? {}
  const base = { isSidechain: false, userType: 'external', cwd, sessionId, version, gitBranch }
  const message = { role: 'user', content: 'word '.repeat(words) }
  const place = { parentUuid: lines.at(-1)?.uuid, uuid: crypto.randomUUID(), timestamp: '2026-01-05T10:00:00.000Z' }
  const interrupted = { role: 'user', content: [{ type: 'text', text: '[Request interrupted by user]' }] }
  const end = { parentUuid: place.uuid, uuid: crypto.randomUUID(), timestamp: '2026-01-05T10:00:01.000Z' }
  appendFileSync(path, `${JSON.stringify({ ...base, type: 'user', message, ...place })}\n`)
  appendFileSync(path, `${JSON.stringify({ ...base, type: 'user', message: interrupted, ...end })}\n`)
}

function configure(text: string): void {
  mkdirSync(sandbox.offshootHome, { recursive: true })
  writeFileSync(join(sandbox.offshootHome, 'config.toml'), text)
}

const planOf = (source: FakeSession) => sandbox.app().planFork({ address: source.id, code: 'none' })

describe('a recorded context larger than the assumed window', () => {
  test('proves the larger window the model is known to have', async () => {
    const plan = await planOf(sandbox.session({ turns: 2, model: 'claude-sonnet-4-5', cachedTokens: 215_000 }))
    expect(plan.tokens).toEqual({
      estimate: 215_015,
      source: 'observed',
      contextWindow: 1_000_000,
      contextWindowSource: 'assumed',
      percent: 21.5,
    })
    expect(plan).toMatchObject({ confirm: [], blockers: [] })
  })

  test('leaves the window unknown where no larger one is known', async () => {
    const plan = await planOf(sandbox.session({ turns: 2, model: 'claude-haiku-4-5', cachedTokens: 215_000 }))
    expect(plan.tokens).toMatchObject({ contextWindow: null, contextWindowSource: null, percent: null })
    expect(plan).toMatchObject({ confirm: [], blockers: [] })
  })

  test('counts wherever in the session it was seen', async () => {
    const source = sandbox.session({ turns: 1, model: 'claude-sonnet-4-5' })
    const large = sandbox.session({ turns: 1, model: 'claude-sonnet-4-5', cachedTokens: 215_000, copied: source.lines })
    const plan = await sandbox.app().planFork({ address: large.id, at: '1', code: 'none' })
    expect(plan.tokens).toMatchObject({ estimate: 115, contextWindow: 1_000_000 })
  })

  test('does not overrule what the user set', async () => {
    configure('[models."claude-sonnet-4-5"]\ncontext_window = 200000\n')
    const plan = await planOf(sandbox.session({ turns: 1, model: 'claude-sonnet-4-5', cachedTokens: 215_000 }))
    expect(plan.tokens).toMatchObject({ contextWindow: 200_000, contextWindowSource: 'settings', percent: 107.5 })
    expect(plan.confirm).toEqual(['context_over'])
  })
})

describe('a last turn without a reply', () => {
  test('is the last recorded usage and an estimate of what came after', async () => {
    const source = sandbox.session({ turns: 2, cachedTokens: 150_000 })
    addUnanswered(source, 1000)
    const { tokens } = await planOf(source)
    expect(tokens).toMatchObject({ source: 'mixed' })
    expect(tokens.estimate).toBeGreaterThan(151_000)
    expect(tokens.estimate).toBeLessThan(151_300)
  })

  test('is estimated as a whole where nothing was recorded', async () => {
    const source = sandbox.session()
    addUnanswered({ ...source, lines: [{ cwd: sandbox.root, sessionId: source.id, version: '2.1.325' }] }, 1000)
    const { tokens } = await planOf(source)
    expect(tokens.source).toBe('tokenizer')
    expect(tokens.estimate).toBeGreaterThan(999)
    expect(tokens.estimate).toBeLessThan(1100)
  })

  test('is estimated as a whole where the context was compacted since', async () => {
    const source = sandbox.session({ turns: 2, cachedTokens: 150_000 })
    addUnanswered({ ...source, lines: [...source.lines, ...addCompaction(source)] }, 1000)
    const { tokens } = await planOf(source)
    expect(tokens.source).toBe('tokenizer')
    expect(tokens.estimate).toBeLessThan(2000)
  })

  test('inside a turn only what is kept is counted', async () => {
    const source = sandbox.session({ turns: 1, cachedTokens: 1000 })
    const call = addToolTurn(source)
    const { tokens } = await sandbox.app().planFork({ address: `${source.id}@m:${call}`, code: 'none' })
    expect(tokens.source).toBe('mixed')
    expect(tokens.estimate).toBeGreaterThan(1015)
    expect(tokens.estimate).toBeLessThan(1100)
  })
})

describe('over the window', () => {
  test('an assumed window never blocks a seed: it needs to be accepted', async () => {
    const seen: SeenSeed[] = []
    const source = sandbox.session({ turns: 1, model: 'claude-haiku-4-5' })
    addUnanswered(source, 205_000)
    const app = sandbox.app({ agents: [seededClaude(seen), codex] })
    const plan = await app.planFork({ address: source.id, strategy: 'seed', code: 'none' })
    expect(plan.tokens).toMatchObject({ contextWindow: 200_000, contextWindowSource: 'assumed' })
    expect(plan.blockers).toEqual([])
    expect(plan.confirm).toEqual(['context_over'])
    expect(plan.warnings.find(({ code }) => code === 'context_over')?.message).toContain('assumed')
    await expect(app.executeFork(plan)).rejects.toMatchObject({ code: 'confirm_needed' })
    await app.executeFork(plan, { accept: ['context_over'] })
    expect(seen).toHaveLength(1)
  })

  test('a window the user set blocks a seed', async () => {
    configure('[models."claude-opus-5-5"]\ncontext_window = 1000\n')
    const source = sandbox.session({ turns: 1 })
    addUnanswered(source, 2000)
    const plan = await sandbox
      .app({ agents: [seededClaude([]), codex] })
      .planFork({ address: source.id, strategy: 'seed', code: 'none' })
    expect(plan.blockers).toMatchObject([{ code: 'context_over' }])
  })

  test('an assumed window makes a copy a matter of acceptance too', async () => {
    const source = sandbox.session({ turns: 1, model: 'claude-haiku-4-5', cachedTokens: 150_000 })
    addUnanswered(source, 60_000)
    const plan = await planOf(source)
    expect(plan.tokens).toMatchObject({ contextWindow: 200_000, contextWindowSource: 'assumed' })
    expect(plan).toMatchObject({ blockers: [], confirm: ['context_over'] })
  })
})

/** The lines Claude writes for /compact; gives them. */
function addCompaction({ path, lines }: FakeSession): Line[] {
  const { cwd, sessionId, version, gitBranch } = lines[0] ?? {}
  const base = { isSidechain: false, userType: 'external', cwd, sessionId, version, gitBranch }
  const timestamp = '2026-01-05T09:59:00.000Z'
  const boundary = crypto.randomUUID()
  const added: Line[] = [
    {
      ...base,
      parentUuid: null,
      logicalParentUuid: lines.at(-1)?.uuid,
      type: 'system',
      subtype: 'compact_boundary',
      content: 'Conversation compacted',
      compactMetadata: { trigger: 'manual', preTokens: 150_000 },
      uuid: boundary,
      timestamp,
    },
    {
      ...base,
      parentUuid: boundary,
      type: 'user',
      isCompactSummary: true,
      isVisibleInTranscriptOnly: true,
      message: { role: 'user', content: 'This session is being continued. Summary: nothing much.' },
      uuid: crypto.randomUUID(),
      timestamp,
    },
  ]
  for (const line of added) appendFileSync(path, `${JSON.stringify(line)}\n`)
  return added
}

/** A prompt, a tool call with its result, a long answer with usage; gives the call's id. */
function addToolTurn({ path, lines }: FakeSession): string {
  const { cwd, sessionId, version, gitBranch } = lines[0] ?? {}
  const common = { isSidechain: false, userType: 'external', cwd, sessionId, version, gitBranch }
  const [prompt, call, result, answer] = Array.from({ length: 4 }, () => crypto.randomUUID())
  const usage = { input_tokens: 10, cache_read_input_tokens: 90_000, output_tokens: 5 }
  const reply = { type: 'message', role: 'assistant', model: 'claude-opus-5-5', usage }
  const use = { type: 'tool_use', id: 'toolu_01abc', name: 'Bash', input: { command: 'ls' } }
  const output = [{ type: 'tool_result', tool_use_id: 'toolu_01abc', content: 'a.txt' }]
  const all = [
    { parentUuid: lines.at(-1)?.uuid, uuid: prompt, type: 'user', message: { role: 'user', content: 'use a tool' } },
    {
      parentUuid: prompt,
      uuid: call,
      type: 'assistant',
      message: { ...reply, id: 'msg_1', content: [use], stop_reason: 'tool_use' },
    },
    { parentUuid: call, uuid: result, type: 'user', message: { role: 'user', content: output } },
    {
      parentUuid: result,
      uuid: answer,
      type: 'assistant',
      message: { ...reply, id: 'msg_2', content: [{ type: 'text', text: 'done' }], stop_reason: 'end_turn' },
    },
  ]
  const timestamp = '2026-01-05T10:00:00.000Z'
  for (const line of all) appendFileSync(path, `${JSON.stringify({ ...common, timestamp, ...line })}\n`)
  return 'toolu_01abc'
}
