// The hooks we install into the real Claude Code: what it tells them, and that it works as if they were not there.
import { randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { claude } from '../../../src/agents/claude/index.ts'
import { findTurnId } from '../../../src/agents/hook-events.ts'
import { type Bench, createBench } from '../claude/bench.ts'
import { claudeVersions } from '../lib/agents.ts'
import { wholeMatrix } from '../lib/matrix.ts'
import { waitUntil } from '../lib/wait.ts'
import { createRecorder, type Recorder } from './recorder.ts'

const user = { kind: 'user' } as const
if (!wholeMatrix) console.log('hooks of claude: left out here, run by npm run test:matrix: settings that switch all hooks off')

describe.each(claudeVersions)('hooks of Claude Code %s', { timeout: 180_000 }, (version) => {
  let bench: Bench
  let recorder: Recorder
  let settings: string
  beforeEach(async () => {
    bench = await createBench(version)
    recorder = createRecorder(bench.sandbox, 'claude')
    settings = join(bench.sandbox.home, '.claude', 'settings.json')
    mkdirSync(join(bench.sandbox.home, '.claude'), { recursive: true })
  })
  afterEach(() => bench.sandbox.dispose())
  const install = () => claude.hooks.install(bench.sandbox.agentEnv, user, recorder.command)
  const uninstall = () => claude.hooks.uninstall(bench.sandbox.agentEnv, user)
  const turnsOf = async (sessionId: string) => {
    const [file] = [...claude.discover(bench.sandbox.agentEnv)].filter(({ id }) => id === sessionId)
    if (file === undefined) throw new Error(`no session ${sessionId}`)
    return (await claude.summarise(file, bench.sandbox.agentEnv)).turns
  }

  it('tells of every turn in print mode, beside hooks of the person, and nothing once they are gone', async () => {
    const theirs = bench.sandbox.folder('theirs')
    const hook = (command: string) => [{ hooks: [{ type: 'command', command }] }]
    const before = JSON.stringify(
      { hooks: { UserPromptSubmit: hook('echo Words of their hook'), Stop: hook(`echo x >> ${theirs}/stops`) } },
      null,
      3,
    )
    writeFileSync(settings, before)
    const without = await bench.claude.tryPrint('hello')
    await install()
    expect((await claude.hooks.status(bench.sandbox.agentEnv, user, recorder.command)).state).toBe('installed')
    const withHooks = await bench.claude.tryPrint('hello')
    expect([withHooks.code, withHooks.stderr]).toEqual([without.code, without.stderr])
    const [ran, reference] = [withHooks, without].map(({ stdout }) => JSON.parse(stdout) as Record<string, unknown>)
    expect(Object.keys(ran ?? {})).toEqual(Object.keys(reference ?? {}))
    expect([ran?.result, ran?.is_error, ran?.num_turns]).toEqual([reference?.result, reference?.is_error, reference?.num_turns])
    const sessionId = String(ran?.session_id)
    await bench.claude.print('again [[task:count the notes]]', { flags: ['--resume', sessionId] })
    const forked = await bench.claude.print('a fork', { flags: ['--resume', sessionId, '--fork-session'] })

    const turns = await turnsOf(sessionId)
    expect(turns.map(({ prompt }) => prompt)).toEqual(['hello', 'again [[task:count the notes]]'])
    const ends = recorder.told().filter(({ event }) => event?.kind === 'turn_end')
    const ids = ends.map(({ event }) => (event === null ? null : findTurnId('claude', event)))
    // A subagent in the background (2.1.325) stops the turn once before and once after it: the same turn.
    expect([...new Set(ids)]).toEqual([...turns.map(({ id }) => id), (await turnsOf(forked.sessionId)).at(-1)?.id])
    expect(recorder.kinds(forked.sessionId)).toEqual(['prompt a fork', 'turn_end', 'session_end'])
    expect(recorder.kinds(sessionId).filter((kind) => !kind.includes('<task-notification>'))).toEqual([
      'prompt hello',
      'turn_end',
      'session_end',
      'prompt again [[task:count the notes]]',
      ...ends.slice(1, -1).map(() => 'turn_end'),
      'session_end',
    ])
    for (const { args, event } of recorder.told()) {
      expect(args).toEqual(['claude'])
      expect(event?.cwd).toBe(bench.sandbox.work)
      if (event?.kind === 'session_end') expect(event.turnKey).toBeNull()
      else expect(event?.turnKey).toMatch(/^[0-9a-f-]{36}$/)
      expect(event?.transcriptPath).toBe(bench.transcript(event?.sessionId ?? ''))
    }
    const received = JSON.stringify(bench.api.requests.map(({ messages }) => messages))
    expect(received).toContain('Words of their hook')
    expect(received).not.toContain('this must reach nobody')
    expect(JSON.stringify(bench.lines(sessionId))).not.toContain('nor this')
    expect(readFileSync(join(theirs, 'stops'), 'utf8').split('x')).toHaveLength(ends.length + 2)

    await uninstall()
    expect(readFileSync(settings, 'utf8')).toBe(before)
    const told = recorder.told().length
    await bench.claude.print('silent', { flags: ['--resume', sessionId] })
    expect(recorder.told()).toHaveLength(told)
  })

  const typing = wholeMatrix || version === '2.1.325' ? it : null
  typing?.('tells of typed turns, also of one that was stopped, and of /clear and the end', async () => {
    await install()
    const sessionId = randomUUID()
    const terminal = await bench.claude.open({ flags: ['--session-id', sessionId] })
    const told = (kinds: string[], id?: string) =>
      waitUntil(`${kinds}`, () => JSON.stringify(recorder.kinds(id)) === JSON.stringify(kinds), {
        describe: () => `told: ${recorder.kinds()}\n${terminal.screen()}`,
      })
    await terminal.submit('typed')
    await told(['prompt typed', 'turn_end'])
    await terminal.waitWhile('esc to interrupt')
    const slow = 'stop me [[bash:echo started; sleep 30]]'
    await terminal.submit(slow)
    await waitUntil('the call', () => bench.lines(sessionId).some((line) => JSON.stringify(line).includes('"tool_use"')))
    terminal.key('Escape')
    await terminal.waitWhile('esc to interrupt')
    await terminal.submit('after it')
    // Nothing tells of a turn that was stopped: the next prompt does.
    await told(['prompt typed', 'turn_end', `prompt ${slow}`, 'prompt after it', 'turn_end'])
    const keys = new Set(recorder.told().map(({ event }) => event?.turnKey))
    expect(keys.size).toBe(3)
    await terminal.waitWhile('esc to interrupt')
    expect(terminal.screen()).not.toMatch(/hook|reach nobody/i)
    await terminal.submit('/clear')
    await waitUntil('the end of the session', () => recorder.kinds(sessionId).at(-1) === 'session_end', {
      describe: () => `told: ${recorder.kinds()}\n${terminal.screen()}`,
    })
    await terminal.submit('in a new one')
    await waitUntil('the new session', () => recorder.kinds().at(-1) === 'turn_end', { describe: () => `${recorder.kinds()}` })
    await terminal.waitWhile('esc to interrupt')
    terminal.key('C-u') // 2.1.197 was seen to keep the first prompt after /clear in its composer
    await terminal.leave('/exit')
    const fresh = recorder.told().at(-1)?.event?.sessionId ?? ''
    expect(fresh).not.toBe(sessionId)
    await told(['prompt in a new one', 'turn_end', 'session_end'], fresh)
    const turns = await turnsOf(sessionId)
    const prompts = recorder
      .told()
      .flatMap(({ event }) => (event?.kind === 'prompt' && event.sessionId === sessionId ? event : []))
    expect(prompts.map((event) => findTurnId('claude', event))).toEqual(turns.map(({ id }) => id))
  })

  const others = wholeMatrix || version === '2.1.197' ? it : null
  others?.('reads hooks of one project from its local settings', async () => {
    const project = { kind: 'project', root: bench.sandbox.work } as const
    const { files, notes } = await claude.hooks.install(bench.sandbox.agentEnv, project, recorder.command)
    expect(files).toEqual([join(bench.sandbox.work, '.claude', 'settings.local.json')])
    expect(notes.join()).toContain('not ignored by git')
    await bench.claude.print('in the project')
    expect(recorder.kinds()).toEqual(['prompt in the project', 'turn_end', 'session_end'])
    await bench.claude.print('elsewhere', { cwd: bench.sandbox.folder('elsewhere') })
    expect(recorder.kinds()).toHaveLength(3)
    await claude.hooks.uninstall(bench.sandbox.agentEnv, project)
    expect(existsSync(files[0] ?? '')).toBe(false)
  })

  others?.('is not read at all with a comment in it, so that we do not touch such a file', async () => {
    const text = `// mine\n${JSON.stringify({ hooks: { Stop: [{ hooks: [{ type: 'command', command: 'touch ran' }] }] } })}`
    writeFileSync(settings, text)
    await bench.claude.print('hello')
    expect(existsSync(bench.file('ran'))).toBe(false)
    await expect(install()).rejects.toMatchObject({ code: 'bad_config' })
    expect(readFileSync(settings, 'utf8')).toBe(text)
    // One entry it does not understand, and it passes over all of the file: that is said, for it says nothing itself.
    writeFileSync(settings, '{"hooks": {"PreToolUse": [{"matcher": "Bash"}]}}')
    expect((await install()).notes.join()).toContain('does not read the file')
    await bench.claude.print('hello')
    expect(recorder.told()).toEqual([])
  })

  const each = wholeMatrix ? it : null
  each?.('runs none where settings that apply switch them off, as we say', async () => {
    const { work, agentEnv } = bench.sandbox
    const own = (name: string) => join(work, '.claude', name)
    const files = { user: settings, project: own('settings.json'), local: own('settings.local.json') }
    mkdirSync(own(''), { recursive: true })
    const cases: Partial<Record<keyof typeof files, boolean>>[] = [
      {},
      { user: true },
      { project: true },
      { local: true },
      { user: true, project: false },
      { project: true, local: false },
      { user: false, project: true },
    ]
    for (const values of cases) {
      for (const [name, file] of Object.entries(files)) {
        writeFileSync(file, JSON.stringify({ disableAllHooks: values[name as keyof typeof files] }))
      }
      await install()
      const before = recorder.told().length
      await bench.claude.print('hello')
      const { state } = await claude.hooks.status(agentEnv, { ...user, root: work }, recorder.command)
      expect(state, JSON.stringify(values)).toBe(recorder.told().length > before ? 'installed' : 'not_run')
    }
  })
})
