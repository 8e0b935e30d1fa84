// What a person does with a fork: opens it with the command offshoot names, forks it again, goes on in it while the parent
// runs; and what must be refused.
import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import type { SessionFile } from '../../../src/agents/agent.ts'
import type { AgentEnv } from '../../../src/agents/agent-env.ts'
import { codex } from '../../../src/agents/codex/index.ts'
import type { ForkedFile } from '../../../src/agents/forking.ts'
import type { Cut } from '../../../src/model/fork.ts'
import { startAppServer } from '../codex/app-server.ts'
import { execResume } from '../codex/exec.ts'
import type { CodexHome } from '../codex/home.ts'
import { fingerprint } from '../codex/rollouts.ts'
import { makeCodexSession } from '../codex/session.ts'
import { openCodexWith } from '../codex/terminal.ts'
import { codexVersions } from '../lib/agents.ts'
import { waitUntil } from '../lib/wait.ts'
import { envWith } from './codex-env.ts'

const homes: CodexHome[] = []

afterEach(async () => {
  for (const home of homes.splice(0)) await home.dispose()
})

interface Place {
  readonly home: CodexHome
  readonly env: AgentEnv
  readonly file: SessionFile
  readonly cwd: string
}

async function place(version: CodexHome['version'], prompts: readonly string[]): Promise<Place> {
  const { home, threadId } = await makeCodexSession({ version, prompts })
  homes.push(home)
  const cwd = join(home.sandbox.root, 'child')
  home.sandbox.git(home.work, 'worktree', 'add', '--quiet', '-b', 'child', cwd)
  const env = envWith(home)
  return { home, env, cwd, file: find(env, threadId) }
}

function find(env: AgentEnv, threadId: string): SessionFile {
  const file = [...codex.discover(env)].find(({ id }) => id === threadId)
  if (file === undefined) throw new Error(`our reader does not find ${threadId}`)
  return file
}

function prefix({ env, cwd }: Place, file: SessionFile, cut: Cut): Promise<ForkedFile> {
  return codex.writePrefix(file, env, cut, { sessionId: randomUUID(), cwd, title: 'Fork of it', forkedAt: Date.now() })
}

async function native({ env, cwd }: Place, file: SessionFile, cut: Cut): Promise<ForkedFile> {
  const child = await codex.forkNatively?.(file, env, cut, {
    sessionId: randomUUID(),
    cwd,
    title: 'Fork of it',
    forkedAt: Date.now(),
  })
  if (child === undefined) throw new Error('Codex can fork by itself')
  return child
}

async function turnIds({ env, file }: Place): Promise<string[]> {
  return (await codex.summarise(file, env)).turns.map(({ id }) => id)
}

/** Prompts and answers of the newest request of a thread, without the words of Codex itself. */
function asked({ home }: Place, threadId: string): string[] {
  const input = home.api.requestsOf(threadId).at(-1)?.input ?? []
  return input.flatMap(({ type, role, content }) => {
    const text = (content as { text: string }[] | undefined)?.[0]?.text ?? ''
    return type === 'message' && role !== 'developer' && !/^(<|# AGENTS)/.test(text) ? [text] : []
  })
}

describe.each(codexVersions)('a fork of Codex %s', (version) => {
  it('opens in a terminal by its command, asks nothing and has the history', { timeout: 120_000 }, async () => {
    const here = await place(version, ['First question', 'Second question', 'Third question'])
    const [, second = ''] = await turnIds(here)
    const { sessionId } = await prefix(here, here.file, { kind: 'turn', turnId: second })
    const { argv, cwd } = codex.command({ kind: 'resume', sessionId, cwd: here.cwd })
    const terminal = await openCodexWith(here.home, argv.slice(1), cwd)
    await waitUntil('the history on the screen', () => terminal.scrollback().includes('Answer 2 to: Second question'), {
      describe: () => terminal.scrollback(),
    })
    expect(terminal.scrollback()).not.toContain('Third question')
    await terminal.ask('Typed in the child')
    await terminal.quit()
    expect(asked(here, sessionId)).toEqual([
      'First question',
      'Answer 1 to: First question',
      'Second question',
      'Answer 2 to: Second question',
      'Typed in the child',
    ])
    expect(existsSync(join(here.home.folder, 'packages')), 'no background server was installed').toBe(false)
    expect((await codex.summarise(find(here.env, sessionId), here.env)).cwd).toBe(here.cwd)
  })

  it('takes a prompt that looks like a flag', { timeout: 120_000 }, async () => {
    const here = await place(version, ['First question'])
    const { sessionId } = await prefix(here, here.file, { kind: 'tip' })
    const { argv, cwd } = codex.command({ kind: 'resume', sessionId, cwd: here.cwd, prompt: '--last is what I say' })
    const terminal = await openCodexWith(here.home, argv.slice(1), cwd)
    await terminal.waitFor('to: --last is what I say')
    await terminal.quit()
    expect(asked(here, sessionId).at(-1)).toBe('--last is what I say')
  })

  it('is forked again, by both ways, at its own turn and at an inherited one', { timeout: 120_000 }, async () => {
    const here = await place(version, ['One', 'Two [[shell: echo two]]', 'Three'])
    const [first = '', second = ''] = await turnIds(here)
    const child = await prefix(here, here.file, { kind: 'turn', turnId: second })
    await execResume(here.home, child.sessionId, 'Own', { cwd: here.cwd })
    const file = find(here.env, child.sessionId)
    const before = fingerprint(here.home)
    const again = [
      { made: await prefix(here, file, { kind: 'turn', turnId: first }), prompts: ['One'] },
      { made: await prefix(here, file, { kind: 'tip' }), prompts: ['One', 'Two [[shell: echo two]]', 'Own'] },
      { made: await native(here, file, { kind: 'tip' }), prompts: ['One', 'Two [[shell: echo two]]', 'Own'] },
      ...(version === '0.142.0' ? [] : [{ made: await native(here, file, { kind: 'turn', turnId: first }), prompts: ['One'] }]),
    ]
    for (const [path, hash] of before) expect(fingerprint(here.home).get(path)).toBe(hash)
    for (const { made, prompts } of again) {
      const summary = await codex.summarise(find(here.env, made.sessionId), here.env)
      expect(summary.parent?.sessionId).toBe(child.sessionId)
      expect(summary.inheritedTurns).toBe(prompts.length)
      await execResume(here.home, made.sessionId, 'Deeper', { cwd: here.cwd })
      expect(asked(here, made.sessionId).filter((text) => !text.startsWith('Answer'))).toEqual([...prompts, 'Deeper'])
    }
  })

  it('is made at a finished turn while the parent runs, never at the running one', { timeout: 120_000 }, async () => {
    const here = await place(version, ['One'])
    const { home, env, file } = here
    const server = await startAppServer(home)
    await server.request('thread/resume', { threadId: file.id, cwd: home.work })
    const running = await server.startTurn(file.id, 'At it [[hold]]')
    await server.notified(({ method, params }) => method === 'item/agentMessage/delta' && params.turnId === running)
    const busy = find(env, file.id)
    const [first = ''] = await turnIds({ ...here, file: busy })
    const abilities = await codex.abilities(env)
    const refused = { code: 'busy', details: { nearestTurnId: first } }
    for (const cut of [{ kind: 'tip' }, { kind: 'turn', turnId: running }] as const) {
      await expect(codex.chooseFork(busy, env, cut, { abilities, launched: false, busy: true })).rejects.toMatchObject(refused)
      if (version !== '0.142.0') await expect(prefix(here, busy, cut)).rejects.toMatchObject(refused)
    }
    const children = [await prefix(here, busy, { kind: 'turn', turnId: first })]
    if (version !== '0.142.0') children.push(await native(here, busy, { kind: 'turn', turnId: first }))
    home.api.release()
    await server.turnEnd(running)
    await server.stop()
    for (const { sessionId } of children) {
      await execResume(home, sessionId, 'Meanwhile', { cwd: here.cwd })
      expect(asked(here, sessionId)).toEqual(['One', 'Answer 1 to: One', 'Meanwhile'])
    }
  })
})

describe('a copied fork that Codex takes back in place', () => {
  it('still knows what it inherited', { timeout: 120_000 }, async () => {
    const here = await place('0.166.0', ['One', 'Two'])
    const { home, env } = here
    const child = await prefix(here, here.file, { kind: 'tip' })
    const server = await startAppServer(home)
    await server.request('thread/resume', { threadId: child.sessionId, cwd: here.cwd })
    const own = await server.turn(child.sessionId, 'Own')
    await server.request('thread/revert', { threadId: child.sessionId, beforeTurnId: own.turnId })
    await server.turn(child.sessionId, 'Own again')
    await server.stop()
    const summary = await codex.summarise(find(env, child.sessionId), env)
    expect(summary.turns.map(({ prompt }) => prompt)).toEqual(['One', 'Two', 'Own again'])
    expect(summary.deadTurns.map(({ prompt }) => prompt)).toEqual(['Own'])
    expect(summary).toMatchObject({ inheritedTurns: 2, cwd: here.cwd, parent: { sessionId: here.file.id } })
    expect(asked(here, child.sessionId)).toEqual(['One', 'Answer 1 to: One', 'Two', 'Answer 2 to: Two', 'Own again'])
  })
})

describe('a thread of the other generation', () => {
  it('made by 0.142 is forked at any turn by 0.166', { timeout: 120_000 }, async () => {
    const here = await place('0.142.0', ['One', 'Two'])
    const home = here.home.as('0.166.0')
    const newer = { ...here, home, env: envWith(home) }
    const [first = ''] = await turnIds(newer)
    for (const make of [prefix, native]) {
      const { sessionId } = await make(newer, newer.file, { kind: 'turn', turnId: first })
      await execResume(home, sessionId, 'On the new one', { cwd: here.cwd })
      expect(asked(newer, sessionId)).toEqual(['One', 'Answer 1 to: One', 'On the new one'])
    }
  })

  it('made by 0.166 is copied for 0.142', { timeout: 120_000 }, async () => {
    const here = await place('0.166.0', ['One', 'Two'])
    const home = here.home.as('0.142.0')
    const older = { ...here, home, env: envWith(home) }
    const abilities = await codex.abilities(older.env)
    const circumstances = { abilities, launched: false, busy: false }
    expect(await codex.chooseFork(older.file, older.env, { kind: 'tip' }, circumstances)).toMatchObject({ strategy: 'prefix' })
    await expect(native(older, older.file, { kind: 'tip' })).rejects.toThrow('a newer Codex than 0.142.0')
    const { sessionId } = await prefix(older, older.file, { kind: 'tip' })
    await execResume(home, sessionId, 'On the old one', { cwd: here.cwd })
    expect(asked(older, sessionId)).toEqual(['One', 'Answer 1 to: One', 'Two', 'Answer 2 to: Two', 'On the old one'])
  })
})
