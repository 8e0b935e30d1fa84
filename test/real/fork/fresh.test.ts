// A fork by the agent itself that nobody has prompted yet: it is listed, shown and forked as what it is, its parent up to a turn.
import { existsSync } from 'node:fs'
import { afterEach, describe, expect, it } from 'vitest'
import type { App } from '../../../src/app.ts'
import type { CatalogSession } from '../../../src/model/catalog.ts'
import { acceptDialogs } from '../claude/run.ts'
import { execFork, execNew, execResume } from '../codex/exec.ts'
import { claudeVersions } from '../lib/agents.ts'
import { versionsToTry } from '../lib/matrix.ts'
import { openTerminal } from '../lib/tmux.ts'
import { waitUntil } from '../lib/wait.ts'
import { createWorkerBench, waitForState } from '../workers/worker-bench.ts'
import { type AppBench, createAppBench } from './app-bench.ts'

const timeout = 180_000
let bench: AppBench | undefined
afterEach(async () => {
  await bench?.dispose()
  bench = undefined
})

async function shown(app: App, session: CatalogSession): Promise<string[]> {
  const texts: string[] = []
  for await (const entry of app.readSession(session)) {
    if (entry.kind === 'message' && entry.message.role === 'user') texts.push(entry.message.text)
  }
  return texts
}

async function withId(app: App, id: string): Promise<CatalogSession[]> {
  return (await app.listSessions({})).filter((each) => each.id === id)
}

describe.each(versionsToTry('forks without a prompt', claudeVersions))('a fork in Claude Code %s without a prompt', (version) => {
  it('is its parent up to the turn, until it is written', { timeout }, async () => {
    bench = await createAppBench(version, '0.166.0')
    const { app, claude, vars } = bench
    const { sandbox } = claude
    const parent = await claude.talk(['First', 'Second'])
    const plan = await app.planFork({ address: `claude:${parent}`, code: 'none', terminal: 'tmux', title: 'A try' })
    expect(plan.strategy).toBe('native')
    const { fork } = await app.executeFork(plan, { accept: plan.confirm })
    expect(fork.file).toBeNull()
    acceptDialogs(sandbox, sandbox.work)
    const terminal = openTerminal(sandbox, { argv: fork.command.argv, cwd: fork.command.cwd, env: vars })
    await terminal.waitFor(/^[❯>]/m)
    const [listed] = await waitUntil('the fork to be listed', async () => {
      const found = await withId(app, fork.sessionId)
      return found.length > 0 ? found : undefined
    })
    // The parent goes on: that is none of the fork's.
    await claude.talk(['Third'], parent)
    if (listed === undefined) throw new Error('not listed')
    expect(existsSync(listed.path)).toBe(false)
    expect(listed).toMatchObject({ title: 'A try', live: true, turns: 2, ownTurns: 0 })
    expect(listed.parent).toMatchObject({ sessionId: parent, turnNumber: 2 })
    const address = `claude:${fork.sessionId}`
    expect((await app.listTurns(listed)).map(({ prompt }) => prompt)).toEqual(['First', 'Second'])
    expect((await app.resolve(`${address}@last`)).turn).toMatchObject({ number: 2, prompt: 'Second' })
    expect(await shown(app, listed)).toEqual(['First', 'Second'])
    const { turns, messages } = await app.readTurns(listed, { last: 1 })
    expect(turns.map(({ prompt }) => prompt)).toEqual(['First', 'Second'])
    expect(messages.filter(({ role }) => role === 'user').map(({ text }) => text)).toEqual(['Second'])

    const second = await app.planFork({ address, code: 'none', terminal: 'none' })
    expect(second.blockers).toEqual([])
    expect(second.turn).toMatchObject({ number: 2 })
    const { fork: copy } = await app.executeFork(second, { accept: second.confirm })
    await claude.talk(['In the copy'], copy.sessionId)
    expect(claude.api.requests.at(-1)?.messages.length).toBeGreaterThan(0)
    const [made] = await withId(app, copy.sessionId)
    expect(await shown(app, made as CatalogSession)).toEqual(['First', 'Second', 'In the copy'])

    await terminal.submit('In the fork')
    await terminal.waitFor('Answer to: In the fork')
    const written = await waitUntil('the fork to be written', async () => {
      const found = await withId(app, fork.sessionId)
      return found[0]?.ownTurns === 1 ? found : undefined
    })
    expect(written).toHaveLength(1)
    expect(await shown(app, written[0] as CatalogSession)).toEqual(['First', 'Second', 'In the fork'])
    // Who holds the session as it was listed before gets what it is now.
    expect((await app.listTurns(listed)).map(({ prompt }) => prompt)).toEqual(['First', 'Second', 'In the fork'])
    terminal.close()
  })
})

it.each(['claude', 'codex'] as const)(
  'a worker that is a fork of %s without a prompt is shown and forked',
  { timeout },
  async (agent) => {
    const workers = await createWorkerBench()
    bench = workers
    const { app, claude } = workers
    const source = await app.spawnWorker({
      agent,
      terminal: 'tmux',
      projectPath: claude.sandbox.work,
      name: 'source',
      workspace: false,
      prompt: 'First',
    })
    await waitForState(app, 'source', 'idle')
    await app.forkWorker('source', { name: 'fresh' })
    await waitForState(app, 'fresh', 'idle')
    const { session, turn } = await app.resolve('worker:fresh@last')
    expect(turn).toMatchObject({ number: 1, prompt: 'First', state: 'complete' })
    expect(session.parent).toMatchObject({ sessionId: source.sessionId, turnNumber: 1 })
    expect(await shown(app, session)).toEqual(['First'])
    // By the plan that was shown, too: its parent is the session that is written.
    const plan = await app.planForkWorker('fresh', { prompt: 'Second', send: true })
    const again = await app.forkWorker('fresh', { name: 'again', planId: plan.id })
    expect(again.workspace).toEqual(plan.workspace)
    await waitForState(app, 'again', 'idle')
    const [made] = await waitUntil('the turn', async () => {
      const found = await withId(app, again.sessionId ?? '')
      return found[0]?.turns === 2 ? found : undefined
    })
    expect(await shown(app, made as CatalogSession)).toEqual(['First', 'Second'])
  },
)

it('a Codex fork without a prompt has the turns of its parent, and is forked at the last of them', { timeout }, async () => {
  bench = await createAppBench('2.1.325', '0.166.0')
  const { app, codex } = bench
  const parent = await execNew(codex, 'First')
  await execResume(codex, parent, 'Second')
  const id = await execFork(codex, parent)
  await execResume(codex, parent, 'Third')
  const [listed] = await withId(app, id)
  expect(listed).toMatchObject({ turns: 2, ownTurns: 0, parent: { sessionId: parent, turnNumber: 2 } })
  expect((await app.resolve(`codex:${id}@last`)).turn).toMatchObject({ number: 2, prompt: 'Second' })
  expect(await shown(app, listed as CatalogSession)).toEqual(['First', 'Second'])
  const plan = await app.planFork({ address: `codex:${id}`, code: 'none', terminal: 'none', title: 'Zanzibar attempt' })
  expect(plan).toMatchObject({ blockers: [], turn: { number: 2 }, keptTurns: 2 })
  const { fork, proof } = await app.executeFork(plan, { accept: plan.confirm })
  expect(proof.prefixVerified).toBe(true)
  // Only its name is in the index: its turns are its parent's.
  const { results } = await app.search({ text: 'zanzibar' })
  expect(results).toMatchObject([{ session: { id: fork.sessionId }, turn: { number: 2 } }])
  await execResume(codex, fork.sessionId, 'In the fork')
  const [made] = await withId(app, fork.sessionId)
  expect(await shown(app, made as CatalogSession)).toEqual(['First', 'Second', 'In the fork'])
})
