// The clock of the machine is set back, by hours, between two commands or in the middle of a turn: the order of what was done stays the
// order in which it was done.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { App } from '../../src/app.ts'
import { createPlanMemory, type PlannedFork } from '../../src/fork/planned.ts'
import { type HookedSession, hookedSession, playTurn } from '../capture/session.ts'
import { tellHere } from '../capture/tell.ts'
import { makeFakeAgent } from '../cli/fake-agent.ts'
import { createSandbox, type Sandbox } from '../fork/sandbox.ts'

const hourMs = 3_600_000

let sandbox: Sandbox
let repo: string
let clock: number
let app: App
beforeEach(() => {
  sandbox = createSandbox()
  repo = sandbox.repository('repo')
  clock = Date.now()
  const vars = { PATH: `${makeFakeAgent(sandbox.root)}:${process.env.PATH}` }
  app = sandbox.app({
    cwd: repo,
    now: () => (clock += 1),
    vars: { ...vars, HOME: sandbox.home, OFFSHOOT_HOME: sandbox.offshootHome },
  })
})
afterEach(() => sandbox.close())

const fork = async (id: string) => (await app.fork({ address: id, code: 'head' }, { accept: ['dirty'] })).fork

test('undo takes back what was done last, not what has the latest time', async () => {
  const { id } = sandbox.session({ cwd: repo, turns: 1 })
  const first = await fork(id)
  clock -= 2 * hourMs
  const second = await fork(id)
  expect((await app.listForks()).map((each) => each.fork.id)).toEqual([second.id, first.id])
  await app.undo()
  expect((await app.listForks()).map(({ fork: { id: one }, state }) => [one, state])).toEqual([
    [second.id, 'undone'],
    [first.id, 'made'],
  ])
  clock -= 2 * hourMs
  const { start } = await app.start({ agent: 'claude' })
  await expect(app.undo()).resolves.toMatchObject({ kind: 'start', start: { id: start.id } })
  expect(existsSync(first.command.cwd)).toBe(true)
})

test('undo after a restore means the restore, also when a fork has a later time', async () => {
  const session = hookedSession(sandbox.projects, repo)
  const file = join(repo, 'a.txt')
  for (const text of ['one\n', 'two\n']) await turn(session, () => writeFileSync(file, text))
  const made = await fork(session.id)
  clock -= 2 * hourMs
  await app.restore(await app.planRestore({ address: `${session.id}@1` }))
  expect(readFileSync(file, 'utf8')).toBe('one\n')
  await app.undo()
  expect(readFileSync(file, 'utf8')).toBe('two\n')
  expect(existsSync(made.command.cwd)).toBe(true)
})

test('each turn keeps its own code when the clock goes back between turns and within one', async () => {
  const session = hookedSession(sandbox.projects, repo)
  const file = join(repo, 'a.txt')
  await turn(session, () => writeFileSync(file, 'one\n'))
  clock -= 2 * hourMs
  await turn(session, () => writeFileSync(file, 'two\n'))
  await turn(session, () => {
    writeFileSync(file, 'three\n')
    clock -= 2 * hourMs
  })
  await turn(session, () => writeFileSync(file, 'four\n'))
  const turns = await app.listTurns((await app.resolve(session.id)).session)
  expect(turns.map(({ number }) => number)).toEqual([1, 2, 3, 4])
  const codes: string[] = []
  for (const number of [1, 2, 3, 4]) {
    const made = await app.fork({ address: `${session.id}@${number}`, code: 'turn' }, { accept: ['newer_turns'] })
    codes.push(readFileSync(join(made.fork.command.cwd, 'a.txt'), 'utf8'))
  }
  expect(codes).toEqual(['one\n', 'two\n', 'three\n', 'four\n'])
  for (const number of [3, 1]) {
    await app.restore(await app.planRestore({ address: `${session.id}@${number}` }))
    expect(readFileSync(file, 'utf8')).toBe(codes[number - 1])
  }
})

test('a plan does not outlive its hour because the clock was set back', () => {
  const memory = createPlanMemory(() => clock)
  const planned = { request: {}, plan: { id: 'p1' } } as unknown as PlannedFork
  memory.remember(planned)
  expect(memory.find('p1').plan.id).toBe('p1')
  clock -= 2 * hourMs
  expect(() => memory.find('p1')).toThrow(expect.objectContaining({ code: 'plan_stale' }))
})

/** A second goes by with each look at the clock. */
async function turn(session: HookedSession, work: () => void): Promise<void> {
  const now = () => (clock += 1000)
  await playTurn((payload) => tellHere(sandbox.offshootHome, payload, 'claude', now), session, 'do it', work)
}
