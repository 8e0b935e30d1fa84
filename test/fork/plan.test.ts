// What a plan says, and when it refuses. Real readers, real git; nothing is ever written by planning.
import { appendFileSync, copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { holdSession } from '../../src/agents/claude/registry.testkit.ts'
import type { Line } from '../../src/catalog/sandbox.testkit.ts'
import type { CatalogSession } from '../../src/model/catalog.ts'
import { createSandbox, type Sandbox } from './sandbox.ts'

let sandbox: Sandbox
beforeEach(() => {
  sandbox = createSandbox()
})
afterEach(() => sandbox.close())

test('the title in the plan is the title of the fork, though an earlier fork was renamed', async () => {
  const { id } = sandbox.session({ turns: 1 })
  const app = sandbox.app()
  const { fork: earlier } = await app.fork({ address: id, code: 'none' })
  const line = { type: 'custom-title', customTitle: 'Something else', sessionId: earlier.sessionId }
  appendFileSync(earlier.file ?? '', `${JSON.stringify(line)}\n`)
  await app.refresh()
  const plan = await app.planFork({ address: id, code: 'none' })
  expect((await app.executeFork(plan)).fork.title).toBe(plan.title)
})

test('to send needs a prompt: one that is given, or that of the turn behind the cut', async () => {
  const { id } = sandbox.session({ turns: 2 })
  const app = sandbox.app()
  await expect(app.planFork({ address: id, code: 'none', send: true })).rejects.toMatchObject({ code: 'usage' })
  expect(await app.planFork({ address: id, code: 'none', send: true, prompt: 'Go on' })).toMatchObject({ send: true })
  expect(await app.planFork({ address: id, code: 'none', send: true, before: '2' })).toMatchObject({ pendingPrompt: 'prompt 2' })
})

describe('where the child ends', () => {
  test('the tip when nothing is named', async () => {
    const { id } = sandbox.session({ turns: 3 })
    const plan = await sandbox.app().planFork({ address: id, code: 'none' })
    expect(plan).toMatchObject({ cut: { kind: 'tip' }, keptTurns: 3, droppedTurns: 0, turn: { number: 3 } })
  })

  test('before a turn: the one before it, with its prompt as the pending one', async () => {
    const { id } = sandbox.session({ turns: 3 })
    const app = sandbox.app()
    const plan = await app.planFork({ address: id, before: '3', code: 'none' })
    expect(plan).toMatchObject({ cut: { kind: 'turn' }, keptTurns: 2, droppedTurns: 1, pendingPrompt: 'prompt 3' })
    const first = await app.planFork({ address: id, before: '1', code: 'none' })
    expect(first).toMatchObject({ cut: { kind: 'start' }, keptTurns: 0, turn: null, pendingPrompt: 'prompt 1' })
    expect((await app.planFork({ address: id, before: '2', prompt: 'other', code: 'none' })).pendingPrompt).toBe('other')
  })

  test('at a message that is a prompt: just before it', async () => {
    const source = sandbox.session({ turns: 2 })
    const turnId = source.addTurn('the third')
    const plan = await sandbox.app().planFork({ address: `${source.id}@m:${turnId}`, code: 'none' })
    expect(plan).toMatchObject({ keptTurns: 2, pendingPrompt: 'the third', turn: { number: 2 } })
  })

  test('at an answer: the whole turn, not a cut in its middle', async () => {
    const source = sandbox.session({ turns: 2 })
    const answer = String(source.lines[1]?.uuid)
    const plan = await sandbox.app().planFork({ address: `${source.id}@m:${answer}`, code: 'none' })
    expect(plan.cut).toEqual({ kind: 'turn', turnId: source.lines[0]?.uuid })
    expect(plan.warnings.map(({ code }) => code)).not.toContain('mid_turn')
  })

  test('in the middle of a turn, said as a warning', async () => {
    const source = sandbox.session({ turns: 1 })
    const call = addToolTurn(source.path, source.lines)
    const plan = await sandbox.app().planFork({ address: `${source.id}@m:${call}`, code: 'none' })
    expect(plan.cut).toEqual({ kind: 'message', messageId: call })
    expect(plan.warnings.map(({ code }) => code)).toContain('mid_turn')
  })

  test('at words the user wrote beside a result: with that result', async () => {
    const source = sandbox.session({ turns: 1 })
    addToolTurn(source.path, source.lines, { type: 'text', text: 'and test it' })
    const app = sandbox.app()
    const { messages } = await app.readTurns((await app.listSessions())[0] as CatalogSession, { last: 1 })
    const words = messages.find(({ text }) => text === 'and test it')
    const plan = await app.planFork({ address: `${source.id}@m:${words?.id}`, code: 'none' })
    expect(plan.cut).toEqual({ kind: 'message', messageId: words?.id })
    expect(plan).not.toHaveProperty('pendingPrompt')
  })

  test('at a prompt typed while the agent worked: just before it', async () => {
    const source = sandbox.session({ turns: 1 })
    const note = { type: 'queue-operation', timestamp: '2026-01-01T00:00:00.000Z', sessionId: source.id }
    addToolTurn(source.path, source.lines)
    const lines = readFileSync(source.path, 'utf8').trimEnd().split('\n')
    const queued = [
      { ...note, operation: 'enqueue', content: 'and be quick' },
      { ...note, operation: 'remove' },
    ]
    lines.splice(-1, 0, ...queued.map((line) => JSON.stringify(line)))
    writeFileSync(source.path, `${lines.join('\n')}\n`)
    const id = `queued-${Date.parse(note.timestamp)}`
    const plan = await sandbox.app().planFork({ address: `${source.id}@m:${id}`, code: 'none' })
    expect(plan).toMatchObject({ cut: { kind: 'message', messageId: 'toolu_01abc' }, pendingPrompt: 'and be quick' })
  })

  test.each([
    ['2.1.197', 'b7e0a86a-9503-4232-961a-52f107a187a7'],
    ['2.1.325', '2bd9789a-393e-4587-b031-5022e045c45f'],
  ])(
    'at an answer that only a compaction follows (%s): not in the middle, and what it leaves out is said',
    async (version, id) => {
      const sample = new URL(`../../src/agents/claude/samples/interactive-branch-compact-${version}.jsonl`, import.meta.url)
      mkdirSync(join(sandbox.projects, 'p'), { recursive: true })
      copyFileSync(sample, join(sandbox.projects, 'p', `${id}.jsonl`))
      const app = sandbox.app()
      const [session] = await app.listSessions()
      if (session === undefined) throw new Error('not listed')
      const { messages } = await app.readTurns(session, { last: 1 })
      const answer = messages.findLast(({ role, text }) => role === 'assistant' && text !== '')
      expect(messages.slice(messages.findIndex(({ id }) => id === answer?.id)).map(({ role }) => role)).toContain('summary')
      const address = `${session.agent}:${session.id}@m:`
      const plan = await app.planFork({ address: `${address}${answer?.id}`, code: 'none' })
      expect(plan.cut).toEqual({ kind: 'message', messageId: answer?.id })
      expect(plan.warnings.map(({ code }) => code)).not.toContain('mid_turn')
      expect(plan.warnings.map(({ code }) => code)).toContain('compaction_crossed')
      const call = messages.find(({ role }) => role === 'tool')
      if (call === undefined) return
      const middle = await app.planFork({ address: `${address}${call.id}`, code: 'none' })
      expect(middle.warnings.map(({ code }) => code)).toContain('mid_turn')
    },
  )

  test.each([
    [[], ['compaction_crossed']],
    [['<bash-input>echo sum > sum.txt</bash-input>', '<bash-stdout></bash-stdout><bash-stderr></bash-stderr>'], []],
  ])('at a turn that a compaction and %j follow: warns of %j', async (commands, expected) => {
    const source = sandbox.session({ turns: 1 })
    const [first, last] = [source.lines[0], source.lines.at(-1)]
    const { cwd, sessionId, version } = source.lines[0] ?? {}
    const summary = { isCompactSummary: true, isVisibleInTranscriptOnly: true }
    let parentUuid: string | null = null
    const add = (fields: object) => {
      const uuid = crypto.randomUUID()
      const line = {
        isSidechain: false,
        cwd,
        sessionId,
        version,
        parentUuid,
        uuid,
        timestamp: '2026-01-05T09:59:00.000Z',
        ...fields,
      }
      appendFileSync(source.path, `${JSON.stringify(line)}\n`)
      parentUuid = uuid
    }
    const say = (content: string, more = {}) => add({ type: 'user', message: { role: 'user', content }, ...more })
    add({ type: 'system', subtype: 'compact_boundary', logicalParentUuid: last?.uuid, compactMetadata: { trigger: 'manual' } })
    say('This session is being continued. Summary: little.', summary)
    for (const command of commands) say(command)
    say('go on')
    const plan = await sandbox.app().planFork({ address: source.id, at: String(first?.uuid), code: 'none' })
    expect(plan.warnings.map(({ code }) => code)).toEqual(expected)
  })

  test('at the last turn, which is not the last one written: that is said', async () => {
    const source = sandbox.session({ turns: 2 })
    const [first, second] = source.lines.filter(({ type }) => type === 'user').map(({ uuid }) => String(uuid))
    const app = sandbox.app()
    const codesOf = async () => (await app.planFork({ address: source.id, code: 'none' })).warnings
    expect(await codesOf()).toEqual([])
    const chosen = { type: 'last-prompt', leafUuid: source.lines[1]?.uuid, explicit: true, sessionId: source.id }
    appendFileSync(source.path, `${JSON.stringify(chosen)}\n`)
    const plan = await app.planFork({ address: source.id, at: 'last', code: 'none' })
    expect(plan).toMatchObject({ cut: { kind: 'tip' }, turn: { id: first } })
    expect(plan.warnings).toEqual([{ code: 'newer_turns', message: expect.stringContaining(`claude:${source.id}@${second}`) }])
    const atFirst = await app.planFork({ address: source.id, at: second ?? '', code: 'none' })
    expect(atFirst.warnings).toEqual([])
  })

  test('on a dead branch, by id only', async () => {
    const source = sandbox.session({ turns: 1 })
    const dead = source.addTurn('dead end')
    rewind(source.path, source.lines, String(source.lines[1]?.uuid), 'taken instead')
    const app = sandbox.app()
    const plan = await app.planFork({ address: source.id, at: dead, code: 'none' })
    expect(plan).toMatchObject({ cut: { kind: 'turn', turnId: dead }, keptTurns: 2, droppedTurns: 1, turn: { number: null } })
    const before = await app.planFork({ address: source.id, before: dead, code: 'none' })
    expect(before).toMatchObject({ keptTurns: 1, pendingPrompt: 'dead end', turn: { number: 1 } })
  })

  test.each([
    [{ at: '9' }, 'turn_not_found'],
    [{ at: 'ffffffff-0000' }, 'turn_not_found'],
    [{ at: 'm:nothing-like-it' }, 'message_not_found'],
    [{ before: '0' }, 'turn_not_found'],
    [{ at: '1', before: '2' }, 'usage'],
    [{ before: 'm:x123' }, 'usage'],
  ])('%j is refused: %s', async (named, code) => {
    const { id } = sandbox.session({ turns: 2 })
    await expect(sandbox.app().planFork({ address: id, ...named, code: 'none' })).rejects.toMatchObject({ code })
    await expect(sandbox.app().planFork({ address: `${id}@1`, at: '2' })).rejects.toMatchObject({ code: 'usage' })
  })
})

describe('a running turn', () => {
  test('is refused with the nearest finished one; earlier turns may be forked', async () => {
    const source = sandbox.session({ turns: 2 })
    openPrompt(source.path, source.lines)
    holdSession(sandbox.home, source.id)
    const app = sandbox.app()
    const plan = await app.planFork({ address: source.id, code: 'none' })
    expect(plan.blockers).toMatchObject([{ code: 'turn_running' }])
    expect(plan.blockers[0]?.message).toContain(`claude:${source.id}@2`)
    await expect(app.executeFork(plan)).rejects.toMatchObject({ code: 'busy', exit: 4 })
    expect((await app.fork({ address: source.id, at: '2', code: 'none' })).proof.prefixVerified).toBe(true)
  })
})

describe('tokens and price', () => {
  test('what the agent recorded for the turn comes first', async () => {
    const { id } = sandbox.session({ turns: 2 })
    const plan = await sandbox.app().planFork({ address: id, code: 'none' })
    // input 10 + cache read 100 + output 5, as the last request of the turn reports; $4 and $0.40 per million.
    const window = { contextWindow: 1_000_000, contextWindowSource: 'assumed', percent: 0 }
    expect(plan.tokens).toEqual({ estimate: 115, source: 'observed', ...window })
    expect(plan.cost).toEqual({ cached: 0, uncached: 0.0005, currency: 'USD' })
  })

  test('the person overrides the tables; a high share is a warning, over it needs a yes', async () => {
    const { id } = sandbox.session({ turns: 1 })
    mkdirSync(sandbox.offshootHome, { recursive: true })
    const config = (window: number) =>
      writeFileSync(
        join(sandbox.offshootHome, 'config.toml'),
        `[models."claude-opus-5-5"]\ncontext_window = ${window}\ninput = 1000.0\n`,
      )
    config(140)
    const high = await sandbox.app().planFork({ address: id, code: 'none' })
    expect(high.tokens).toMatchObject({ contextWindow: 140, percent: 82.1 })
    expect(high.warnings.map(({ code }) => code)).toContain('context_high')
    expect(high.cost).toMatchObject({ uncached: 0.115 })
    config(100)
    const app = sandbox.app()
    const over = await app.planFork({ address: id, code: 'none' })
    expect(over.confirm).toEqual(['context_over'])
    await expect(app.executeFork(over)).rejects.toMatchObject({ code: 'confirm_needed', httpStatus: 409 })
    expect((await app.executeFork(over, { accept: ['context_over'] })).proof.sourceUnchanged).toBe(true)
  })
})

describe('the code', () => {
  test('no repository: in place only', async () => {
    const { id } = sandbox.session({ turns: 1 })
    const app = sandbox.app()
    const plan = await app.planFork({ address: id })
    expect(plan.blockers).toMatchObject([{ code: 'no_git' }])
    await expect(app.executeFork(plan)).rejects.toMatchObject({
      code: 'repo_not_found',
      hint: expect.stringContaining('`code: "none"`'),
    })
    await expect(app.planFork({ address: id, code: 'none', branch: 'x' })).rejects.toMatchObject({ code: 'usage' })
  })

  test('a snapshot that was not taken is a blocker', async () => {
    const { id } = sandbox.session({ cwd: sandbox.repository('repo'), turns: 1 })
    expect((await sandbox.app().planFork({ address: id, code: 'turn' })).blockers).toMatchObject([{ code: 'code_unavailable' }])
  })

  test("the work tree one stands in counts, if it is of the session's repository", async () => {
    const repo = sandbox.repository('repo')
    const other = sandbox.repository('other')
    const here = join(sandbox.root, 'here')
    sandbox.git(repo, 'worktree', 'add', '-q', here)
    writeFileSync(join(here, 'new.txt'), 'new')
    const { id } = sandbox.session({ cwd: repo, turns: 1 })
    const plan = await sandbox.app({ cwd: here }).planFork({ address: id })
    expect(plan.code.untracked).toEqual(['new.txt'])
    expect(plan.warnings.map(({ code }) => code)).toContain('code_elsewhere')
    expect(plan.confirm).toEqual(['dirty'])
    const away = await sandbox.app({ cwd: other }).planFork({ address: id })
    expect(away.code.untracked).toEqual([])
    expect(away.warnings.map(({ code }) => code)).not.toContain('code_elsewhere')
  })

  test("the session's folder is gone: a blocker, unless one stands in its repository", async () => {
    const repo = sandbox.repository('repo')
    const tree = join(sandbox.root, 'tree')
    sandbox.git(repo, 'worktree', 'add', '-q', tree)
    const { id } = sandbox.session({ cwd: tree, turns: 1 })
    await sandbox.app().refresh()
    sandbox.git(repo, 'worktree', 'remove', tree)
    expect((await sandbox.app().planFork({ address: id })).blockers).toMatchObject([{ code: 'no_work_tree' }])
    expect((await sandbox.app().planFork({ address: id, code: 'none' })).blockers).toMatchObject([{ code: 'cwd_missing' }])
    expect((await sandbox.app({ cwd: repo }).planFork({ address: id })).blockers).toEqual([])
    const inPlace = await sandbox.app({ cwd: repo }).planFork({ address: id, code: 'none' })
    expect(inPlace).toMatchObject({ blockers: [], cwd: repo, warnings: [{ code: 'code_elsewhere' }] })
  })

  test('a session that names no folder is forked where one stands', async () => {
    const repo = sandbox.repository('repo')
    const source = sandbox.session({ turns: 1 })
    const text = readFileSync(source.path, 'utf8').replace(/"cwd":"[^"]*",/g, '')
    writeFileSync(source.path, text)
    const app = sandbox.app({ cwd: repo })
    const plan = await app.planFork({ address: source.id, code: 'none' })
    expect(plan).toMatchObject({ cwd: repo, blockers: [], warnings: [{ code: 'code_elsewhere' }] })
    expect((await app.executeFork(plan)).proof).toMatchObject({ prefixVerified: true, cwdVerified: true })
  })

  test('a branch that cannot be made is refused', async () => {
    const repo = sandbox.repository('repo')
    const { id } = sandbox.session({ cwd: repo, turns: 1 })
    const app = sandbox.app({ cwd: repo })
    await expect(app.planFork({ address: id, branch: 'a..b' })).rejects.toMatchObject({ code: 'usage' })
    await expect(app.planFork({ address: id, branch: 'main' })).rejects.toMatchObject({ code: 'branch_taken' })
  })
})

test('planning writes nothing but the catalogue', async () => {
  const repo = sandbox.repository('repo')
  const { id } = sandbox.session({ cwd: repo, turns: 1 })
  const app = sandbox.app({ cwd: repo })
  await app.refresh()
  const before = readdirSync(sandbox.root, { recursive: true }).sort()
  await app.planFork({ address: id })
  expect(readdirSync(sandbox.root, { recursive: true }).sort()).toEqual(before)
})

test('a way of forking that was asked for and cannot be is a blocker, not another way', async () => {
  const { id } = sandbox.session({ turns: 2 })
  const plan = await sandbox.app().planFork({ address: id, at: '1', strategy: 'native', code: 'none' })
  expect(plan).toMatchObject({ strategy: 'native', blockers: [{ code: 'strategy_impossible' }] })
})

test('a seed needs the agent it is for', async () => {
  const { id } = sandbox.session({ turns: 1 })
  const empty = join(sandbox.root, 'empty')
  mkdirSync(empty)
  const plan = await sandbox.app({ vars: { PATH: empty } }).planFork({ address: id, to: 'codex', code: 'none' })
  expect(plan).toMatchObject({ agent: 'codex', strategy: 'seed', blockers: [{ code: 'no_agent' }] })
  rmSync(empty, { recursive: true })
})

function base(lines: readonly Line[]): Line {
  const { cwd, sessionId, version, gitBranch } = lines[0] ?? {}
  return { isSidechain: false, userType: 'external', cwd, sessionId, version, gitBranch }
}

function append(path: string, line: Line): void {
  appendFileSync(path, `${JSON.stringify(line)}\n`)
}

function openPrompt(path: string, lines: readonly Line[]): void {
  const line = { ...base(lines), parentUuid: lines.at(-1)?.uuid, type: 'user', message: { role: 'user', content: 'open' } }
  append(path, { ...line, uuid: crypto.randomUUID(), timestamp: new Date().toISOString() })
}

function rewind(path: string, lines: readonly Line[], parentUuid: string, prompt: string): void {
  const uuid = crypto.randomUUID()
  const timestamp = new Date().toISOString()
  append(path, { ...base(lines), parentUuid, type: 'user', message: { role: 'user', content: prompt }, uuid, timestamp })
  const message = {
    id: 'msg_x',
    type: 'message',
    role: 'assistant',
    model: 'm',
    content: [{ type: 'text', text: 'yes' }],
    stop_reason: 'end_turn',
  }
  append(path, { ...base(lines), parentUuid: uuid, type: 'assistant', message, uuid: crypto.randomUUID(), timestamp })
}

/** A prompt, a tool call with its result, an answer; gives the call's id. */
function addToolTurn(path: string, lines: readonly Line[], ...beside: readonly Line[]): string {
  const [prompt, call, result, answer] = Array.from({ length: 4 }, () => crypto.randomUUID())
  const timestamp = new Date().toISOString()
  const common = { ...base(lines), timestamp }
  append(path, {
    ...common,
    parentUuid: lines.at(-1)?.uuid,
    type: 'user',
    message: { role: 'user', content: 'use a tool' },
    uuid: prompt,
  })
  const use = { type: 'tool_use', id: 'toolu_01abc', name: 'Bash', input: { command: 'ls' } }
  const message = { id: 'msg_1', type: 'message', role: 'assistant', model: 'm', content: [use], stop_reason: 'tool_use' }
  append(path, { ...common, parentUuid: prompt, type: 'assistant', message, uuid: call })
  const content = [{ type: 'tool_result', tool_use_id: 'toolu_01abc', content: 'a.txt' }, ...beside]
  append(path, { ...common, parentUuid: call, type: 'user', message: { role: 'user', content }, uuid: result })
  const text = {
    id: 'msg_2',
    type: 'message',
    role: 'assistant',
    model: 'm',
    content: [{ type: 'text', text: 'done' }],
    stop_reason: 'end_turn',
  }
  append(path, { ...common, parentUuid: result, type: 'assistant', message: text, uuid: answer })
  return 'toolu_01abc'
}
