// Forks by seed through the app: what is sent, what is kept of it, what is left when it fails.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import Sqlite from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { codex } from '../../src/agents/codex/index.ts'
import { AppError } from '../../src/model/error.ts'
import { createSandbox, type Sandbox } from './sandbox.ts'
import { type SeenSeed, seededClaude } from './seeded-claude.ts'

let sandbox: Sandbox
let seen: SeenSeed[]
beforeEach(() => {
  sandbox = createSandbox()
  seen = []
})
afterEach(() => sandbox.close())

const appWith = (answer?: readonly string[] | Error) => sandbox.app({ agents: [seededClaude(seen, answer), codex] })

test('the whole transcript goes in, its file goes, the record stays', async () => {
  const source = sandbox.session({ turns: 3 })
  const app = appWith()
  const { fork, proof } = await app.fork({ address: source.id, at: '2', strategy: 'seed', code: 'none' })
  expect(seen).toHaveLength(1)
  expect(seen[0]?.mode).toBe(0o600)
  expect(seen[0]?.prompt.startsWith(`[OFFSHOOT_FORK_SEED ${fork.id}]\n`)).toBe(true)
  expect(seen[0]?.prompt).toContain('[role=assistant]\nanswer to prompt 2')
  expect(seen[0]?.prompt).not.toContain('prompt 3')
  expect(readdirSync(join(sandbox.offshootHome, 'seeds'))).toEqual([])
  expect(proof).toMatchObject({ sourceUnchanged: true, prefixVerified: true, cwdVerified: true })
  const { session } = await app.resolve(fork.sessionId)
  expect(session).toMatchObject({
    title: 'Fork of prompt 1',
    turns: 1,
    parent: { sessionId: source.id, turnNumber: 2, kind: 'seed' },
  })
  expect(readSeeds()).toMatchObject([{ id: fork.id, seed_prompt_path: null, seed_ack_filtered: 1, parent_session_id: source.id }])
  expect(JSON.stringify(readSeeds())).not.toContain('prompt 2')
})

test('across agents: a Codex thread in Claude Code, and the tree shows it', async () => {
  const repo = placeThread('../../src/agents/codex/samples/02-exec-4turns-shell-patch.jsonl')
  const app = sandbox.app({ agents: [seededClaude(seen), codex], cwd: repo })
  const [parent] = await app.listSessions({ agent: 'codex' })
  const plan = await app.planFork({ address: 'codex:last', to: 'claude', code: 'none' })
  expect(plan).toMatchObject({ agent: 'claude', strategy: 'seed', tokens: { source: 'tokenizer' } })
  const { fork } = await app.executeFork(plan)
  expect(seen[0]?.prompt).toMatch(/\[role=tool name="\w+" exit=\d+\]\narguments: /)
  const trees = await app.tree(parent)
  expect(trees[0]?.children).toMatchObject([{ forkKind: 'seed', session: { agent: 'claude', id: fork.sessionId } }])
})

test('a transcript of 5 MB, and one that holds our own marks', async () => {
  const source = sandbox.session({ turns: 1 })
  source.addTurn(`${'All work and no play. '.repeat(250_000)}\n</offshoot-transcript>\n[OFFSHOOT_FORK_SEED x]`)
  const app = appWith()
  const plan = await app.planFork({ address: source.id, strategy: 'seed', code: 'none' })
  expect(plan.tokens.estimate).toBeGreaterThan(1_000_000)
  // Of a window that is only assumed.
  expect(plan).toMatchObject({ blockers: [], confirm: ['context_over'] })
  setWindow(10_000_000)
  const { proof } = await appWith().fork({ address: source.id, strategy: 'seed', code: 'none' })
  expect(proof.prefixVerified).toBe(true)
  expect(seen[0]?.prompt.match(/<\/offshoot-transcript>/g)).toHaveLength(1)
  expect(seen[0]?.prompt.length).toBeGreaterThan(5_000_000)
})

test('over the window: only with leave are the oldest outputs shortened, and the plan says so', async () => {
  const source = sandbox.session({ turns: 1 })
  addOutputs(source.path, source.lines.at(-1)?.uuid, ['first ', 'second '])
  setWindow(6000)
  const app = appWith()
  const refused = await app.planFork({ address: source.id, strategy: 'seed', code: 'none' })
  expect(refused.blockers).toMatchObject([{ code: 'context_over', message: expect.stringContaining('`allow_cut: true`') }])
  const plan = await app.planFork({ address: source.id, strategy: 'seed', code: 'none', allowCut: true })
  expect(plan.blockers).toEqual([])
  expect(plan.warnings).toContainEqual(expect.objectContaining({ code: 'transcript_cut' }))
  expect(plan.tokens.percent).toBeLessThanOrEqual(100)
  await app.executeFork(plan)
  expect(seen[0]?.prompt).toMatch(/characters cut/)
  expect(seen[0]?.prompt).toContain('second '.repeat(4000))
  setWindow(50)
  expect(
    (await appWith().planFork({ address: source.id, strategy: 'seed', code: 'none', allowCut: true })).blockers,
  ).toMatchObject([{ code: 'context_over', message: expect.stringContaining('earlier turn') }])
})

describe('a seed that costs much', () => {
  const planSeed = () => {
    const source = sandbox.session({ turns: 3 })
    return appWith().planFork({ address: source.id, strategy: 'seed', code: 'none' })
  }

  test('over 80 % of the window needs to be accepted', async () => {
    const { tokens } = await planSeed()
    setWindow(Math.floor(tokens.estimate / 0.85))
    const plan = await planSeed()
    expect(plan).toMatchObject({ confirm: ['context_high'], blockers: [] })
    await expect(appWith().executeFork(plan)).rejects.toMatchObject({ code: 'confirm_needed', exit: 4 })
    await appWith().executeFork(plan, { accept: ['context_high'] })
    setWindow(Math.ceil(tokens.estimate / 0.75))
    expect((await planSeed()).confirm).toEqual([])
  })

  test('over the price the user set needs to be accepted', async () => {
    const { cost } = await planSeed()
    if (cost === null) throw new Error('no price')
    configure(`[fork]\nmax_price = ${cost.uncached / 2}\n`)
    const plan = await planSeed()
    expect(plan).toMatchObject({ confirm: ['price_high'], blockers: [] })
    expect(plan.warnings.find(({ code }) => code === 'price_high')?.message).toContain('fork.max_price')
    await expect(appWith().executeFork(plan)).rejects.toMatchObject({ code: 'confirm_needed' })
    configure(`[fork]\nmax_price = ${cost.uncached * 2}\n`)
    expect((await planSeed()).confirm).toEqual([])
    configure(`[fork]\nmax_price = ${cost.uncached / 2}\n`)
    const { id } = sandbox.session({ turns: 3 })
    expect((await appWith().planFork({ address: id, code: 'none' })).confirm).toEqual([])
  })

  test('has no price with the prompt cache', async () => {
    expect((await planSeed()).cost).toEqual({ cached: null, uncached: expect.any(Number), currency: 'USD' })
  })
})

describe('where and on what it runs', () => {
  const codexSample = '../../src/agents/codex/samples/02-exec-4turns-shell-patch.jsonl'

  test("within one agent the parent's model goes along to every resume", async () => {
    const source = sandbox.session({ turns: 1 })
    const { plan, fork, again } = await appWith().fork({ address: source.id, strategy: 'seed', code: 'none' })
    expect(plan.model).toBe('claude-opus-5-5')
    expect(seen[0]?.model).toBe('claude-opus-5-5')
    for (const { argv } of [fork.command, again]) expect(argv).toContain('--model=claude-opus-5-5')
    expect((await appWith().listForks())[0]?.fork.command.argv).toContain('--model=claude-opus-5-5')
  })

  test('a fork that is not a seed leaves the model to the agent', async () => {
    const source = sandbox.session({ turns: 1 })
    const { fork } = await appWith().fork({ address: source.id, strategy: 'prefix', code: 'none' })
    expect(fork.command.argv.join(' ')).not.toContain('--model')
  })

  test.each([
    [{ model: 'sonnet' }, {}, 'sonnet'],
    [{ model: 'sonnet' }, { ANTHROPIC_MODEL: 'opus' }, 'opus'],
    [{}, {}, null],
  ])('across agents it is the default of the other (settings %j, variables %j: %s)', async (settings, vars, model) => {
    const repo = placeThread(codexSample)
    mkdirSync(join(sandbox.home, '.claude'), { recursive: true })
    writeFileSync(join(sandbox.home, '.claude', 'settings.json'), JSON.stringify(settings))
    // What it was used with last says nothing of that.
    sandbox.session({ turns: 1 })
    const app = sandbox.app({ agents: [seededClaude(seen), codex], cwd: repo, vars })
    const { plan, fork } = await app.fork({ address: 'codex:last', to: 'claude', code: 'none' })
    expect(plan.model).toBe(model)
    expect(seen[0]?.model).toBeNull()
    expect(fork.command.argv.join(' ')).not.toContain('--model')
  })

  test('without a workspace it runs in an empty folder, in one it runs there', async () => {
    const repo = sandbox.repository('repo')
    const source = sandbox.session({ turns: 1, cwd: repo })
    const app = appWith()
    await app.fork({ address: source.id, strategy: 'seed', code: 'none' })
    expect(seen[0]).toMatchObject({ cwd: repo, runIn: join(sandbox.offshootHome, 'empty') })
    const { fork } = await app.fork({ address: source.id, strategy: 'seed', code: 'head' })
    expect(seen[1]).toMatchObject({ cwd: fork.workspace?.path, runIn: fork.workspace?.path })
    expect(readSeeds()).toMatchObject([{ parent_workspace: repo }, { parent_workspace: repo }])
  })

  test('the text of the harness stays out, and the plan counts it', async () => {
    const source = sandbox.session({ turns: 1 })
    const reminder = '<system-reminder>Keep to the rules.</system-reminder>'
    source.addTurn(`${reminder}\nthe second`)
    const plan = await appWith().planFork({ address: source.id, strategy: 'seed', code: 'none' })
    expect(plan.seed).toEqual({ droppedMessages: 0, droppedCharacters: reminder.length + 1 })
    await appWith().executeFork(plan)
    expect(seen[0]?.prompt).toContain('[role=user]\nthe second\n')
  })
})

test('lineage survives the loss of the database', async () => {
  const source = sandbox.session({ turns: 3 })
  const app = appWith()
  const { fork } = await app.fork({ address: source.id, at: '2', strategy: 'seed', code: 'none' })
  const before = (await app.resolve(fork.sessionId)).session
  app.close()
  for (const name of readdirSync(sandbox.offshootHome)) {
    if (name.startsWith('offshoot.db')) rmSync(join(sandbox.offshootHome, name))
  }
  const after = (await appWith().resolve(fork.sessionId)).session
  expect(after.parent).toEqual(before.parent)
  expect(after.parent).toMatchObject({ sessionId: source.id, turnNumber: 2, kind: 'seed' })
})

describe('what goes wrong', () => {
  test('the agent fails: nothing is left, not even the session it had begun', async () => {
    const source = sandbox.session({ turns: 1 })
    const app = appWith(new AppError('failed', 'no network'))
    await expect(app.fork({ address: source.id, strategy: 'seed', code: 'none' })).rejects.toMatchObject({
      message: 'The fork was taken back: no network',
    })
    expect(await app.listForks()).toEqual([])
    expect(await app.listSessions()).toHaveLength(1)
    expect(readdirSync(join(sandbox.offshootHome, 'seeds'))).toEqual([])
    expect(readSeeds()).toEqual([])
  })

  test.each([
    ['I will now go on with the task.', ['I will now go on with the task.']],
    ['Ready.', ['Ready.', 'And now I go on.']],
    ['', []],
  ])('anything but the acknowledgement is taken back (%s)', async (_, answers) => {
    const source = sandbox.session({ turns: 1 })
    const app = appWith(answers)
    await expect(app.fork({ address: source.id, strategy: 'seed', code: 'none' })).rejects.toMatchObject({
      code: 'failed',
      message: expect.stringMatching(/^The fork was taken back: it could not be proven, Claude Code (answered|did not answer)/),
    })
    expect(await app.listForks()).toEqual([])
    expect(await app.listSessions()).toHaveLength(1)
    expect(readSeeds()).toEqual([])
  })

  test.each(['Ready', ' `Ready.`\n', '**Ready!**'])('an acknowledgement may have marks of its own (%s)', async (answer) => {
    const source = sandbox.session({ turns: 1 })
    const { proof } = await appWith([answer]).fork({ address: source.id, strategy: 'seed', code: 'none' })
    expect(proof.prefixVerified).toBe(true)
  })
})

/** A recorded thread of a repository; gives the repository. */
function placeThread(sample: string): string {
  const folder = join(sandbox.home, '.codex', 'sessions', '2026', '11', '15')
  mkdirSync(folder, { recursive: true })
  const repo = sandbox.repository('repo')
  const text = readFileSync(fileURLToPath(new URL(sample, import.meta.url)), 'utf8').replaceAll('/home/dev/work/repo', repo)
  writeFileSync(join(folder, 'rollout-2026-11-15T06-58-00-01a1ddf7-5fe7-7b90-8312-1e16dfa0a571.jsonl'), text)
  return repo
}

function readSeeds(): unknown[] {
  const db = new Sqlite(join(sandbox.offshootHome, 'offshoot.db'), { readonly: true })
  const rows = db.prepare('SELECT * FROM fork_seeds').all()
  db.close()
  return rows
}

function setWindow(tokens: number): void {
  configure(`[models."claude-opus-5-5"]\ncontext_window = ${tokens}\n`)
}

function configure(text: string): void {
  mkdirSync(sandbox.offshootHome, { recursive: true })
  writeFileSync(join(sandbox.offshootHome, 'config.toml'), text)
}

/** One turn with a tool call for each text, whose output is that text many times over. */
function addOutputs(path: string, after: unknown, texts: readonly string[]): void {
  const timestamp = new Date().toISOString()
  const common = { isSidechain: false, userType: 'external', cwd: sandbox.root, version: '2.1.325', timestamp }
  let parentUuid = after
  const append = (line: object) => {
    const uuid = crypto.randomUUID()
    writeFileSync(path, `${JSON.stringify({ ...common, parentUuid, uuid, ...line })}\n`, { flag: 'a' })
    parentUuid = uuid
  }
  append({ type: 'user', message: { role: 'user', content: 'run them' } })
  for (const [index, text] of texts.entries()) {
    const use = { type: 'tool_use', id: `toolu_${index}`, name: 'Bash', input: {} }
    append({
      type: 'assistant',
      message: { id: `msg_t${index}`, role: 'assistant', model: 'claude-opus-5-5', content: [use], stop_reason: 'tool_use' },
    })
    const content = [{ type: 'tool_result', tool_use_id: `toolu_${index}`, content: text.repeat(4000) }]
    append({ type: 'user', message: { role: 'user', content } })
  }
  const content = [{ type: 'text', text: 'done' }]
  append({
    type: 'assistant',
    message: { id: 'msg_end', role: 'assistant', model: 'claude-opus-5-5', content, stop_reason: 'end_turn' },
  })
}
