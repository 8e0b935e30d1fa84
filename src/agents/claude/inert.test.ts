// What Claude Code may do with a seed besides taking it, by a stand-in: what the real one does is in test/real/inert.
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { AgentEnv } from '../agent-env.ts'
import type { SeedRequest } from '../inert.ts'
import { folderNameOf } from './folder-name.ts'
import { claudeInert } from './inert.ts'

const sessionId = '0b1c2d3e-0000-4000-8000-000000000001'
let root: string
let env: AgentEnv
let request: SeedRequest

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'offshoot-inert-')))
  const [bin, cwd, empty, home] = ['bin', 'work', 'empty', 'home'].map((name) => {
    mkdirSync(join(root, name))
    return join(root, name)
  }) as [string, string, string, string]
  const promptPath = join(root, 'seed.txt')
  writeFileSync(promptPath, `Of ${empty}: context only.\n`)
  env = { home, vars: { PATH: `${bin}:/usr/bin:/bin`, CLAUDECODE: '1', FAKE: root } }
  request = {
    promptPath,
    sessionId,
    cwd,
    runIn: cwd,
    title: 'Fork of it',
    model: null,
    acknowledgement: 'Ready.',
    onCreate: () => undefined,
  }
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

/** `body` is JavaScript that may `answer(result)`, `write()` the session, and knows `flags`, `prompt`. */
function pretend(body: string): void {
  const file = join(root, 'bin', 'claude')
  const script = `#!${process.execPath}
const { appendFileSync, mkdirSync, readFileSync, writeFileSync } = require('node:fs')
const flags = process.argv.slice(2)
const prompt = readFileSync(0, 'utf8')
appendFileSync(process.env.FAKE + '/runs', JSON.stringify({ flags, cwd: process.cwd(), vars: process.env }) + '\\n')
const answer = (result) => console.log(JSON.stringify({ type: 'result', subtype: 'success', is_error: false, num_turns: 1, result: 'Ready.', ...result }))
const write = () => {
  const cwd = process.cwd()
  const folder = process.env.HOME_OF_IT + '/.claude/projects/' + cwd.replace(/[^a-zA-Z0-9]/g, '-')
  mkdirSync(folder, { recursive: true })
  const lines = [
    { type: 'user', message: { role: 'user', content: prompt }, cwd },
    { type: 'attachment', attachment: { type: 'environment', text: 'You are in ' + cwd }, cwd },
    { type: 'last-prompt', lastPrompt: prompt },
  ]
  writeFileSync(folder + '/${sessionId}.jsonl', lines.map((line) => JSON.stringify(line) + '\\n').join(''))
}
${body}
`
  writeFileSync(file, script)
  chmodSync(file, 0o755)
  env = { ...env, vars: { ...env.vars, HOME_OF_IT: env.home } }
}

const runs = () =>
  readFileSync(join(root, 'runs'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { flags: string[]; cwd: string; vars: Record<string, string> })
const seed = (more: Partial<SeedRequest> = {}) => claudeInert.seed(env, { ...request, ...more })

test('the session is where it is looked for, with its title', async () => {
  pretend('write(); answer()')
  const { path } = await seed({ model: 'claude-haiku-4-5' })
  expect(path).toBe(join(env.home, '.claude', 'projects', folderNameOf(request.cwd), `${sessionId}.jsonl`))
  expect(readFileSync(path, 'utf8')).toMatch(/"customTitle":"Fork of it"[^\n]*\n$/)
  const [run] = runs()
  expect(run?.flags).toContain('--model=claude-haiku-4-5')
  expect(run?.vars).toMatchObject({ OFFSHOOT_INTERNAL: '1', CLAUDE_CODE_DISABLE_ATTACHMENTS: '1' })
  expect(run?.vars).not.toHaveProperty('CLAUDECODE')
})

test('one that ran elsewhere is moved, and says that it ran here; the prompt stays as it is', async () => {
  pretend('write(); answer()')
  const runIn = join(root, 'empty')
  const { path } = await seed({ runIn })
  expect(runs()[0]?.cwd).toBe(runIn)
  expect(path).toContain(folderNameOf(request.cwd))
  const lines = readFileSync(path, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)
  const prompt = `Of ${runIn}: context only.\n`
  expect(lines).toMatchObject([
    { message: { content: prompt }, cwd: request.cwd },
    { attachment: { text: `You are in ${request.cwd}` }, cwd: request.cwd },
    { lastPrompt: prompt },
    { type: 'custom-title' },
  ])
  expect(existsSync(join(env.home, '.claude', 'projects', folderNameOf(runIn), `${sessionId}.jsonl`))).toBe(false)
})

test('a version without the option for snapshots is asked without it', async () => {
  pretend(`if (flags.includes('--system-prompt-snapshot')) { console.error("error: unknown option '--system-prompt-snapshot'"); process.exit(1) }
write(); answer()`)
  await seed()
  expect(runs().map(({ flags }) => flags.includes('--system-prompt-snapshot'))).toEqual([true, false])
})

test.each([
  ['a slash command instead of a turn', 'answer({ num_turns: 0 })', 'ran 0 turns instead of one'],
  ['an API error', "answer({ is_error: true, result: 'API Error: 400 too long' })", 'API Error: 400 too long'],
  ['tools', "answer({ subtype: 'error_max_turns', is_error: true, num_turns: 2 }); process.exitCode = 1", 'called tools instead'],
  ['no session', 'answer()', 'left no file'],
  ['no document', "console.log('hello')", 'ended with status 0'],
  ['a failure', "console.error('not logged in'); process.exit(1)", 'not logged in'],
])('fails on %s', async (_, body, words) => {
  pretend(body)
  await expect(seed()).rejects.toMatchObject({ code: 'failed', message: expect.stringContaining(words) })
  expect(runs()).toHaveLength(1)
})

test('says that there is no claude', async () => {
  env = { ...env, vars: { PATH: join(root, 'bin') } }
  await expect(seed()).rejects.toMatchObject({ code: 'tool_missing' })
})
