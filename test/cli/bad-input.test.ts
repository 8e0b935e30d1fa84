// What the command line does when something is wrong: a clear word, the right exit status, the rest still works.
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sampleIds } from '../../src/cli/demo/sample-sessions.ts'
import { createFixture, type Fixture, runProcess } from './run-cli.ts'

let home: Fixture
beforeAll(async () => {
  home = await createFixture()
})
afterAll(() => home.remove())

interface ErrorJson {
  error: { code: string; message: string; hint: string; details?: { candidates?: unknown[] } }
}

describe('usage', () => {
  test('no command: help on stdout, status 0', async () => {
    const { stdout, stderr, status } = await home.run([])
    expect(stdout).toMatch(/^Usage: offshoot/)
    expect(stdout).toContain('Examples:')
    expect(stdout).not.toContain('__complete')
    expect({ stderr, status }).toEqual({ stderr: '', status: 0 })
  })

  test('the version, fast and slow way', async () => {
    const fast = await home.run(['--version'])
    expect(fast.stdout).toMatch(/^\d+\.\d+\.\d+\n$/)
    expect((await home.run(['sessions', '--help'])).stdout).toContain('--agent <agent>')
    expect((await home.run(['-V'])).stdout).toBe(fast.stdout)
  })

  test.each([
    [['sesions'], 'sesions', 'sessions'],
    [['sessions', '--jsno'], '--jsno', '--json'],
    [['config', 'lst'], 'lst', 'list'],
  ])('%j: did you mean', async (args, wrong, right) => {
    const { stdout, stderr, status } = await home.run(args)
    expect(stderr).toContain(wrong)
    expect(stderr).toContain(`Did you mean ${right}?`)
    expect({ stdout, status }).toEqual({ stdout: '', status: 2 })
  })

  test.each([
    [['show']],
    [['sessions', '--agent', 'cursor']],
    [['sessions', '--limit', '-1']],
    [['sessions', '--all', '--repo', '.']],
    [['show', 'last', '--markdown', '--raw']],
    [['export', 'last', '--format', 'pdf']],
    [['completion', 'tcsh']],
    [['config']],
    [['turns', 'last', 'extra']],
    [['export', 'last', '--force']],
    [['export', 'last', '--force', '--output', '-']],
    [['tree', 'last', '--all']],
    [['tree', 'last', '--agent', 'claude']],
    [['tree', 'last', '--limit', '3']],
    [['search', '-i', '--explain']],
    [['fork', 'last', '--at', '1', '--strategy', 'prefix', '--allow-cut', '--dry-run']],
  ])('%j is a usage error', async (args) => {
    const { stdout, stderr, status } = await home.run(args)
    expect(status).toBe(2)
    expect(stderr).toMatch(/^error: /)
    expect(stdout).toBe('')
  })

  test('with --json a fault is one document on stdout', async () => {
    const { stdout, stderr, status } = await home.run(['sesions', '--json'])
    expect(JSON.parse(stdout)).toEqual({
      error: { code: 'usage', message: expect.stringContaining('sesions'), hint: expect.any(String) },
    })
    expect({ stderr, status }).toEqual({ stderr: '', status: 2 })
  })
})

describe('addresses', () => {
  test('an unknown session: status 3, and the nearest', async () => {
    const { error } = await home.json<ErrorJson>(['show', 'claude:60309e1f', '--json'])
    expect(error.code).toBe('session_not_found')
    expect(error.details?.candidates).toHaveLength(1)
    const { status, stderr } = await home.run(['show', 'claude:60309e1f'])
    expect(status).toBe(3)
    expect(stderr).toContain('60309e1e')
  })

  test('an ambiguous prefix: status 4, and all it fits', async () => {
    const { status, stderr } = await home.run(['turns', '019a8'])
    expect(status).toBe(4)
    expect(stderr).toContain(sampleIds.storage)
    expect(stderr).toContain(sampleIds.storageFork)
    const { error } = await home.json<ErrorJson>(['turns', '019a8', '--json'])
    expect(error.details?.candidates).toHaveLength(2)
  })

  test('an unknown turn, a bad address, a whole file asked of a turn', async () => {
    expect((await home.run(['show', 'claude:60309e1e@9'])).status).toBe(3)
    expect((await home.run(['show', 'cursor:abcdefgh'])).status).toBe(2)
    expect((await home.run(['show', 'last@1', '--raw'])).status).toBe(2)
  })

  test('turn 0 is before the first prompt: nothing to read, no fault', async () => {
    const { stdout, status } = await home.run(['show', 'claude:60309e1e@0'])
    expect(status).toBe(0)
    expect(stdout).not.toContain('Give every task')
  })
})

describe('places', () => {
  test('no agent has ever run here: what is looked for, and the demo', async () => {
    const empty = join(home.home, 'empty')
    mkdirSync(empty)
    const env = {
      HOME: empty,
      OFFSHOOT_HOME: join(empty, 'o'),
      CLAUDE_CONFIG_DIR: join(empty, 'c'),
      CODEX_HOME: join(empty, 'x'),
    }
    const { stdout, stderr, status } = await home.run(['sessions'], { env })
    expect({ stdout, status }).toEqual({ stdout: '', status: 0 })
    expect(stderr).toContain(join(empty, 'c', 'projects'))
    expect(stderr).toContain(join(empty, 'x', 'sessions'))
    expect(stderr).toContain('offshoot demo')
    expect(await home.json(['sessions', '--json'], { env })).toEqual({ sessions: [] })
    expect((await home.run(['show', 'last'], { env })).status).toBe(3)
    expect(await home.json(['tree', '--json'], { env })).toEqual({ nodes: [] })
  })

  test('another repository: none here, four elsewhere', async () => {
    const other = join(home.home, 'other')
    mkdirSync(other)
    await runProcess('git', ['init', '--quiet'], other, home.vars)
    const { stdout, stderr, status } = await home.run(['sessions'], { cwd: other })
    expect({ stdout, status }).toEqual({ stdout: '', status: 0 })
    expect(stderr).toContain('4 sessions elsewhere: offshoot sessions --all')
  })

  test('--repo with no folder or no repository there: status 3', async () => {
    expect((await home.run(['sessions', '--repo', '/no/such/folder'])).status).toBe(3)
    expect((await home.run(['sessions', '--repo', home.home])).status).toBe(3)
  })

  test('a home that cannot be used is a plain error', async () => {
    const file = join(home.home, 'a-file')
    writeFileSync(file, '')
    const { stdout, stderr, status } = await home.run(['sessions'], { env: { OFFSHOOT_HOME: join(file, 'o') } })
    expect(stderr).toMatch(/^error: /)
    expect(stderr).not.toContain('internal error')
    expect({ stdout, status }).toEqual({ stdout: '', status: 1 })
  })
})

describe('files', () => {
  test('unreadable and misnamed files do not hide the rest', async () => {
    const project = join(home.vars.CLAUDE_CONFIG_DIR ?? '', 'projects', 'odd')
    mkdirSync(join(project, '11111111-2222-4333-8444-555555555555.jsonl'), { recursive: true })
    symlinkSync('loop.jsonl', join(project, 'loop.jsonl'))
    symlinkSync('/no/such/file', join(project, '22222222-2222-4333-8444-555555555555.jsonl'))
    writeFileSync(join(project, '33333333-2222-4333-8444-555555555555.jsonl'), '\u0000\u0001garbage\n{"type":')
    const { sessions } = await home.json<{ sessions: { id: string }[] }>(['sessions', '--all', '--json'])
    expect(sessions.map(({ id }) => id)).toEqual(expect.arrayContaining(Object.values(sampleIds)))
  })

  test('escape sequences of a transcript never reach the terminal', async () => {
    const project = join(home.vars.CLAUDE_CONFIG_DIR ?? '', 'projects', 'hostile')
    mkdirSync(project, { recursive: true })
    const sessionId = '77777777-2222-4333-8444-555555555555'
    const common = {
      sessionId,
      cwd: home.repository,
      version: '2.1.325',
      isSidechain: false,
      timestamp: '2026-11-15T09:00:00.000Z',
    }
    const text = 'red \u001b[31malert\u001b[0m \u001b]0;owned\u0007 \u009b2J end'
    const lines = [
      {
        ...common,
        type: 'user',
        uuid: 'a0000000-0000-4000-8000-000000000001',
        parentUuid: null,
        message: { role: 'user', content: text },
      },
      {
        ...common,
        type: 'assistant',
        uuid: 'a0000000-0000-4000-8000-000000000002',
        parentUuid: 'a0000000-0000-4000-8000-000000000001',
        message: { id: 'm', role: 'assistant', model: 'x', content: [{ type: 'text', text }] },
      },
    ]
    writeFileSync(join(project, `${sessionId}.jsonl`), lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
    for (const args of [
      ['sessions', '--all'],
      ['turns', sessionId],
      ['show', sessionId],
      ['tree', sessionId],
      ['show', sessionId, '--markdown'],
      ['export', sessionId],
    ]) {
      const { stdout } = await home.run(args)
      expect(stdout).toContain('red alert')
      // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be there
      expect(stdout).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/)
    }
  })
})

describe('pipes and signals', () => {
  test('a reader that closes early is no fault', async () => {
    const project = join(home.vars.CLAUDE_CONFIG_DIR ?? '', 'projects', 'long')
    mkdirSync(project, { recursive: true })
    const sessionId = '88888888-2222-4333-8444-555555555555'
    const line = (number: number) => ({
      type: 'user',
      uuid: `b0000000-0000-4000-8000-${String(number).padStart(12, '0')}`,
      parentUuid: number === 0 ? null : `b0000000-0000-4000-8000-${String(number - 1).padStart(12, '0')}`,
      sessionId,
      cwd: home.repository,
      version: '2.1.325',
      isSidechain: false,
      timestamp: '2026-11-15T09:00:00.000Z',
      message: { role: 'user', content: `prompt ${number} ${'x'.repeat(2000)}` },
    })
    writeFileSync(
      join(project, `${sessionId}.jsonl`),
      Array.from({ length: 2000 }, (_, number) => `${JSON.stringify(line(number))}\n`).join(''),
    )
    const { stderr, status, stdout } = await home.run(['show', sessionId], { closeAfterBytes: 1000 })
    expect({ stderr, status }).toEqual({ stderr: '', status: 0 })
    expect(stdout.length).toBeLessThan(3_000_000)
  })

  test('interrupted: status 130, and the sandbox of the demo is gone', async () => {
    const temporary = join(home.home, 'tmp')
    mkdirSync(temporary)
    const { status } = await home.run(['demo'], { env: { TMPDIR: temporary }, interruptAt: 'a sandbox in' })
    expect(status).toBe(130)
    expect(readdirSync(temporary)).toEqual([])
  })
})
