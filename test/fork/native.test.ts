// Forks the agent makes itself: of Claude Code the file appears with the first prompt, and is proven then; of Codex the id is
// chosen by Codex, so that what a crash left is told by its likeness.
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Agent } from '../../src/agents/agent.ts'
import { codex } from '../../src/agents/codex/index.ts'
import { createSandbox, type Sandbox } from './sandbox.ts'
import { seededClaude } from './seeded-claude.ts'

let sandbox: Sandbox
beforeEach(() => {
  sandbox = createSandbox()
})
afterEach(() => sandbox.close())

describe('Claude Code', () => {
  const forked = async () => {
    const source = sandbox.session({ turns: 2 })
    const app = sandbox.app({ agents: [seededClaude([])] })
    const result = await app.fork({ address: source.id, terminal: 'here', code: 'none' })
    return { source, app, ...result }
  }

  test('is proven once its file is there', async () => {
    const { source, app, fork, plan, proof } = await forked()
    expect(plan.strategy).toBe('native')
    expect(fork.command.argv).toEqual(['claude', `--resume=${source.id}`, '--fork-session', `--session-id=${fork.sessionId}`])
    expect(proof).toMatchObject({ sourceUnchanged: true, prefixVerified: null, cwdVerified: true })
    expect(fork.file).toBeNull()
    source.fork({ id: fork.sessionId, prompt: 'my own' })
    const { session } = await app.resolve(fork.sessionId)
    expect(session).toMatchObject({ title: 'Fork of prompt 1', ownTurns: 1, parent: { sessionId: source.id, kind: 'native' } })
    expect(await app.listForks()).toMatchObject([{ fork: { file: session.path }, proof: { prefixVerified: true } }])
    await expect(app.undo()).rejects.toMatchObject({ code: 'fork_used' })
  })

  test('that is not what it should be is told', async () => {
    const { source, app, fork } = await forked()
    const child = source.fork({ id: fork.sessionId, prompt: 'my own' })
    writeFileSync(child.path, readFileSync(child.path, 'utf8').replace('answer to prompt 2', 'something else'))
    await app.refresh()
    const [entry] = await app.listForks()
    expect(entry?.proof?.prefixVerified).toBe(false)
    expect(entry?.proof?.details.join('\n')).toContain('message 4 has another text')
  })

  test('that was never begun is undone', async () => {
    const { app, fork } = await forked()
    expect(await app.undo(fork.id)).toMatchObject({ undone: true, removed: [] })
  })

  test('of a session that went on since the plan is refused', async () => {
    const source = sandbox.session({ turns: 2 })
    const app = sandbox.app({ agents: [seededClaude([])] })
    const plan = await app.planFork({ address: source.id, terminal: 'here', code: 'none' })
    source.addTurn('later')
    await expect(app.executeFork(plan)).rejects.toMatchObject({ code: 'plan_stale' })
  })
})

describe('Codex', () => {
  const parentId = '01a1ddf7-5fe7-7b90-8312-1e16dfa0a571'
  const folder = () => join(sandbox.home, '.codex', 'sessions', '2026', '11', '15')

  /** Forks as the app-server would, then is cut off: nobody learns the id. */
  function cutOff(made: string[], lines: readonly object[] = []): Agent {
    return {
      ...codex,
      abilities: async () => ({
        ...{ installed: true, version: '0.166.0', path: '/bin/codex', fork: true, forkAtTurn: true, hooks: true },
        problem: null,
      }),
      async forkNatively(source, env, cut, target) {
        const { path } = await codex.writePrefix(source, env, cut, { ...target, onCreate: () => undefined })
        made.push(path ?? '')
        for (const line of lines) writeFileSync(path ?? '', `${JSON.stringify(line)}\n`, { flag: 'a' })
        throw new Error('cut off')
      },
    }
  }

  function parent(): string {
    const cwd = join(sandbox.root, 'work')
    mkdirSync(folder(), { recursive: true })
    mkdirSync(cwd)
    const sample = fileURLToPath(new URL('../../src/agents/codex/samples/02-exec-4turns-shell-patch.jsonl', import.meta.url))
    const path = join(folder(), `rollout-2026-11-15T06-58-00-${parentId}.jsonl`)
    writeFileSync(path, readFileSync(sample, 'utf8').replaceAll('/home/dev/work/repo', cwd))
    return path
  }

  test('a fork whose id was never learnt is found by its likeness and removed', async () => {
    parent()
    const made: string[] = []
    const app = sandbox.app({ agents: [cutOff(made)] })
    await expect(app.fork({ address: parentId, at: '2', code: 'none' })).rejects.toThrow('cut off')
    expect(made).toHaveLength(1)
    expect(existsSync(made[0] ?? '')).toBe(false)
    expect(await app.listSessions()).toHaveLength(1)
  })

  test('one that someone works in is not', async () => {
    parent()
    const made: string[] = []
    const turn = (type: string, more = {}) => ({
      timestamp: new Date(Date.now() + 60_000).toISOString(),
      ordinal: 900,
      type: 'event_msg',
      payload: { type, turn_id: 'f1a1ddf7-9999-7b90-8312-1e16dfa0a571', ...more },
    })
    const app = sandbox.app({
      agents: [cutOff(made, [turn('task_started'), turn('task_complete', { last_agent_message: 'x' })])],
    })
    await expect(app.fork({ address: parentId, at: '2', code: 'none' })).rejects.toThrow('cut off')
    expect(existsSync(made[0] ?? '')).toBe(true)
  })

  test('a running turn is one blocker, with the nearest finished turn', async () => {
    const path = parent()
    // The last turn has begun and its agent lives.
    writeFileSync(path, `${readFileSync(path, 'utf8').split('\n').slice(0, 51).join('\n')}\n`)
    const live = () => [{ sessionId: parentId, pid: process.pid, busy: true, since: 0, saidAt: null }]
    const app = sandbox.app({ agents: [{ ...cutOff([]), live }] })
    const plan = await app.planFork({ address: parentId, code: 'none' })
    expect(plan.blockers).toEqual([
      { code: 'turn_running', message: `Turn 4 is still running; the nearest finished turn is codex:${parentId}@3.` },
    ])
    await expect(app.executeFork(plan)).rejects.toMatchObject({ code: 'busy', exit: 4 })
  })

  test('an archived session is copied, and stays archived', async () => {
    const path = parent()
    const archived = join(sandbox.home, '.codex', 'archived_sessions')
    mkdirSync(archived)
    cpSync(path, join(archived, path.slice(path.lastIndexOf('/') + 1)))
    rmSync(path)
    const app = sandbox.app()
    const { plan, fork, proof } = await app.fork({ address: parentId, at: '2', code: 'none' })
    expect(plan.strategy).toBe('prefix')
    expect(plan.warnings.map(({ code }) => code)).toContain('source_archived')
    expect(proof.prefixVerified).toBe(true)
    expect((await app.resolve(fork.sessionId)).session.turns).toBe(2)
  })
})

test('a session the agent has deleted is put back from the archive first, and taken away again when the fork fails', async () => {
  const source = sandbox.session({ turns: 2 })
  const bytes = readFileSync(source.path)
  const keeper = sandbox.app()
  await keeper.refresh()
  await keeper.archive({ untouchedMs: -86_400_000 })
  rmSync(source.path)
  const failing = sandbox.app({ agents: [{ ...seededClaude([]), writePrefix: async () => Promise.reject(new Error('no')) }] })
  await expect(failing.fork({ address: source.id, at: '1', code: 'none' })).rejects.toThrow('no')
  expect(existsSync(source.path)).toBe(false)
  const app = sandbox.app()
  const plan = await app.planFork({ address: source.id, at: '1', code: 'none' })
  expect(plan.warnings.map(({ code }) => code)).toContain('source_archived')
  const { proof } = await app.executeFork(plan)
  expect(proof).toMatchObject({ sourceUnchanged: true, prefixVerified: true })
  expect(readFileSync(source.path)).toEqual(bytes)
})
