// The hooks we install into the real Codex: what it tells them, and that it works as if they were not there.
import { existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { AgentEnv } from '../../../src/agents/agent-env.ts'
import { codex } from '../../../src/agents/codex/index.ts'
import { addNotify, removeNotify } from '../../../src/agents/codex/notify.ts'
import { execFork, execNew, execResume, startExec } from '../codex/exec.ts'
import { type CodexHome, createCodexHome } from '../codex/home.ts'
import { openCodexTerminal } from '../codex/terminal.ts'
import { codexVersions } from '../lib/agents.ts'
import { wholeMatrix } from '../lib/matrix.ts'
import { waitUntil } from '../lib/wait.ts'
import { createRecorder, type Recorder } from './recorder.ts'

const user = { kind: 'user' } as const

describe.each(codexVersions)('hooks of Codex %s', { timeout: 180_000 }, (version) => {
  let home: CodexHome
  let recorder: Recorder
  let env: AgentEnv
  let config: string
  let hooks: string
  beforeEach(async () => {
    home = await createCodexHome(version)
    recorder = createRecorder(home.sandbox, 'codex')
    env = home.sandbox.agentEnv
    config = join(home.folder, 'config.toml')
    hooks = join(home.folder, 'hooks.json')
  })
  afterEach(() => home.dispose())
  const isNew = version !== '0.142.0'
  const status = async (where: AgentEnv = env) => (await codex.hooks.status(where, user, recorder.command)).state
  /** The same place with this Codex on the PATH: then it is asked. */
  const withProgram = (): AgentEnv => {
    const bin = home.sandbox.folder('bin')
    if (!existsSync(join(bin, 'codex'))) symlinkSync(home.binary, join(bin, 'codex'))
    return { ...env, vars: { ...home.env, PATH: `${bin}${delimiter}${home.env.PATH}` } }
  }

  it('tells of every turn of exec, beside hooks of the person, and nothing once they are gone', async () => {
    const theirs = join(home.sandbox.root, 'their-stops')
    const own = (command: string) => [{ hooks: [{ type: 'command', command, timeout: 5 }] }]
    const before = `{ "hooks":\n${JSON.stringify({ Stop: own(`echo x >> ${theirs}`) })} }`
    writeFileSync(hooks, before)
    const configBefore = readFileSync(config, 'utf8')
    const bypass = { options: ['--dangerously-bypass-hook-trust'] }
    const without = await startExec(home, ['hello']).ended
    await codex.hooks.install(env, user, recorder.command)
    expect(await status()).toBe('installed')
    const withHooks = await startExec(home, ['hello']).ended
    expect([withHooks.code, withHooks.stderr]).toEqual([without.code, without.stderr])
    const shape = (text: string) => text.replace(/"thread_id":"[^"]*"|Answer \d+/g, '')
    expect(shape(withHooks.stdout)).toBe(shape(without.stdout))
    const id = /"thread_id":"([^"]+)"/.exec(withHooks.stdout)?.[1] ?? ''
    const end = isNew ? ['session_end'] : []
    expect(recorder.kinds()).toEqual(['prompt hello', 'turn_end', ...end])
    await execResume(home, id, 'again', bypass)
    expect(recorder.kinds()).toEqual(['prompt hello', 'turn_end', ...end, 'prompt again', 'turn_end', ...end])
    if (isNew) {
      const forked = await execFork(home, id, 'a fork')
      expect(recorder.kinds(forked)).toEqual(['prompt a fork', 'turn_end', 'session_end'])
    }
    const [file] = [...codex.discover(env)].filter((each) => each.id === id)
    if (file === undefined) throw new Error('no session')
    const turns = (await codex.summarise(file, env)).turns.map((turn) => turn.id)
    const keys = recorder
      .told()
      .flatMap(({ event }) => (event?.kind === 'turn_end' && event.sessionId === id ? event.turnKey : []))
    expect(keys).toEqual(turns)
    for (const { args, event } of recorder.told()) {
      expect(args).toEqual(['codex'])
      expect(event).toMatchObject({ cwd: home.work, transcriptPath: expect.stringContaining(event?.sessionId ?? '') })
    }
    expect(JSON.stringify(home.api.requests)).not.toContain('this must reach nobody')
    expect(readFileSync(theirs, 'utf8')).toBe('x\n')

    await codex.hooks.uninstall(env, user)
    expect(readFileSync(hooks, 'utf8')).toBe(before)
    expect(readFileSync(config, 'utf8')).toBe(configBefore)
    const told = recorder.told().length
    await execNew(home, 'silent', bypass)
    expect(recorder.told()).toHaveLength(told)
  })

  it('is asked what it makes of them, and agrees', async () => {
    const asked = withProgram()
    const first = await codex.hooks.install(asked, user, recorder.command)
    expect(first).toMatchObject({ changed: true, files: [hooks, config], notes: [] })
    expect(await codex.hooks.install(asked, user, recorder.command)).toMatchObject({ changed: false, notes: [] })
    expect(await status(asked)).toBe('installed')
    // A hash of another making is not believed before Codex itself has been asked.
    const text = readFileSync(config, 'utf8')
    writeFileSync(config, text.replace(/(stop:0:0"\]\ntrusted_hash = "sha256:)...../, '$100000'))
    expect(await status(asked)).toBe('not_trusted')
    await codex.hooks.install(asked, user, recorder.command)
    expect(readFileSync(config, 'utf8')).toBe(text)
  })

  it('runs hooks of a project it trusts', async () => {
    const project = { kind: 'project', root: home.work } as const
    const configBefore = readFileSync(config, 'utf8')
    const { files } = await codex.hooks.install(withProgram(), project, recorder.command)
    expect(files).toEqual([join(home.work, '.codex', 'hooks.json'), config])
    expect((await codex.hooks.status(env, project, recorder.command)).state).toBe('installed')
    await execNew(home, 'in the project')
    expect(recorder.kinds().slice(0, 2)).toEqual(['prompt in the project', 'turn_end'])
    const told = recorder.told().length
    await execNew(home, 'elsewhere', { cwd: home.sandbox.folder('elsewhere') })
    expect(recorder.told()).toHaveLength(told)
    const stranger = { kind: 'project', root: home.sandbox.folder('stranger') } as const
    expect((await codex.hooks.install(withProgram(), stranger, recorder.command)).notes.join()).toContain('does not trust')
    expect((await codex.hooks.status(env, stranger, recorder.command)).state).toBe('not_trusted')
    await codex.hooks.uninstall(env, stranger)
    await codex.hooks.uninstall(env, project)
    // 0.142 has meanwhile written down that it trusts the other folder.
    const theirs = /\n?\[projects\."[^"]*elsewhere"\]\ntrust_level = "trusted"\n/
    expect(readFileSync(config, 'utf8').replace(theirs, '')).toBe(configBefore)
  })

  it('tells by notify where there are no hooks, and still runs the program of the person', async () => {
    const theirs = join(home.sandbox.root, 'their notes')
    const program = `import { appendFileSync } from 'node:fs'; appendFileSync(${JSON.stringify(theirs)}, process.argv[2] + '\\n')`
    const script = join(home.sandbox.root, 'their program.mjs')
    writeFileSync(script, program)
    const before = `notify = [ ${JSON.stringify(process.execPath)}, # with node\n  ${JSON.stringify(script)},\n]\n${readFileSync(config, 'utf8')}`
    writeFileSync(config, addNotify(before, config, recorder.command))
    const id = await execNew(home, 'by notify')
    await waitUntil('both to be told', () => recorder.told().length === 1 && readNotes(theirs).length === 1)
    expect(recorder.kinds(id)).toEqual(['turn_end'])
    expect(recorder.told()[0]?.event).toMatchObject({ sessionId: id, cwd: home.work, prompt: 'by notify' })
    expect(recorder.told()[0]?.payload).toEqual(readNotes(theirs)[0])
    expect(recorder.told()[0]?.event?.turnKey).toBe(home.api.requestsOf(id)[0]?.turnId)
    const after = removeNotify(readFileSync(config, 'utf8'), config)
    expect(after.startsWith(before)).toBe(true)
  })

  const typing = wholeMatrix || isNew ? it : null
  typing?.('tells of typed turns, also of one that was stopped, and never of its own title thread', async () => {
    await codex.hooks.install(env, user, recorder.command)
    const terminal = await openCodexTerminal(home)
    await terminal.ask('typed')
    const slow = 'stop me [[shell: echo half]] [[hang]]'
    await terminal.submit(slow)
    await terminal.waitFor(/Ran .*echo half/)
    await terminal.waitFor('esc to interrupt')
    terminal.key('Escape')
    await terminal.waitFor('Conversation interrupted')
    await terminal.ask('after it')
    await terminal.quit()
    const [interrupt, end] = isNew ? [['interrupt'], ['session_end']] : [[], []]
    const expected = ['prompt typed', 'turn_end', `prompt ${slow}`, ...interrupt, 'prompt after it', 'turn_end', ...end]
    await waitUntil('all of it', () => JSON.stringify(recorder.kinds()) === JSON.stringify(expected), {
      describe: () => `told: ${JSON.stringify(recorder.told(), null, 1)}\n${terminal.scrollback()}`,
    })
    expect(new Set(recorder.told().map(({ event }) => event?.sessionId)).size).toBe(1)
    expect(terminal.scrollback()).not.toMatch(/reach nobody|nor this/)
    if (isNew) {
      const stopped = recorder.told().filter(({ event }) => event?.kind === 'interrupt' || event?.prompt === slow)
      expect(new Set(stopped.map(({ event }) => event?.turnKey)).size).toBe(1)
    }
  })

  typing?.('passes over the notification of its title thread', async () => {
    writeFileSync(config, addNotify(readFileSync(config, 'utf8'), config, recorder.command))
    const terminal = await openCodexTerminal(home)
    await terminal.ask('typed')
    // Before it ends: with the process its title thread is gone.
    await waitUntil('both', () => recorder.told().length === (isNew ? 2 : 1), { describe: () => JSON.stringify(recorder.told()) })
    await terminal.quit()
    const titles = () => recorder.told().filter(({ payload }) => JSON.stringify(payload).includes('task title'))
    expect(titles()).toHaveLength(isNew ? 1 : 0)
    expect(recorder.kinds()).toEqual(['turn_end'])
  })
})

function readNotes(path: string): unknown[] {
  try {
    return readFileSync(path, 'utf8')
      .trim()
      .split('\n')
      .map((line): unknown => JSON.parse(line))
  } catch {
    return [] // not told yet
  }
}
