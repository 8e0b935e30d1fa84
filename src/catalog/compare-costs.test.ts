import { afterEach, beforeEach, expect, it } from 'vitest'
import { createSandbox, minuteMs, type Sandbox, startAt } from './sandbox.testkit.ts'

let sandbox: Sandbox
beforeEach(() => {
  sandbox = createSandbox()
})
afterEach(() => sandbox.close())

/** One turn of the sandbox: a second of work. */
const tokens = (turns: number) => ({ inputTokens: 110 * turns, cachedInputTokens: 100 * turns, outputTokens: 5 * turns })

async function compare(one: string, other: string) {
  const catalog = sandbox.catalog()
  const sessions = new Map((await catalog.listSessions()).map((each) => [each.id, each]))
  const [left, right] = [sessions.get(one), sessions.get(other)]
  if (left === undefined || right === undefined) throw new Error('not listed')
  const { sharedTurns, sides } = await catalog.compareCosts(left, right)
  return { sharedTurns, sides: sides.map(({ turns, usage, workedMs }) => ({ turns, usage, workedMs })) }
}

it('counts what came after the turn where two part: parent and fork, two forks, a fork of a fork', async () => {
  const parent = sandbox.session({ turns: 3 })
  const early = parent.fork({ at: startAt + 10 * minuteMs, upToTurn: 1, prompt: 'early' })
  const late = parent.fork({ at: startAt + 20 * minuteMs, upToTurn: 2, prompt: 'late' })
  late.addTurn('late again')
  const deep = late.fork({ at: startAt + 30 * minuteMs, prompt: 'deep' })
  const side = (turns: number) => ({ turns, usage: tokens(turns), workedMs: turns * 1000 })
  expect(await compare(parent.id, late.id)).toEqual({ sharedTurns: 2, sides: [side(1), side(2)] })
  expect(await compare(early.id, late.id)).toEqual({ sharedTurns: 1, sides: [side(1), side(3)] })
  expect(await compare(deep.id, parent.id)).toEqual({ sharedTurns: 2, sides: [side(3), side(1)] })
  expect(await compare(deep.id, late.id)).toEqual({ sharedTurns: 4, sides: [side(1), side(0)] })
  expect(await compare(late.id, late.id)).toEqual({ sharedTurns: 4, sides: [side(0), side(0)] })
})

it('counts everything of two that are no relatives', async () => {
  const [one, other] = [sandbox.session({ turns: 2 }), sandbox.session({ turns: 1 })]
  const side = (turns: number) => ({ turns, usage: tokens(turns), workedMs: turns * 1000 })
  expect(await compare(one.id, other.id)).toEqual({ sharedTurns: null, sides: [side(2), side(1)] })
})

it('counts all turns of a fork by seed, which are numbered anew, and of its parent those after the fork', async () => {
  const parent = sandbox.session({ turns: 3 })
  const seeded = sandbox.session({ turns: 2, at: startAt + 10 * minuteMs })
  const link = { agent: 'claude', sessionId: parent.id, turnId: null, turnNumber: 2, messageId: null, kind: 'seed' } as const
  const catalog = sandbox.catalog()
  catalog.store().forks.put({
    id: 'f1',
    state: 'made',
    agent: 'claude',
    sessionId: seeded.id,
    strategy: 'seed',
    title: 'Fork of it',
    file: seeded.path,
    fileBytes: 1,
    createdPaths: [],
    cwd: sandbox.root,
    command: { argv: [], cwd: sandbox.root, env: {} },
    workspaceId: null,
    parent: link,
    source: {},
    proof: null,
    createdAt: startAt,
    undoneAt: null,
  })
  const side = (turns: number) => ({ turns, usage: tokens(turns), workedMs: turns * 1000 })
  expect(await compare(parent.id, seeded.id)).toEqual({ sharedTurns: 2, sides: [side(1), side(2)] })
})
