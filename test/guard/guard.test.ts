// SF6 over real repositories, worktrees and links: what is outside is not listed, not readable, not forkable, by no name.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { App } from '../../src/app.ts'
import { type GuardedApp, guardApp, type Refusal } from '../../src/guarded-app.ts'
import type { CatalogSession } from '../../src/model/catalog.ts'
import type { AppEvent } from '../../src/model/event.ts'
import type { ForkRequest } from '../../src/model/fork.ts'
import { makeWorker, settingsWith } from '../../src/model/worker.testkit.ts'
import type { Worker, WorkerRequest } from '../../src/model/worker.ts'
import { createSandbox, type Sandbox } from '../search/sandbox.ts'

let sandbox: Sandbox
let refusals: Refusal[]
beforeEach(() => {
  sandbox = createSandbox()
  refusals = []
})
afterEach(() => sandbox.close())

function guard(app: App, roots: readonly string[]): GuardedApp {
  const onRefusal = (refusal: Refusal) => void refusals.push(refusal)
  return guardApp(app, { roots, surface: 'http', onRefusal, now: Date.now, home: sandbox.home })
}

const git = (folder: string, ...args: string[]) => execFileSync('git', ['-C', folder, ...args], { stdio: 'pipe' })
const idsOf = (sessions: readonly CatalogSession[]) => sessions.map(({ id }) => id).sort()
const refused = { code: 'refused', httpStatus: 403 }
const unknown = { code: 'session_not_found', httpStatus: 404 }
const unknownWorker = { code: 'worker_not_found', httpStatus: 404 }

describe('what is inside', () => {
  test('the root, what lies in it, and worktrees of its repository wherever they are', async () => {
    const project = sandbox.repository('proj')
    git(project, 'worktree', 'add', '-q', join(sandbox.root, 'elsewhere'), '-b', 'side')
    mkdirSync(join(project, 'packages/x'), { recursive: true })
    const inside = [project, join(project, 'packages/x'), join(sandbox.root, 'elsewhere')].map((cwd) =>
      sandbox.session(['inside'], { cwd }),
    )
    const evil = sandbox.repository('proj-evil')
    const outside = [evil, sandbox.root, '/', sandbox.repository('other')].map((cwd) => sandbox.session(['outside'], { cwd }))
    const app = sandbox.app()
    const guarded = guard(app, [project])
    expect(idsOf(await guarded.listSessions())).toEqual(inside.map(({ id }) => id).sort())
    for (const { id } of outside) {
      await expect(guarded.session(id)).rejects.toMatchObject(unknown)
      await expect(guarded.resolve(`${id.slice(0, 12)}@1`)).rejects.toMatchObject(unknown)
    }
    expect(refusals).toHaveLength(8)
    expect(refusals[0]).toMatchObject({ verb: 'session http', subject: `claude:${outside[0]?.id}` })
  })

  test('no roots: nothing', async () => {
    const project = sandbox.repository('proj')
    const { id } = sandbox.session(['x'], { cwd: project })
    const guarded = guard(sandbox.app(), [])
    expect(await guarded.listSessions()).toEqual([])
    expect((await guarded.search({ text: 'x' })).results).toEqual([])
    expect(await guarded.tree()).toEqual([])
    await expect(guarded.session(id)).rejects.toMatchObject(unknown)
    await expect(guarded.scopeOf()).rejects.toMatchObject(refused)
    await expect(guarded.scopeOf(project)).rejects.toMatchObject(refused)
  })

  test('narrowed to other folders: only what lies in both', async () => {
    const [project, other] = [sandbox.repository('proj'), sandbox.repository('other')]
    const worktree = join(sandbox.root, 'elsewhere')
    git(project, 'worktree', 'add', '-q', worktree, '-b', 'side')
    const inside = sandbox.session(['in'], { cwd: project })
    const beside = sandbox.session(['beside'], { cwd: other })
    const app = sandbox.app()
    const narrowed = (roots: readonly string[], within: readonly string[]) =>
      guardApp(app, { roots, within, surface: 'http', onRefusal: () => undefined, now: Date.now, home: sandbox.home })
    const seen = async (guarded: GuardedApp) => idsOf(await guarded.listSessions())
    expect(await seen(narrowed([project, other], [other]))).toEqual([beside.id])
    expect(await seen(narrowed([project], [sandbox.root]))).toEqual([inside.id])
    expect(await seen(narrowed([sandbox.root], [project]))).toEqual([inside.id])
    expect(await seen(narrowed([project], [other]))).toEqual([])
    expect(await seen(narrowed([project], []))).toEqual([])
    // The first of its folders that both let through, also a worktree that lies in no root.
    expect(await narrowed([project, other], [other]).scopeOf()).toBe(other)
    expect(await narrowed([project], [sandbox.root]).scopeOf()).toBe(project)
    expect(await narrowed([project], [worktree]).scopeOf()).toBe(worktree)
    await expect(narrowed([project], [other]).scopeOf()).rejects.toMatchObject(refused)
    await expect(narrowed([project, other], [other]).scopeOf(project)).rejects.toMatchObject(refused)
    await expect(narrowed([project, other], [other]).session(inside.id)).rejects.toThrow()
    expect((await narrowed([project, other], [other]).search({ text: 'in' })).results).toEqual([])
  })

  test.each(['', '.', 'proj', '~'])('a root %j would open wherever the server stands: refused', (root) => {
    expect(() => guard(sandbox.app(), [root])).toThrow(/absolute path/)
  })

  test('a link out of the root leads out, whatever is at its end, and one into it leads in', async () => {
    const project = sandbox.repository('proj')
    const plain = join(sandbox.root, 'secret')
    mkdirSync(plain)
    symlinkSync(plain, join(project, 'link'))
    symlinkSync(sandbox.repository('secret-repo'), join(project, 'link-repo'))
    symlinkSync(project, join(sandbox.root, 'way-in'))
    const inside = sandbox.session(['in'], { cwd: join(sandbox.root, 'way-in') })
    for (const cwd of ['link', 'link-repo', 'link/gone/x']) sandbox.session(['out'], { cwd: join(project, cwd) })
    const app = sandbox.app()
    // The project is known to the catalogue before the linked folder is met: its name then lies in a known repository.
    await app.repositoryOf(project)
    const guarded = guard(app, [join(sandbox.root, 'way-in')])
    expect(guarded.roots).toEqual([project])
    expect(idsOf(await guarded.listSessions())).toEqual([inside.id])
    for (const folder of ['link', 'link-repo', 'link/gone', '../secret', 'link/../proj-evil']) {
      await expect(guarded.scopeOf(`${project}/${folder}`)).rejects.toMatchObject(refused)
    }
    expect(await guarded.scopeOf(join(sandbox.root, 'way-in'))).toBe(project)
  })

  test('a worktree that is gone is judged by its recorded repository', async () => {
    const project = sandbox.repository('proj')
    const tree = join(sandbox.root, 'tree')
    git(project, 'worktree', 'add', '-q', tree, '-b', 'side')
    const { id } = sandbox.session(['x'], { cwd: tree })
    const app = sandbox.app()
    await app.refresh()
    rmSync(tree, { recursive: true })
    sandbox.session(['never seen'], { cwd: join(sandbox.root, 'tree2') })
    expect(idsOf(await guard(app, [project]).listSessions())).toEqual([id])
  })

  test('a gone folder replaced by a link to elsewhere does not open elsewhere', async () => {
    const project = sandbox.repository('proj')
    const tree = join(sandbox.root, 'tree')
    git(project, 'worktree', 'add', '-q', tree, '-b', 'side')
    sandbox.session(['x'], { cwd: tree })
    const app = sandbox.app()
    await app.refresh()
    renameSync(tree, `${tree}-moved`)
    mkdirSync(join(sandbox.root, 'secret'))
    symlinkSync(join(sandbox.root, 'secret'), tree)
    expect(await guard(app, [project]).listSessions()).toEqual([])
  })

  test('a folder of many repositories opens them all, with their worktrees', async () => {
    const code = join(sandbox.root, 'code')
    mkdirSync(code)
    const project = sandbox.repository('code/one')
    git(project, 'worktree', 'add', '-q', join(sandbox.root, 'w'), '-b', 'side')
    const inside = [project, join(sandbox.root, 'w'), code].map((cwd) => sandbox.session(['x'], { cwd }))
    sandbox.session(['x'], { cwd: sandbox.repository('two') })
    const guarded = guard(sandbox.app(), [code])
    expect(idsOf(await guarded.listSessions())).toEqual(inside.map(({ id }) => id).sort())
    expect(idsOf(await guarded.listSessions({ projectPath: project }))).toEqual(
      inside
        .slice(0, 2)
        .map(({ id }) => id)
        .sort(),
    )
  })

  test('dotfiles: a repository at the home folder does not open everything in it', async () => {
    git(sandbox.root, 'init', '-q', sandbox.home)
    const [mine, other] = ['mine', 'other'].map((name) => join(sandbox.home, name))
    if (mine === undefined || other === undefined) throw new Error('two folders')
    mkdirSync(mine)
    mkdirSync(other)
    const { id } = sandbox.session(['x'], { cwd: mine })
    const { id: otherId } = sandbox.session(['x'], { cwd: other })
    const app = sandbox.app()
    expect(idsOf(await guard(app, [mine]).listSessions())).toEqual([id])
    expect(idsOf(await guard(app, [sandbox.home]).listSessions())).toEqual([id, otherId].sort())
  })
})

describe('names', () => {
  test('last, prefixes, paths and ids in two places mean only what may be seen', async () => {
    const project = sandbox.repository('proj')
    const other = sandbox.repository('other')
    const own = sandbox.session(['one', 'two'], { cwd: project, id: 'aaaa1111-0000-4000-8000-000000000001' })
    const foreign = sandbox.session(['x'], { cwd: other, id: 'aaaa1111-0000-4000-8000-000000000002', at: Date.UTC(2026, 10, 9) })
    const twice = sandbox.session(['here'], { cwd: project, id: 'bbbb1111-0000-4000-8000-000000000003' })
    sandbox.session(['there'], { cwd: other, id: twice.id })
    const guarded = guard(sandbox.app({ cwd: other }), [project])
    expect((await guarded.resolve('last')).session.cwd).toBe(project)
    expect((await guarded.resolve('aaaa1111@2')).turn?.prompt).toBe('two')
    expect((await guarded.resolve(`${own.path}@-2`)).turn?.prompt).toBe('one')
    expect((await guarded.session(`claude:${twice.id}`)).path).toBe(twice.path)
    expect((await guarded.resolve(`${twice.id}@1`)).turn?.prompt).toBe('here')
    await expect(guarded.resolve(foreign.path)).rejects.toMatchObject(unknown)
    await expect(guarded.resolve(`${foreign.path}@1`)).rejects.toMatchObject(unknown)
    await expect(guarded.session('aaaa1111-0000')).rejects.toMatchObject({ code: 'session_not_found' })
    const missing = await guarded.session('aaaa1111-0000-4000-8000-000000000009').catch((error: unknown) => error)
    expect(JSON.stringify(missing)).not.toContain(foreign.id)
    expect(String(missing)).toContain(`claude:${own.id}`)
    for (const id of ['../../etc/passwd', 'claude:../x', 'a/b', 'x y', '', `${'a'.repeat(200)}`, 'gemini:abcdefgh', 'abcd\n']) {
      await expect(guarded.session(id)).rejects.toMatchObject({ code: 'bad_address' })
    }
  })

  test('a session handed in is only a name', async () => {
    const project = sandbox.repository('proj')
    const own = sandbox.session(['mine'], { cwd: project })
    const foreign = sandbox.session(['secret'], { cwd: sandbox.repository('other') })
    const guarded = guard(sandbox.app(), [project])
    const session = await guarded.session(own.id)
    const forged = { ...session, path: foreign.path }
    await expect(guarded.listTurns(forged)).rejects.toMatchObject(unknown)
    await expect(guarded.tree(forged)).rejects.toMatchObject(unknown)
    await expect(guarded.readSession(forged)[Symbol.asyncIterator]().next()).rejects.toMatchObject(unknown)
    await expect(guarded.sendToSession(forged, 'x')).rejects.toMatchObject(unknown)
    const texts: string[] = []
    for await (const entry of guarded.readSession(session)) if (entry.kind === 'message') texts.push(entry.message.text)
    expect(texts[0]).toBe('mine')
    expect(await guarded.listTurns(session)).toHaveLength(1)
  })

  test('a session made after the last look is found at once', async () => {
    const project = sandbox.repository('proj')
    const guarded = guard(sandbox.app(), [project])
    expect(await guarded.listSessions()).toEqual([])
    const { id } = sandbox.session(['x'], { cwd: project })
    expect((await guarded.session(id)).id).toBe(id)
  })
})

test('with a watch: nothing is walked over for a list, and what is written shows all the same', async () => {
  const project = sandbox.repository('proj')
  const first = sandbox.session(['one'], { cwd: project })
  const app = sandbox.app()
  let walks = 0
  const counted: App = {
    ...app,
    listSessions(query, options) {
      if (options?.refresh !== false) walks += 1
      return app.listSessions(query, options)
    },
  }
  let watched = false
  const guarded = guardApp(counted, {
    roots: [project],
    surface: 'http',
    onRefusal: () => undefined,
    now: Date.now,
    home: sandbox.home,
    isWatched: () => watched,
  })
  expect(idsOf(await guarded.listSessions())).toEqual([first.id])
  const watch = await app.keepWatch()
  watched = true
  walks = 0
  const second = sandbox.session(['two'], { cwd: project })
  await expect.poll(async () => idsOf(await guarded.listSessions()), { timeout: 15_000 }).toEqual([first.id, second.id].sort())
  first.add('three')
  const session = await guarded.session(first.id)
  await expect.poll(async () => (await guarded.listTurns(session)).length, { timeout: 15_000 }).toBe(2)
  expect(walks).toBe(0)
  await watch.close()
})

test('lineage: a parent outside is neither shown nor named, its child inside becomes a root', async () => {
  const project = sandbox.repository('proj')
  const parent = sandbox.session(['one', 'two'], { cwd: sandbox.repository('other') })
  const child = sandbox.session(['three'], { cwd: project, copied: parent.lines, at: Date.UTC(2026, 10, 2) })
  const app = sandbox.app()
  const [root] = await app.tree((await app.resolve(child.id)).session)
  expect(root?.session.id).toBe(parent.id) // it is a fork, to those who may see all
  const guarded = guard(app, [project])
  const session = await guarded.session(child.id)
  expect(session.parent).toBeNull()
  for (const forest of [await guarded.tree(), await guarded.tree(session)]) {
    expect(forest.map((node) => [node.session.id, node.forkKind, node.children.length])).toEqual([[child.id, null, 0]])
  }
  expect(JSON.stringify(await guarded.tree())).not.toContain(parent.id)
})

describe('search', () => {
  test('fills up to its limit though nearly everything else is outside and fits better', async () => {
    const project = sandbox.repository('proj')
    const other = sandbox.repository('other')
    for (const topic of ['weather', 'cooking', 'trains', 'music', 'gardens']) {
      for (let count = 0; count < 6; count += 1) sandbox.session([`about ${topic}, part ${count}`], { cwd: other })
    }
    for (let count = 0; count < 12; count += 1) sandbox.session(['parser bug, parser bug, parser bug'], { cwd: other })
    const own = [1, 2, 3].map(() => sandbox.session(['a bug in the parser, among other things'], { cwd: project }))
    const guarded = guard(sandbox.app(), [project])
    const { results } = await guarded.search({ text: 'parser bug', limit: 3 })
    expect(results.map(({ session }) => session.id).sort()).toEqual(own.map(({ id }) => id).sort())
    expect((await guarded.search({ text: 'agent:claude', limit: 3 })).results).toHaveLength(3)
    expect((await guarded.search({ text: 'parser', among: new Set(['claude:/x']) })).results).toHaveLength(3)
    await expect(guarded.search({ text: 'parser', repo: other })).rejects.toMatchObject(refused)
    await expect(guarded.search({ text: 'parser', projectPath: other })).rejects.toMatchObject(refused)
    expect((await guarded.search({ text: 'parser repo:other' })).results).toEqual([])
  })

  test('shows a deleted session of the project with a warning, and none of another', async () => {
    const project = sandbox.repository('proj')
    const [own, foreign] = [project, sandbox.repository('other')].map((cwd) => sandbox.session(['about a kiwi'], { cwd }))
    const app = sandbox.app()
    await app.updateIndex()
    for (const session of [own, foreign]) rmSync(session?.path ?? '')
    const { results } = await guard(app, [project]).search({ text: 'kiwi' })
    expect(results).toMatchObject([{ session: { id: own?.id }, canFork: false, warning: expect.stringContaining('gone') }])
  })

  test('without qmd the latest sessions are those that may be seen', async () => {
    const project = sandbox.repository('proj')
    const own = sandbox.session(['mine'], { cwd: project })
    sandbox.session(['theirs'], { cwd: sandbox.repository('other') })
    const guarded = guard(sandbox.app({ vars: { ...sandbox.vars, PATH: '/usr/bin:/bin' } }), [project])
    const error = await guarded.search({ text: 'x', engine: 'qmd' }).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({
      code: 'qmd_not_available',
      details: { fallbackSessions: [{ id: own.id }], nextSteps: expect.any(Array) },
    })
  })
})

describe('forks', () => {
  async function place() {
    const project = sandbox.repository('proj')
    const other = sandbox.repository('other')
    const own = sandbox.session(['one', 'two'], { cwd: project })
    const foreign = sandbox.session(['secret'], { cwd: other })
    return { project, other, own, foreign, app: sandbox.app({ cwd: other }) }
  }

  test('no address leads to a session outside', async () => {
    const { project, foreign, own, app } = await place()
    const guarded = guard(app, [project])
    for (const address of [foreign.id, `claude:${foreign.id.slice(0, 9)}`, foreign.path, `${foreign.path}@1`]) {
      await expect(guarded.planFork({ address })).rejects.toMatchObject(unknown)
      await expect(guarded.fork({ address })).rejects.toMatchObject(unknown)
      await expect(guarded.diff({ from: address, to: null })).rejects.toMatchObject(unknown)
      await expect(guarded.diff({ from: own.id, to: address })).rejects.toMatchObject(unknown)
    }
    expect((await guarded.planFork({ address: 'last' })).parent.sessionId).toBe(own.id)
    await expect(guarded.diff({ from: 'now', to: 'now' })).rejects.toMatchObject({ code: 'usage' })
  })

  test('a plan of a session outside is neither shown nor executed', async () => {
    const { project, other, own, foreign, app } = await place()
    const guarded = guard(app, [project])
    const { id } = await guard(app, [other]).planFork({ address: foreign.id, code: 'none' })
    await expect(guarded.plannedFork(id)).rejects.toMatchObject({ code: 'plan_stale' })
    await expect(guarded.executePlanned(id)).rejects.toMatchObject({ code: 'plan_stale' })
    const worker = { agent: 'claude', projectPath: project, resume: own.id, fork: true, planId: id } as const
    await expect(guarded.spawnWorker(worker)).rejects.toMatchObject({ code: 'plan_stale' })
    expect(await app.listForks()).toEqual([])
    const plan = await guarded.planFork({ address: own.id, code: 'none' })
    expect((await guarded.executePlanned(plan.id)).fork.id).toBe(plan.id)
  })

  test('a turn is a turn and no second address', async () => {
    const { project, foreign, own, app } = await place()
    const guarded = guard(app, [project])
    for (const turn of [`1@${foreign.path}@1`, `${foreign.path}@1`, `x${foreign.path}`, '1 ', 'm:a/b', '']) {
      for (const field of ['at', 'before', 'codeAt'] as const) {
        const request: ForkRequest = { address: own.id, [field]: turn }
        await expect(guarded.planFork(request)).rejects.toMatchObject({ code: 'bad_address' })
      }
    }
    expect((await guarded.planFork({ address: own.id, at: '@1' })).keptTurns).toBe(1)
    expect((await guarded.planFork({ address: own.id, before: '-1' })).pendingPrompt).toBe('two')
  })

  test('a fork made through the guard may be seen at once', async () => {
    const { project, own, app } = await place()
    const guarded = guard(app, [project])
    await guarded.listSessions()
    const { fork } = await guarded.fork({ address: own.id, at: '1', code: 'head', terminal: 'none' })
    expect(existsSync(fork.workspace?.path ?? '')).toBe(true)
    expect((await guarded.session(fork.sessionId)).parent?.sessionId).toBe(own.id)
    expect((await guarded.tree(await guarded.session(own.id)))[0]?.children).toHaveLength(1)
  })
})

describe('workers', () => {
  const worker = (name: string, cwd: string, sessionId: string | null = null): Worker => {
    const command = { argv: ['claude'], cwd, env: { KEY: 'secret-1' } }
    return makeWorker({ id: `id-${name}`, name, cwd, sessionId, command, settings: settingsWith({ TOKEN: 'secret-2' }) })
  }

  /** The real app, its workers told by the test: running agents are another test's business. */
  function withWorkers(app: App, workers: readonly Worker[]) {
    const asked: unknown[][] = []
    let hear = (_: AppEvent): void => undefined
    const found = (name: string) => {
      const one = workers.find((each) => [each.name, each.id].includes(name))
      if (one === undefined) throw Object.assign(new Error(`no ${name}`), { code: 'worker_not_found' })
      return one
    }
    const note =
      (verb: string) =>
      async (...args: unknown[]) => {
        asked.push([verb, ...args])
        return found(String(args[0]))
      }
    const faked: App = {
      ...app,
      listWorkers: async () => workers,
      findWorker: async (name) => found(name),
      async spawnWorker(request: WorkerRequest) {
        asked.push(['spawn', request])
        const [first] = workers
        if (first === undefined) throw new Error('no worker')
        return { ...first, fork: null, pendingPrompt: null }
      },
      stopWorker: note('stop'),
      interruptWorker: note('interrupt'),
      answerPermission: note('permission'),
      async sendToWorker(name, prompt) {
        asked.push(['send', name, prompt])
        return { worker: found(name), delivery: 'confirmed', answer: null, outcome: 'complete', error: null }
      },
      onEvent(listener) {
        hear = listener
        return () => {
          hear = () => undefined
        }
      },
    }
    return { app: faked, asked, tell: (event: AppEvent) => hear(event) }
  }

  test('only those inside are listed, asked, stopped; their variables stay secret', async () => {
    const project = sandbox.repository('proj')
    const other = sandbox.repository('other')
    const foreign = sandbox.session(['x'], { cwd: other })
    const workers = [worker('mine', project), worker('theirs', other), worker('posing', project, foreign.id)]
    const { app, asked } = withWorkers(sandbox.app(), workers)
    const guarded = guard(app, [project])
    const listed = await guarded.listWorkers()
    expect(listed.map(({ name }) => name)).toEqual(['mine'])
    expect(JSON.stringify([listed, await guarded.findWorker('mine')])).not.toContain('secret')
    for (const name of ['theirs', 'id-theirs', 'posing']) {
      await expect(guarded.findWorker(name)).rejects.toMatchObject(unknownWorker)
      await expect(guarded.sendToWorker(name, 'x')).rejects.toMatchObject(unknownWorker)
      await expect(guarded.stopWorker(name)).rejects.toMatchObject(unknownWorker)
      await expect(guarded.interruptWorker(name)).rejects.toMatchObject(unknownWorker)
      await expect(guarded.forkWorker(name)).rejects.toMatchObject(unknownWorker)
      await expect(guarded.answerPermission(name, 'r', { verdict: 'allow' })).rejects.toMatchObject(unknownWorker)
      await expect(guarded.resolve(`worker:${name}`)).rejects.toMatchObject(unknownWorker)
      await expect(guarded.fork({ address: `worker:${name}@1` })).rejects.toMatchObject(unknownWorker)
    }
    await guarded.sendToWorker('mine', 'hello')
    expect(asked).toEqual([['send', 'id-mine', 'hello']])
  })

  test('spawning: project path and session to resume are judged and handed on as what was judged', async () => {
    const project = sandbox.repository('proj')
    const other = sandbox.repository('other')
    symlinkSync(other, join(project, 'link'))
    symlinkSync(project, join(sandbox.root, 'way-in'))
    const own = sandbox.session(['x'], { cwd: project })
    const foreign = sandbox.session(['x'], { cwd: other })
    const { app, asked } = withWorkers(sandbox.app({ cwd: other }), [worker('mine', project)])
    const guarded = guard(app, [project])
    const agent = 'claude'
    for (const projectPath of [other, join(project, 'link'), `${project}/link/../other`, `${project}-evil`, 'proj', '']) {
      await expect(guarded.spawnWorker({ agent, projectPath })).rejects.toMatchObject(refused)
    }
    for (const resume of [foreign.id, foreign.path, foreign.id.slice(0, 10)]) {
      await expect(guarded.spawnWorker({ agent, projectPath: project, resume })).rejects.toMatchObject(unknown)
    }
    expect(asked).toEqual([])
    await guarded.spawnWorker({ agent, projectPath: join(sandbox.root, 'way-in'), resume: 'last', fork: true, atTurn: '@1' })
    expect(asked).toEqual([
      ['spawn', { agent, projectPath: project, resume: own.path, fork: true, atTurn: '1', isOpen: expect.any(Function) }],
    ])
  })

  test('events about what is outside are not passed, those about the rest in their order', async () => {
    const project = sandbox.repository('proj')
    const other = sandbox.repository('other')
    const own = sandbox.session(['x'], { cwd: project })
    const foreign = sandbox.session(['x'], { cwd: other })
    const { app, tell } = withWorkers(sandbox.app(), [])
    const guarded = guard(app, [project])
    const heard: AppEvent[] = []
    const stop = guarded.onEvent((event) => heard.push(event))
    const of = (sessionId: string | null, cwd: string) => ({ agent: 'claude' as const, sessionId, cwd, workerId: null })
    const updated = (id: number, sessionId: string, cwd: string | null): AppEvent => ({
      id,
      at: 0,
      type: 'session.updated',
      data: { agent: 'claude', sessionId, cwd, change: 'updated' },
    })
    tell(updated(1, own.id, null))
    tell(updated(2, foreign.id, null))
    tell(updated(3, 'never-seen-before', null))
    tell(updated(4, 'never-seen-before', project))
    tell(updated(5, foreign.id, project)) // its own folder counts, not what the event says
    tell({ id: 6, at: 0, type: 'worker.ready', data: of(null, other) })
    tell({ id: 7, at: 0, type: 'worker.ready', data: of(null, project) })
    tell({ id: 8, at: 0, type: 'index.progress', data: { files: 8, filesDone: 2, bytes: 0, bytesDone: 0 } })
    tell({
      id: 9,
      at: 0,
      type: 'worker.created',
      data: { ...of(own.id, project), worker: worker('mine', project), persistent: true },
    })
    await expect.poll(() => heard.map(({ id }) => id)).toEqual([1, 4, 7, 8, 9])
    expect(JSON.stringify(heard)).not.toContain('secret')
    expect(heard[3]?.data).toEqual({ files: 100, filesDone: 25, bytes: 100, bytesDone: 100 }) // not how many the machine has
    stop()
    tell(updated(10, own.id, project))
    await guarded.listSessions()
    expect(heard).toHaveLength(5)
  })
})
