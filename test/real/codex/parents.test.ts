// A Codex fork needs its parent's file. Where the agent or the user deleted it and our archive has it, the fork is read from the
// archive, and the file is put back when Codex has to open the fork.
import { existsSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type App, type AppOptions, createApp } from '../../../src/app.ts'
import type { CatalogSession } from '../../../src/model/catalog.ts'
import { envWith } from '../fork/codex-env.ts'
import { execFork, execNew, execResume, startExec } from './exec.ts'
import { type CodexHome, createCodexHome } from './home.ts'
import { openLongLived } from './long-lived.ts'
import { rolloutsOf } from './rollouts.ts'
import { addTurns, openThread, rewind } from './scenarios/threads.ts'

const timeout = 120_000
let home: CodexHome
beforeEach(async () => {
  home = await createCodexHome('0.166.0')
})
afterEach(() => home.dispose())

function openApp(options: Partial<AppOptions> = {}): App {
  const app = createApp({ ...envWith(home), cwd: home.work, now: Date.now, ...options })
  home.sandbox.onDispose(() => app.close())
  return app
}

interface Family {
  readonly app: App
  readonly parent: string
  readonly child: string
  readonly grandchild: string
  readonly parentPath: string
  readonly childPath: string
}

/** Three generations; the archive holds the first two. */
async function makeFamily(options: Partial<AppOptions> = {}): Promise<Family> {
  const app = openApp(options)
  const parent = await execNew(home, 'Parent one')
  await execResume(home, parent, 'Parent two')
  const child = await execFork(home, parent, 'Child one')
  const grandchild = await execFork(home, child, 'Grandchild one')
  await app.archive({ sessions: [parent, child].map((sessionId) => ({ agent: 'codex', sessionId })) })
  const [parentPath = '', childPath = ''] = [parent, child].map((id) => rolloutsOf(home, id)[0])
  return { app, parent, child, grandchild, parentPath, childPath }
}

async function find(app: App, id: string): Promise<CatalogSession> {
  return (await app.resolve(`codex:${id}`)).session
}

async function prompts(app: App, id: string): Promise<string[]> {
  return (await app.listTurns(await find(app, id))).map(({ prompt }) => prompt)
}

/** What the user has said, as the model is told with the newest prompt of the thread. */
function told(threadId: string): string[] {
  const input = home.api.requestsOf(threadId).at(-1)?.input ?? []
  return input.flatMap(({ type, role, content }) => {
    const text = (content as { text: string }[] | undefined)?.[0]?.text ?? ''
    return type === 'message' && role === 'user' && !/^(<|# AGENTS)/.test(text) ? [text] : []
  })
}

const lines = ['Parent one', 'Parent two', 'Child one', 'Grandchild one']

it('a fork whose parents are gone is listed whole, forked and continued', { timeout }, async () => {
  const { app, parent, child, grandchild, parentPath, childPath } = await makeFamily()
  const bytes = readFileSync(parentPath)
  rmSync(parentPath)
  rmSync(childPath)
  expect((await startExec(home, ['resume', grandchild, 'x']).ended).code, 'Codex itself cannot open it').not.toBe(0)
  expect(await prompts(app, grandchild)).toEqual(lines)
  expect((await find(app, grandchild)).broken).toBeNull()
  for (const id of [parent, child]) expect((await find(app, id)).state).toBe('gone')

  const plan = await app.planFork({ address: `codex:${grandchild}`, code: 'none' })
  expect(plan.blockers).toEqual([])
  expect(plan.warnings.map(({ code }) => code)).toContain('source_archived')
  expect(plan.steps.filter((step) => step.startsWith('Put '))).toHaveLength(2)
  expect(existsSync(parentPath), 'planning changes nothing').toBe(false)
  const { fork, proof } = await app.executeFork(plan, { accept: plan.confirm })
  expect(proof).toMatchObject({ sourceUnchanged: true, prefixVerified: true })
  expect(readFileSync(parentPath)).toEqual(bytes)
  await execResume(home, fork.sessionId, 'In the fork')
  expect(told(fork.sessionId)).toEqual([...lines, 'In the fork'])
  for (const id of [parent, child]) expect((await find(app, id)).state).toBe('present')
  await openLongLived(home).agrees()
})

it('a fork whose parents are gone is opened again: they are put back first', { timeout }, async () => {
  const { app, grandchild, parentPath, childPath } = await makeFamily()
  rmSync(parentPath)
  rmSync(childPath)
  await app.openCommand(await find(app, grandchild))
  await execResume(home, grandchild, 'Again')
  expect(told(grandchild)).toEqual([...lines, 'Again'])
})

it('a worker resumes a fork whose parents are gone', { timeout }, async () => {
  const { app, grandchild, parentPath, childPath } = await makeFamily()
  rmSync(parentPath)
  rmSync(childPath)
  const resume = `codex:${grandchild}`
  const worker = await app.spawnWorker({ agent: 'codex', projectPath: home.work, resume, kind: 'headless' })
  await app.sendToWorker(worker.id, 'From a worker')
  expect(told(grandchild)).toEqual([...lines, 'From a worker'])
  // Gone again while the worker rests: what is sent next resumes it.
  rmSync(parentPath)
  const other = openApp()
  await app.stopWorker(worker.id)
  expect(await prompts(other, grandchild)).toEqual([...lines, 'From a worker'])
})

it('what was put back for a fork that failed is gone again', { timeout }, async () => {
  let failing = false
  const onForkStep = (moment: string) => {
    if (failing && moment === 'session begun') throw new Error('cut off')
  }
  const { app, grandchild, parentPath, childPath } = await makeFamily({ onForkStep })
  rmSync(parentPath)
  rmSync(childPath)
  const plan = await app.planFork({ address: `codex:${grandchild}`, code: 'none' })
  failing = true
  await expect(app.executeFork(plan, { accept: plan.confirm })).rejects.toThrow('cut off')
  expect([parentPath, childPath].filter((path) => existsSync(path))).toEqual([])
})

/** A parent of the turns One, Two and Instead of three, in two files, and a fork at its second turn that needs only the first. */
async function makeRewoundFamily() {
  const app = openApp()
  const opened = await openThread(home, 3)
  const { server, threadId: parent, turns } = opened
  const child = await server.fork(parent, { lastTurnId: turns[1]?.id ?? null })
  await addTurns(server, child, ['Child one'])
  await rewind(home, opened, 1)
  await addTurns(server, parent, ['Instead of three'])
  await server.stop()
  await app.archive({ sessions: [parent, child].map((sessionId) => ({ agent: 'codex', sessionId })) })
  const files = rolloutsOf(home, parent)
  expect(files).toHaveLength(2)
  return { app, parent, child, files }
}

it('forking a fork of a rewound parent puts back all files of the parent', { timeout }, async () => {
  const { app, parent, child, files } = await makeRewoundFamily()
  for (const path of files) rmSync(path)
  const plan = await app.planFork({ address: `codex:${child}`, code: 'none' })
  expect(plan.steps.filter((step) => step.startsWith('Put '))).toHaveLength(2)
  const { fork } = await app.executeFork(plan, { accept: plan.confirm })
  await execResume(home, fork.sessionId, 'In the fork')
  expect(told(fork.sessionId)).toEqual(['One', 'Two', 'Child one', 'In the fork'])
  expect((await find(app, parent)).state).toBe('present')
  expect(await prompts(app, parent)).toEqual(['One', 'Two', 'Instead of three'])
  await execResume(home, parent, 'Parent goes on')
  expect(told(parent)).toEqual(['One', 'Two', 'Instead of three', 'Parent goes on'])
  await openLongLived(home).agrees()
})

it.each(['first', 'second'])(
  'a rewound session whose %s file is gone is listed whole, forked and continued',
  {
    timeout,
  },
  async (which) => {
    const { app, parent, files } = await makeRewoundFamily()
    const isSecond = (path: string) => path.includes(`${parent}_`)
    const lost = files.find((path) => isSecond(path) === (which === 'second')) ?? ''
    const bytes = readFileSync(lost)
    rmSync(lost)
    expect((await startExec(home, ['resume', parent, 'x']).ended).code, 'Codex itself cannot open it').not.toBe(0)
    expect((await find(app, parent)).state).toBe('gone')
    expect(await prompts(app, parent)).toEqual(['One', 'Two', 'Instead of three'])
    const plan = await app.planFork({ address: `codex:${parent}`, at: 'last', code: 'none' })
    expect(plan.blockers).toEqual([])
    expect(plan.warnings.map(({ code }) => code)).toContain('source_archived')
    const { fork, proof } = await app.executeFork(plan, { accept: plan.confirm })
    expect(proof).toMatchObject({ sourceUnchanged: true, prefixVerified: true })
    expect(readFileSync(lost)).toEqual(bytes)
    await execResume(home, fork.sessionId, 'In the fork')
    expect(told(fork.sessionId)).toEqual(['One', 'Two', 'Instead of three', 'In the fork'])
    rmSync(lost)
    await app.openCommand(await find(app, parent))
    await execResume(home, parent, 'Parent goes on')
    expect(told(parent)).toEqual(['One', 'Two', 'Instead of three', 'Parent goes on'])
  },
)

it('a worker resumes a rewound session of which a file is gone', { timeout }, async () => {
  const { app, parent, files } = await makeRewoundFamily()
  rmSync(files[0] ?? '')
  const resume = `codex:${parent}`
  const worker = await app.spawnWorker({ agent: 'codex', projectPath: home.work, resume, kind: 'headless' })
  await app.sendToWorker(worker.id, 'From a worker')
  expect(told(parent)).toEqual(['One', 'Two', 'Instead of three', 'From a worker'])
  await app.stopWorker(worker.id)
})

it('a parent that is away for a while without any copy leaves its forks incomplete, and whole again afterwards', {
  timeout,
}, async () => {
  const life = openLongLived(home)
  const parent = await execNew(home, 'Parent one')
  await execResume(home, parent, 'Parent two')
  const child = await execFork(home, parent, 'Child one')
  const grandchild = await execFork(home, child, 'Grandchild one')
  await life.agrees()
  const [path = ''] = rolloutsOf(home, parent)
  const away = join(home.sandbox.root, 'away.jsonl')
  renameSync(path, away)
  for (const id of [child, grandchild]) expect((await life.session(id)).broken).toContain(parent)
  await life.agrees()
  renameSync(away, path)
  for (const id of [child, grandchild]) expect((await life.session(id)).broken).toBeNull()
  expect(await life.turns(grandchild)).toEqual(lines)
  await life.agrees()
})
