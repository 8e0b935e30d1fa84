// search, smart-fork and index as processes: what a person reads, what a program gets, and what happens when nothing fits.
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { createClaudeTranscript } from '../../src/cli/demo/claude-transcript.ts'
import { sampleIds } from '../../src/cli/demo/sample-sessions.ts'
import { indexOn } from '../../src/cli/indexing/index-on.ts'
import { recordContext } from '../../src/cli/test-output.testkit.ts'
import { waitUntil } from '../real/lib/wait.ts'
import { bin, createFixture, type Fixture } from './run-cli.ts'

const zebraId = 'e5cade00-0000-4000-8000-000000000001'
const giraffeId = 'f00dcafe-0000-4000-8000-000000000001'

let home: Fixture
beforeAll(async () => {
  home = await createFixture()
})
afterAll(() => home.remove())

interface ResultJson {
  readonly rank: number
  readonly score: number
  readonly session_id: string
  readonly turn: string
  readonly snippet: string
}
interface AnswerJson {
  readonly query: string
  readonly engine: string
  readonly results: readonly ResultJson[]
  readonly index: { readonly complete: boolean }
}
interface ErrorJson {
  readonly error: { readonly code: string; readonly message: string; readonly hint: string; readonly details?: unknown }
}

const forks = async () =>
  (await home.json<{ sessions: { title: string }[] }>(['sessions', '--json'])).sessions.filter(({ title }) =>
    title.startsWith('Fork of'),
  ).length

describe('search', () => {
  test('finds the session and the turn, with an address that can be pasted', async () => {
    const { stdout, stderr, status } = await home.run(['search', 'let', 'people', 'type', 'tomorrow'])
    expect({ stderr, status }).toEqual({ stderr: '', status: 0 })
    const [first, second, third] = stdout.split('\n')
    expect(first).toMatch(/^0\.\d\d {2}Due dates in plain words$/)
    expect(second).toBe('      claude:b7c41d02@2 · 1d ago · todo')
    expect(third).toContain('Let people write "tomorrow"')
    expect((await home.run(['show', 'claude:b7c41d02@2'])).stdout).toContain('tomorrow')
  })

  test('what a program gets', async () => {
    const answer = await home.json<AnswerJson>(['search', 'store it in a plain file', '-n', '1', '--json'])
    const path = expect.stringContaining(sampleIds.storageFork)
    expect(answer).toEqual({
      query: 'store it in a plain file',
      engine: 'builtin',
      mode: 'hybrid',
      results: [
        {
          rank: 1,
          score: expect.any(Number),
          session_id: sampleIds.storageFork,
          agent_type: 'codex',
          title: 'Where is the list stored?',
          working_directory: home.repository,
          repo_root: home.repository,
          date: expect.stringMatching(/^\d{4}-.*Z$/),
          turn: `codex:${sampleIds.storageFork}@2`,
          snippet: expect.stringContaining('Store it in a plain file instead.'),
          snippet_marks: expect.arrayContaining([[0, 5]]),
          source_path: path,
          jsonl_path: path,
          can_fork: true,
        },
      ],
      index: expect.objectContaining({ complete: true, sessions: 4 }),
    })
  })

  test('colour marks what matched, and only where it is wanted', async () => {
    const args = ['search', 'tomorrow']
    const colored = await home.run(args, { env: { FORCE_COLOR: '1' } })
    expect(colored.stdout).toContain('\u001b[33mtomorrow\u001b')
    const plain = await home.run(args, { env: { FORCE_COLOR: '1', NO_COLOR: '1' } })
    expect(plain.stdout).not.toContain('\u001b')
    expect(plain.stdout).toContain('tomorrow')
  })

  test('--explain says where a score comes from', async () => {
    const { stdout } = await home.run(['search', 'plain file', '--explain'])
    expect(stdout).toMatch(/words 0\.\d\d \+ .*repository 0\.\d\d/)
    expect(stdout).toMatch(/has: .*file/)
    const { results } = await home.json<{ results: { explain: { parts: object } }[] }>(['search', 'tests', '--explain', '--json'])
    expect(results[0]?.explain.parts).toMatchObject({ words: expect.any(Number), meaning: expect.any(Number) })
  })

  test('by file, from any folder of the repository and by its whole path', async () => {
    mkdirSync(join(home.repository, 'sub'), { recursive: true })
    for (const [cwd, file] of [
      [home.repository, 'todo.mjs'],
      [join(home.repository, 'sub'), '../todo.mjs'],
      [home.home, join(home.repository, 'todo.mjs')],
    ] as const) {
      const { stdout } = await home.run(['search', '--file', file], { cwd })
      expect(stdout).toContain('claude:60309e1e@1 · 1d ago · todo · edited it')
    }
  })

  test('filters, by flag and by word; a word leaves out; quotes must stand there', async () => {
    const ids = async (...args: string[]) =>
      (await home.json<AnswerJson>(['search', '--json', ...args])).results.map(({ session_id }) => session_id)
    expect(await ids('list', '--agent', 'claude')).not.toContain(sampleIds.storage)
    expect(await ids('list agent:codex')).toContain(sampleIds.storage)
    expect(await ids('due date')).toContain(sampleIds.naturalDates)
    expect(await ids('due date -tomorrow')).not.toContain(sampleIds.naturalDates)
    expect(await ids('--', 'due date', '-tomorrow')).not.toContain(sampleIds.naturalDates)
    expect(await ids('"in two weeks"')).toEqual([sampleIds.naturalDates])
    expect(await ids('list repo:elsewhere')).toEqual([])
    expect(await ids('store it in a plain file', '--min-score', '0.99')).toEqual([])
  })

  test('a filter that is none is pointed out, a bad value refused in words', async () => {
    expect((await home.run(['search', 'list agnt:codex'])).stderr).toContain('Did you mean agent:codex?')
    expect((await home.run(['search', 'list before:sometime'])).stderr).toContain('before:sometime is no date')
    const dash = await home.run(['search', 'list', '-oauth'])
    expect(dash.status).toBe(2)
    expect(dash.stderr).toContain("hint: To leave a word out, quote the intent ('login -oauth')")
    expect((await home.run(['search', 'list', '--jsno'])).stderr).toContain('Did you mean --json?')
  })

  test('nothing fits: said, with what to try', async () => {
    const none = await home.run(['search', 'kubernetes', 'ingress', 'certificates'])
    expect({ stdout: none.stdout, status: none.status }).toEqual({ stdout: '', status: 0 })
    expect(none.stderr).toContain('No session is about this.\nTry other words')
    const elsewhere = await home.run(['search', 'store it in a plain file', '--agent', 'claude', '--min-score', '0.6'])
    expect(elsewhere.stderr).toContain('With both agents (without --agent): 1 found')
    const json = await home.json<AnswerJson>(['search', 'kubernetes', 'ingress', 'certificates', '--json'])
    expect(json).toMatchObject({ results: [], index: { complete: true }, notes: ['No session is about this.'] })
  })

  test('in another repository: --all finds it, and is named where it would', async () => {
    const other = join(home.home, 'other')
    mkdirSync(join(other, '.git'), { recursive: true })
    writeFileSync(join(other, '.git', 'HEAD'), 'ref: refs/heads/main\n')
    for (const folder of ['objects', 'refs']) mkdirSync(join(other, '.git', folder))
    const here = await home.run(['search', 'store it in a plain file'], { cwd: other })
    expect(here.stderr).toMatch(/With --all: \d found, the best with a score of 0\.\d\d\./)
    const all = await home.run(['search', '--all', 'store it in a plain file'], { cwd: other })
    expect(all.stdout).toContain('codex:019a8513-77c0@2')
    const named = await home.run(['search', 'store it in a plain file repo:todo'], { cwd: other })
    expect(named.stdout).toContain('codex:019a8513-77c0@2')
  })

  test.each([
    [['search'], 2, 'Search for what?'],
    [['search', 'x', '--min-score', '2'], 2, 'Give a number from 0 to 1.'],
    [['search', 'x', '-n', 'many'], 2, 'Give a whole number'],
    [['search', 'x', '--engine', 'google'], 2, 'Allowed choices are builtin, qmd.'],
    [['search', 'x', '--repo', '/'], 3, '/ is not in a git repository.'],
    [['search', '-i'], 2, 'needs a terminal'],
    [['search', 'x', '-i', '--json'], 2, 'does not go with -i'],
  ])('%j: status %d', async (args, status, message) => {
    const run = await home.run(args)
    expect(run.status).toBe(status)
    expect(`${run.stdout}${run.stderr}`).toContain(message)
  })

  test('qmd that is not there: what to do and the newest sessions, also for programs', async () => {
    const env = { PATH: '/nowhere' }
    const args = ['search', 'list', '--engine', 'qmd']
    const told = await home.run(args, { env })
    expect(told.status).toBe(1)
    expect(told.stderr).toContain('The newest sessions here:')
    const { error } = await home.json<ErrorJson>([...args, '--json'], { env })
    expect(error).toMatchObject({
      code: 'qmd_not_available',
      details: { next_steps: expect.any(Array), fallback_sessions: expect.any(Array) },
    })
    const few = await home.json<ErrorJson>([...args, '-n', '1', '--json'], { env })
    expect(few.error).toMatchObject({ details: { fallback_sessions: [expect.anything()] } })
    const set = await home.run(['search', 'list'], { env: { ...env, OFFSHOOT_SEARCH_ENGINE: 'qmd' } })
    expect(set.status).toBe(1)
  })

  test('nothing of a transcript reaches the terminal raw', async () => {
    const session = createClaudeTranscript({ sessionId: zebraId, cwd: home.repository, startedAt: Date.now() - 9e6 })
    session.prompt('zebra \u001b]0;owned\u0007\u001b[2J stripes \u009b5n \u202egnp')
    session.say('black \u001b[31mand white')
    session.write(home.vars.CLAUDE_CONFIG_DIR ?? '')
    const { stdout, stderr } = await home.run(['search', 'zebra stripes', '--explain'])
    expect(stdout).toContain(`claude:${zebraId.slice(0, 8)}@1`)
    expect(stdout + stderr).not.toMatch(/[^\P{Cc}\n]|\u202e/u)
  })
})

describe('smart-fork', () => {
  test('takes the best where it is clearly ahead, and says both halves in one document', async () => {
    const before = await forks()
    const answer = await home.json<AnswerJson & { forked_session: Record<string, unknown> }>([
      'smart-fork',
      'store it in a plain file',
      '--yes',
      '--json',
      '--code',
      'none',
    ])
    expect(answer).toMatchObject({
      query: 'store it in a plain file',
      engine: 'builtin',
      forked_session: {
        session_name: 'Fork of Where is the list stored?',
        session_id: expect.any(String),
        resume_session_id: sampleIds.storageFork,
        workspace: null,
        branch: null,
        plan: { kept_turns: 2 },
        proof: { source_unchanged: true },
      },
    })
    expect(await forks()).toBe(before + 1)
    await home.run(['undo'])
  })

  test('--dry-run shows the plan, flags of fork hold, --at names another turn', async () => {
    const args = ['smart-fork', 'store it in a plain file', '--dry-run', '--code', 'none']
    const { stdout, status } = await home.run([...args, '--title', 'Mine'])
    expect(status).toBe(0)
    expect(stdout).toMatch(/^Mine\n[\s\S]*turns +2 kept, 0 dropped/)
    const { plan } = await home.json<{ plan: { kept_turns: number } }>([...args, '--at', '1', '--json'])
    expect(plan.kept_turns).toBe(1)
  })

  test('not clearly ahead, or nobody said yes: the candidates, and exit 4', async () => {
    const before = await forks()
    const near = await home.run(['smart-fork', 'due dates', '--yes'])
    expect(near.status).toBe(4)
    expect(near.stderr).toContain('None of these is clearly what you mean:')
    expect(near.stderr).toContain(`claude:${sampleIds.naturalDates}@2`)
    expect(near.stderr).toContain(`claude:${sampleIds.dueDates}@1`)
    const unsaid = await home.run(['smart-fork', 'store it in a plain file'])
    expect(unsaid.status).toBe(4)
    expect(unsaid.stderr).toContain('say --yes to the best')
    const { error } = await home.json<ErrorJson>(['smart-fork', 'due dates', '--yes', '--json'])
    expect(error).toMatchObject({ code: 'ambiguous', details: { candidates: expect.any(Array) } })
    expect(await forks()).toBe(before)
  })

  test('nothing fits: exit 3; nothing asked: exit 2', async () => {
    const none = await home.run(['smart-fork', 'kubernetes', 'ingress', 'certificates', '--yes'])
    expect(none.status).toBe(3)
    expect(none.stderr).toContain('error: No session is about this.')
    expect((await home.run(['smart-fork', '--yes'])).status).toBe(2)
  })

  test('has every flag of fork', async () => {
    const flags = async (command: string) =>
      [...(await home.run([command, '--help'])).stdout.matchAll(/^ {2}(?:-\w, )?(--[\w-]+)/gm)].map(([, flag]) => flag)
    expect(await flags('smart-fork')).toEqual(expect.arrayContaining(await flags('fork')))
  })
})

describe('index', () => {
  test('up to date, status, rebuild; for programs too', async () => {
    const { stdout, status } = await home.run(['index'])
    expect(status).toBe(0)
    expect(stdout).toMatch(/^(\d+) of \1 sessions searchable, complete\n/)
    expect((await home.run(['index', '--status'])).stdout).toBe(stdout)
    const rebuilt = await home.json<{ index: object; updated: { sessions: number } }>(['index', '--rebuild', '--json'])
    expect(rebuilt).toMatchObject({ index: { complete: true }, updated: { busy: false } })
    expect(rebuilt.updated.sessions).toBeGreaterThanOrEqual(4)
    expect((await home.run(['index', '--status', '--rebuild'])).status).toBe(2)
  })

  test('what was cut off for a quick answer is indexed on by a process of its own', async () => {
    const other = await createFixture()
    onTestFinished(() => other.remove())
    const { context } = recordContext({ home: other.home, vars: other.vars })
    const pid = indexOn(context)
    await waitUntil('its end', () => pid !== null && !isRunning(pid))
    const { index } = await other.json<AnswerJson>(['index', '--status', '--json'])
    expect(index).toMatchObject({ complete: true, indexed_sessions: 4 })
  })

  test('--watch: a new turn is searchable a moment later, and Ctrl-C ends it', async () => {
    const session = createClaudeTranscript({ sessionId: giraffeId, cwd: home.repository, startedAt: Date.now() - 9e6 })
    session.prompt('Draw some animals.')
    session.say('Three giraffes.')
    session.write(home.vars.CLAUDE_CONFIG_DIR ?? '')
    const child = spawn(process.execPath, [bin, 'index', '--watch'], { cwd: home.repository, env: home.vars, stdio: 'pipe' })
    onTestFinished(() => void child.kill('SIGKILL'))
    let told = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      told += text
    })
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      told += text
    })
    const ended = new Promise<number | null>((resolve) => child.on('close', resolve))
    await waitUntil('the watching', () => told.includes('Watching'))
    const before = told.match(/^Indexed/gm)?.length ?? 0
    session.prompt('Paint every giraffe purple.')
    session.say('All purple now.')
    session.write(home.vars.CLAUDE_CONFIG_DIR ?? '')
    await waitUntil('the new turn', () => (told.match(/^Indexed/gm)?.length ?? 0) > before, { describe: () => told })
    child.kill('SIGINT')
    expect(await ended).toBe(0)
    const { results } = await home.json<AnswerJson>(['search', 'purple giraffe', '--json'])
    expect(results[0]?.turn).toBe(`claude:${giraffeId}@2`)
  })
})

test('completion knows the filters of a search and its flags', async () => {
  const complete = async (...words: string[]) =>
    (await home.run(['__complete', '--', ...words])).stdout.split('\n').map((line) => line.split('\t')[0])
  expect(await complete('search', 'ag')).toContain('agent:')
  expect(await complete('search', 'agent:c')).toEqual(expect.arrayContaining(['agent:claude', 'agent:codex']))
  expect(await complete('search', '--')).toEqual(expect.arrayContaining(['--min-score', '--file', '--explain']))
  expect(await complete('search', '--engine', '')).toEqual(expect.arrayContaining(['builtin', 'qmd']))
  expect(await complete('smart-fork', '--')).toEqual(expect.arrayContaining(['--at', '--code', '--engine']))
})

test('where no agent has ever run, search says so', async () => {
  const empty = join(home.home, 'empty')
  mkdirSync(empty)
  const env = { HOME: empty, OFFSHOOT_HOME: join(empty, 'o'), CLAUDE_CONFIG_DIR: join(empty, 'c'), CODEX_HOME: join(empty, 'x') }
  const { stderr, status } = await home.run(['search', 'anything'], { cwd: empty, env })
  expect(status).toBe(0)
  expect(stderr).toContain('No sessions yet.')
  expect(existsSync(join(empty, 'c'))).toBe(false)
})

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false // there is no such process any more
  }
}
