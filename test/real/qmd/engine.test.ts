// The real qmd as search engine: exports, collections, search by an intent in plain words, and what changes afterwards. Offline,
// without its models.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { App } from '../../../src/app.ts'
import { sampleIds, writeSampleSessions } from '../../../src/cli/demo/sample-sessions.ts'
import type { QmdProgress } from '../../../src/model/qmd.ts'
import { renderSearch } from '../../../src/model/render-search.ts'
import { readHeader } from '../../../src/search/qmd/header.ts'
import { createSandbox, type Sandbox, startAt, type Transcript } from '../../search/sandbox.ts'
import { putQmdOnPath } from '../lib/qmd.ts'

let box: Sandbox
let app: App
let repository: string
let retry: Transcript
let exports: string

beforeAll(async () => {
  box = createSandbox()
  repository = box.repository('to-do')
  const { path } = putQmdOnPath(join(box.root, 'bin'))
  writeSampleSessions({
    claude: join(box.home, '.claude'),
    codex: join(box.home, '.codex'),
    repository,
    now: startAt + 86_400_000,
  })
  retry = box.session([
    { prompt: 'Payments fail when the gateway is slow.', answer: 'I added a retry with exponential backoff.' },
    { prompt: 'Log every attempt.', answer: 'Each attempt is logged.' },
  ])
  // Above our folder, as people have it for their notes: it must not take over.
  mkdirSync(join(box.home, '.qmd'))
  writeFileSync(join(box.home, '.qmd', 'index.yml'), 'collections: {}\n')
  app = box.app({ cwd: repository, vars: { ...box.vars, PATH: path } })
  exports = join(box.home, '.offshoot', 'index')
})
afterAll(() => box.close())

const markdown = () =>
  readdirSync(exports, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .sort()
const ask = (text: string, more = {}) => app.search({ text, engine: 'qmd', ...more })

describe('without collections', () => {
  it('tells what to do, and the latest sessions meanwhile', async () => {
    const { renderQmdGuidance } = await import('../../../src/model/qmd.ts')
    const error = await ask('retry', { repo: repository, agent: 'codex' }).catch((reason: unknown) => reason)
    expect(renderQmdGuidance(error)).toMatchObject({
      error: 'qmd_not_available',
      message: 'qmd has no collection codex-sessions.',
      next_steps: [expect.stringContaining('offshoot index'), expect.stringContaining('built-in engine')],
      fallback_sessions: [
        { session_id: sampleIds.storageFork, project_path: repository, agent_type: 'codex', last_modified: expect.any(String) },
        { session_id: sampleIds.storage, project_path: repository, agent_type: 'codex', last_modified: expect.any(String) },
      ],
    })
  })
})

describe('the pipeline', () => {
  it('exports every session and makes the collections', async () => {
    const steps: QmdProgress[] = []
    const report = await app.updateQmd({ onProgress: (progress) => steps.push(progress) })
    expect(report).toEqual({
      busy: false,
      stopped: false,
      exported: 5,
      removed: 0,
      added: ['claude-sessions', 'codex-sessions'],
      updated: false,
      embedded: false,
      problems: [],
    })
    expect(steps.map(({ step }) => step)).toContain('collections')
    expect(steps.filter(({ step }) => step === 'export').at(-1)).toEqual({ step: 'export', done: 5, total: 5 })
    expect(markdown().filter((name) => name.startsWith('codex/'))).toHaveLength(2)
    expect(existsSync(join(box.home, '.qmd', 'index.sqlite'))).toBe(false)
    expect(existsSync(join(box.home, '.cache', 'qmd', 'index.sqlite'))).toBe(false)
  })

  it('writes heads that can be read back, and nothing twice that a fork shares with its parent', () => {
    const file = (id: string) => markdown().find((name) => name.endsWith(`/${id}.md`)) ?? ''
    const text = (id: string) => readFileSync(join(exports, file(id)), 'utf8')
    expect(readHeader(text(sampleIds.naturalDates))).toMatchObject({
      sessionId: sampleIds.naturalDates,
      workingDirectory: repository,
      repoRoot: repository,
      agent: 'claude',
      title: 'Due dates in plain words',
      parent: expect.stringContaining(`claude:${sampleIds.dueDates}@`),
    })
    expect(text(sampleIds.naturalDates)).not.toContain('Give every task a due date.\n')
    expect(text(sampleIds.naturalDates)).toContain('in two weeks')
    expect(text(sampleIds.storage)).toContain('Nowhere yet')
    expect(text(sampleIds.storageFork)).not.toContain('Nowhere yet')
    expect(statSync(join(exports, file(retry.id))).mode & 0o777).toBe(0o600)
  })

  it('leaves alone what has not changed', async () => {
    expect(await app.updateQmd()).toMatchObject({ exported: 0, removed: 0, added: [], updated: true, problems: [] })
  })
})

describe('an intent', () => {
  it('finds its session by some of its words, with the turn that fits and how qmd was asked', async () => {
    const answer = await ask('make the payment gateway robust: retry with some backoff please, dragons')
    expect(answer).toMatchObject({ engine: 'qmd', mode: 'search', notes: [] })
    expect(answer.qmdError).toContain('the model for embedding and query expansion is not on this machine')
    expect(answer.results[0]).toMatchObject({
      rank: 1,
      score: 1,
      session: { id: retry.id, agent: 'claude' },
      turn: { number: 1 },
      canFork: true,
      sourcePath: expect.stringMatching(/\.offshoot\/index\/claude\/.*\.md$/),
    })
    expect(renderSearch(answer).results[0]).toMatchObject({ session_id: retry.id, jsonl_path: retry.path, can_fork: true })
  })

  it('is put to both agents at once, or to one', async () => {
    const agents = async (more = {}) => [
      ...new Set((await ask('list of tasks stored in a file', more)).results.map(({ session }) => session.agent)),
    ]
    expect((await agents()).sort()).toEqual(['claude', 'codex'])
    expect(await agents({ agent: 'codex' })).toEqual(['codex'])
    expect(await agents({ agent: 'claude' })).toEqual(['claude'])
  })

  it('keeps to the repository, the filters and the threshold', async () => {
    expect((await ask('gateway retry', { repo: repository })).results).toEqual([])
    expect((await ask('due date -sorted')).results.map(({ session }) => session.id)).not.toContain(sampleIds.dueDates)
    expect((await ask('the list', { minScore: 0.9 })).results).toHaveLength(1)
    expect((await ask('zyxwvut')).notes).toEqual(['No session fits.'])
  })

  it('may hold anything', async () => {
    for (const text of [
      '-- --help',
      '!?',
      '"unclosed',
      'lex: x\nvec: y',
      "it's 100% (broken) [now]; DROP TABLE",
      '/a/b.ts:12',
      'été 日本語',
    ]) {
      expect((await ask(text)).engine).toBe('qmd')
    }
  })

  it('without words is left to the built-in engine', async () => {
    expect(await ask('agent:codex')).toMatchObject({ engine: 'builtin', mode: 'recent' })
  })
})

describe('what happens afterwards', () => {
  it('a session that goes on is found by what is new', async () => {
    retry.add({ prompt: 'Make the pelican configurable.', answer: 'The pelican has a setting now.' })
    expect(await app.updateQmd()).toMatchObject({ exported: 1, removed: 0, updated: true })
    expect((await ask('pelican')).results[0]).toMatchObject({ session: { id: retry.id }, turn: { number: 3 } })
  })

  it('a session that is gone is named, cannot be forked, and leaves with the next update', async () => {
    const gone = box.session([{ prompt: 'Paint the albatross', answer: 'The albatross is blue.' }])
    await app.updateQmd()
    rmSync(gone.path)
    const { results } = await ask('albatross')
    expect(results).toMatchObject([{ session: { id: gone.id, state: 'gone' }, turn: null, canFork: false }])
    expect(results[0]?.warning).toContain('gone')
    expect((await ask('albatross', { repo: repository })).results).toEqual([])
    writeFileSync(join(exports, 'claude', 'mine.md'), '# Notes of my own\n')
    expect(await app.updateQmd()).toMatchObject({ removed: 1 })
    expect((await ask('albatross')).results).toEqual([])
    expect(existsSync(join(exports, 'claude', 'mine.md'))).toBe(true)
  })

  it("a collection of the person's own is searched where it is, and its sessions are known by their heads", async () => {
    const notes = join(box.root, 'notes')
    mkdirSync(notes)
    writeFileSync(join(notes, 'a.md'), `# Kept\n\n**Session ID:** ${retry.id}\n**Agent:** Claude\n\n## User\n\nostrich farm\n`)
    writeFileSync(join(notes, 'b.md'), '# Lost\n\nSession ID: 0d9b1c2e\nAgent: codex\n\n## User\n\nostrich egg\n')
    const { createQmd } = await import('../../../src/search/qmd/program.ts')
    const vars = {
      ...box.vars,
      PATH: putQmdOnPath(join(box.root, 'bin')).path,
      INDEX_PATH: join(box.root, 'own.sqlite'),
      QMD_CONFIG_DIR: join(box.root, 'own'),
    }
    rmSync(join(box.home, '.qmd'), { recursive: true })
    const qmd = createQmd({ env: { home: box.home, vars }, folder: join(box.home, '.offshoot') })
    const added = await qmd.run(['collection', 'add', notes, '--name', 'my-notes'], { timeoutMs: 60_000, index: 'theirs' })
    expect(added.exitCode).toBe(0)
    const own = box.app({ cwd: repository, vars })
    const { results } = await own.search({ text: 'ostrich', collection: 'my-notes' })
    expect(results.map(({ session, canFork }) => [session.id, canFork]).sort()).toEqual(
      [
        ['0d9b1c2e', false],
        [retry.id, true],
      ].sort(),
    )
    const error = await own.search({ text: 'ostrich', collection: 'nobodys' }).catch((reason: unknown) => reason)
    expect(error).toMatchObject({ code: 'qmd_not_available', message: 'qmd has no collection nobodys.' })
  })
})
