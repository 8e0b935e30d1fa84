import { chmodSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  codexEnv,
  findSession,
  placeRollout,
  placeSample,
  Rollout,
  readAll,
  readMessages,
  threadId,
  useHomes,
} from './home.testkit.ts'
import { codex } from './index.ts'
import { codexHome } from './rollout-files.ts'

const newHome = useHomes()

const tokens = (input: number, output = 0) => ({
  input_tokens: input,
  cached_input_tokens: 1,
  output_tokens: output,
  total_tokens: input + output,
})

describe('summarise', () => {
  it('tells of a real session what sessions shows', async () => {
    const env = newHome()
    const file = findSession(env, placeSample(env.home, '04-fork-at-turn-into-worktree.jsonl'))
    placeSample(env.home, '02-exec-4turns-shell-patch.jsonl')
    expect(await codex.summarise(file, env)).toMatchObject({
      id: '01a1ddf7-5ef6-76f2-a796-7bee405ebe80',
      title: 'turn one ALPHA',
      titleFrom: 'prompt',
      cwd: '/home/dev/work/wt1',
      branch: 'wt1',
      model: 'gpt-5.5',
      cliVersion: '0.166.0',
      createdAt: Date.parse('2026-11-15T06:48:58.878Z'),
      usage: { inputTokens: 1600, cachedInputTokens: 0, outputTokens: 40 },
      inheritedTurns: 1,
      messages: 8,
      broken: null,
      skipped: {},
    })
  })

  it('takes the name a person gave, the newest one', async () => {
    const env = newHome()
    const file = new Rollout().turn('a').place(env)
    const names = join(codexHome(env), 'session_index.jsonl')
    const entry = (name: string) => `${JSON.stringify({ id: threadId, thread_name: name, updated_at: 'x' })}\n`
    writeFileSync(names, `${entry('old')}torn{\n${entry('Ünicode name')}`)
    expect(await codex.summarise(file, env)).toMatchObject({ title: 'Ünicode name', titleFrom: 'custom' })
    rmSync(names)
    expect(await codex.summarise(file, env)).toMatchObject({ title: 'prompt of a', titleFrom: 'prompt' })
  })

  it('cuts a long first prompt to a title of 80 characters on one line', async () => {
    const env = newHome()
    const file = new Rollout()
      .start('z')
      .end('z')
      .start('a')
      .prompt(`many\n words ${'x'.repeat(200)}`)
      .place(env)
    const { title } = await codex.summarise(file, env)
    expect(title).toHaveLength(80)
    expect(title).toMatch(/^many words x+…$/)
  })

  it('adds up tokens of the own turns, once', async () => {
    const env = newHome()
    const count = (total: number, last: number) => ({
      info: { total_token_usage: tokens(total), last_token_usage: tokens(last) },
    })
    const old = new Rollout({}, { legacy: true }).start('a').event('token_count', { info: null })
    old.event('token_count', count(100, 100)).event('token_count', count(100, 100)).end('a')
    const file = old.start('b').event('token_count', count(150, 50)).end('b').place(env)
    const summary = await codex.summarise(file, env)
    expect(summary.usage).toEqual({ inputTokens: 150, cachedInputTokens: 2, outputTokens: 0 })
    expect(summary.turns.map(({ usage }) => usage?.inputTokens)).toEqual([100, 50])
  })

  it('says what is wrong with a file that is no session', async () => {
    const env = newHome()
    const file = new Rollout().place(env)
    const broken = async (content: string) => {
      writeFileSync(file.path, content)
      const { turns, broken: why } = await codex.summarise(file, env)
      expect(turns).toEqual([])
      expect(await readMessages(file, env)).toEqual([])
      return why
    }
    expect(await broken('')).toBe('the file is empty')
    expect(await broken('no json\n')).toBe('the file does not start with session metadata')
    expect(await broken('{"type":"turn_context","payload":{}}\n')).toBe('the file does not start with session metadata')
    expect(await broken(new Rollout().toString())).toBeNull()
  })

  it('reads a last line without newline when it is whole, and counts it as torn when it is not', async () => {
    const env = newHome()
    const file = new Rollout().turn('a').place(env)
    const whole = new Rollout().turn('a').start('b').toString()
    placeRollout(file.path, whole.slice(0, -1))
    const unfinished = await codex.summarise(file, env)
    expect(unfinished.turns.map(({ id }) => id)).toEqual(['a', 'b'])
    placeRollout(file.path, whole.slice(0, -4))
    const torn = await codex.summarise(file, env, unfinished)
    expect(torn).toMatchObject({ skipped: { torn: 1 }, turns: [{ id: 'a' }] })
    placeRollout(file.path, whole)
    expect(await codex.summarise(file, env, torn)).toMatchObject({ skipped: {}, turns: [{ id: 'a' }, { id: 'b' }] })
  })

  it('refuses a file it cannot read by name', async () => {
    const env = codexEnv(newHome().home)
    const file = new Rollout().turn('a').place(env)
    rmSync(file.path)
    await expect(codex.summarise(file, env)).rejects.toMatchObject({ code: 'unreadable' })
    await expect(readAll(file, env)).rejects.toMatchObject({ code: 'unreadable' })
    symlinkSync(file.path, file.path)
    await expect(codex.summarise(file, env)).rejects.toMatchObject({ code: 'unreadable' })
  })

  it('keeps little to go on from', async () => {
    const env = newHome()
    const rollout = new Rollout()
    for (let number = 1; number <= 100; number += 1) rollout.start(`t-${number}`).prompt('p'.repeat(1000)).end(`t-${number}`)
    const { resume } = await codex.summarise(rollout.place(env), env)
    expect(JSON.stringify(resume).length).toBeLessThan(12_000)
  })
})

describe('a name that does not exist', () => {
  it('is refused with the nearest ones', async () => {
    const env = newHome()
    const file = new Rollout().turn('turn-abc').turn('turn-xyz').turn('other').place(env)
    await expect(readAll(file, env, { upTo: { turnId: 'turn-abd' } })).rejects.toMatchObject({
      code: 'turn_not_found',
      message: `codex:${threadId} has no turn turn-abd`,
      details: { candidates: ['turn-abc', 'turn-xyz', 'other'] },
    })
    await expect(readAll(file, env, { upTo: { messageId: 'other.9' } })).rejects.toMatchObject({
      code: 'message_not_found',
      hint: expect.stringContaining('other.2'),
    })
  })
})

describe('abilities', () => {
  const install = (home: string, script: string) => {
    const path = placeRollout(join(home, 'bin', 'codex'), `#!/bin/sh\n${script}\n`)
    chmodSync(path, 0o755)
    return { home, vars: { PATH: `/nowhere:${join(home, 'bin')}` } }
  }
  it('come from the version', async () => {
    const { home } = newHome()
    const probe = (version: string) => codex.abilities(install(home, `echo codex-cli ${version}`))
    expect(await probe('0.166.0')).toMatchObject({
      installed: true,
      version: '0.166.0',
      fork: true,
      forkAtTurn: true,
      problem: null,
    })
    expect(await probe('0.142.0')).toMatchObject({ fork: true, forkAtTurn: false, hooks: true })
    expect(await probe('0.50.0')).toMatchObject({ fork: false, problem: expect.stringContaining('0.142') })
    expect(await probe('1.0.0-alpha.1')).toMatchObject({ version: '1.0.0-alpha.1', forkAtTurn: true })
  })
  it('are none when the program does not tell', async () => {
    const { home } = newHome()
    expect(await codex.abilities(install(home, 'echo broken >&2; exit 3'))).toMatchObject({
      installed: true,
      version: null,
      fork: false,
      problem: expect.stringContaining('broken'),
    })
  })
})
