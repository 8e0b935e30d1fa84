import { appendFileSync, copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { inferParents, type Member } from './lineage.ts'
import { createSandbox, minuteMs, type Sandbox, startAt } from './sandbox.testkit.ts'

let sandbox: Sandbox
beforeEach(() => {
  sandbox = createSandbox()
})
afterEach(() => sandbox.close())

describe('lineage of sessions Claude Code wrote', () => {
  const samples = {
    parent: ['print-5turns-tools-parallel-subagent-2.1.325', 'a4591b8e-1f9d-4231-844c-419054dcbb44'],
    fork: ['print-fork-session-2.1.325', '365eaf87-6869-4d8e-96d5-c6d0089ee3cb'],
    rewound: ['branched-in-place-2.1.325', '30b81d1c-8428-4b10-9d00-e983d9721c9b'],
    sdk: ['sdk-forkSession-upTo-turn2-2.1.325', '934b9dfc-f5a9-473a-85e5-ee1dbf5fecc5'],
    interactive: ['interactive-2.1.197', '4a62ac61-c3c3-4285-a1dd-ee98c7bb961f'],
    branch: ['interactive-branch-compact-2.1.197', 'b7e0a86a-9503-4232-961a-52f107a187a7'],
  } as const

  it.each(['1e999', '1e308', '-5', '0.5', '9007199254740993'])('is told although a file counts %s tokens', async (count) => {
    const first = sandbox.session({ turns: 2 })
    const second = first.fork({ at: startAt + minuteMs })
    for (const { path } of [first, second]) {
      const forged = readFileSync(path, 'utf8').replaceAll(/"(input_tokens|output_tokens)":\d+/g, `"$1":${count}`)
      expect(forged).toContain(count)
      writeFileSync(path, forged)
    }
    const sessions = await sandbox.catalog().listSessions()
    expect(sessions.map(({ id, parent }) => [id, parent?.sessionId])).toContainEqual([second.id, first.id])
    for (const { usage } of sessions) expect(usage).toMatchObject({ inputTokens: expect.any(Number), outputTokens: 0 })
  })

  it('is found in every way of forking', async () => {
    const folder = join(sandbox.projects, 'p')
    mkdirSync(folder, { recursive: true })
    for (const [name, id] of Object.values(samples)) {
      copyFileSync(fileURLToPath(new URL(`../agents/claude/samples/${name}.jsonl`, import.meta.url)), join(folder, `${id}.jsonl`))
    }
    const sessions = await sandbox.catalog().listSessions()
    const linkOf = (name: keyof typeof samples) => {
      const session = sessions.find(({ id }) => id === samples[name][1])
      const parent = Object.keys(samples).find((each) => samples[each as keyof typeof samples][1] === session?.parent?.sessionId)
      return [parent ?? null, session?.parent?.kind, session?.parent?.turnNumber, session?.ownTurns]
    }
    expect(linkOf('parent')).toEqual([null, undefined, undefined, 5])
    expect(linkOf('fork')).toEqual(['parent', 'inferred', 5, 1])
    expect(linkOf('rewound')).toEqual(['parent', 'inferred', 2, 2])
    expect(linkOf('sdk')).toEqual(['parent', 'branch', 2, 1])
    expect(linkOf('interactive')).toEqual([null, undefined, undefined, 2])
    // It was compacted after the fork, within the last turn it inherited: those messages are its own.
    expect(linkOf('branch')).toEqual(['interactive', 'branch', 2, 0])
    const branch = sessions.find(({ id }) => id === samples.branch[1])
    const origin = sessions.find(({ id }) => id === samples.interactive[1])
    expect(branch?.ownMessages).toBe((branch?.messages ?? 0) - (origin?.messages ?? 0))
  })
})

describe('lineage of sessions that record nothing', () => {
  it('finds parent, turn and message of a fork, and of a fork of a fork', async () => {
    const a = sandbox.session({ turns: 3 })
    const b = a.fork({ at: startAt + 10 * minuteMs, prompt: 'b4' })
    b.addTurn('b5')
    const c = b.fork({ at: startAt + 20 * minuteMs, prompt: 'c6' })
    a.addTurn('a4', startAt + 30 * minuteMs)
    const sessions = new Map((await sandbox.catalog().listSessions()).map((each) => [each.id, each]))
    expect(sessions.get(a.id)?.parent).toBeNull()
    expect(sessions.get(b.id)?.parent).toEqual({
      agent: 'claude',
      sessionId: a.id,
      turnId: a.lines[4]?.uuid,
      turnNumber: 3,
      messageId: a.lines[5]?.uuid,
      kind: 'inferred',
    })
    expect(sessions.get(c.id)?.parent).toMatchObject({ sessionId: b.id, turnNumber: 5, turnId: b.lines[8]?.uuid })
  })

  it('counts an inherited prefix once', async () => {
    const a = sandbox.session({ turns: 3 })
    a.fork({ at: startAt + 10 * minuteMs })
    a.fork({ at: startAt + 11 * minuteMs, upToTurn: 2 })
    const sessions = await sandbox.catalog().listSessions()
    expect(sessions.map(({ turns }) => turns).sort()).toEqual([3, 3, 4])
    const sum = (pick: (session: (typeof sessions)[number]) => number) => sessions.reduce((total, each) => total + pick(each), 0)
    expect(sum(({ ownTurns }) => ownTurns)).toBe(5)
    expect(sum(({ ownMessages }) => ownMessages)).toBe(10)
    expect(sum(({ usage }) => usage.outputTokens)).toBe(25)
    expect(sum(({ usage }) => usage.cachedInputTokens)).toBe(500)
  })

  it('keeps the link, and siblings apart, when the parent is deleted', async () => {
    const a = sandbox.session({ turns: 2 })
    const b = a.fork({ at: startAt + 10 * minuteMs })
    const c = a.fork({ at: startAt + 11 * minuteMs })
    const catalog = sandbox.catalog()
    await catalog.refresh()
    rmSync(a.path)
    b.addTurn('goes on')
    const sessions = await catalog.listSessions()
    expect(sessions.map(({ id }) => id).sort()).toEqual([b.id, c.id].sort())
    expect(sessions.map(({ parent }) => parent?.sessionId)).toEqual([a.id, a.id])
    const forest = await catalog.tree()
    expect(forest).toHaveLength(2)
    expect(forest[0]?.forkKind).toBe('inferred')
  })

  it('names the parent that a sibling names, when nobody ever saw that parent', async () => {
    const a = sandbox.session({ turns: 2 })
    const b = a.fork({ at: startAt + 10 * minuteMs })
    const copied = a.lines.map((line) => ({ ...line, forkedFrom: { sessionId: a.id, messageUuid: line.uuid } }))
    const c = sandbox.session({ at: startAt + 5 * minuteMs, copied, turns: 0 })
    rmSync(a.path)
    const sessions = new Map((await sandbox.catalog().listSessions()).map((each) => [each.id, each]))
    expect([b, c].map(({ id }) => sessions.get(id)?.parent?.sessionId)).toEqual([a.id, a.id])
  })

  it('follows a fork that is found before its parent', async () => {
    const a = sandbox.session({ turns: 2 })
    const b = a.fork({ at: startAt + 10 * minuteMs })
    const copy = sandbox.session({ id: a.id })
    rmSync(copy.path)
    const catalog = sandbox.catalog()
    const [alone] = await catalog.listSessions()
    expect(alone).toMatchObject({ id: b.id, parent: null, ownTurns: 3 })
    const again = sandbox.session({ id: a.id })
    for (const line of a.lines) appendLine(again.path, line)
    const found = (await catalog.listSessions()).find(({ id }) => id === b.id)
    expect(found).toMatchObject({ parent: { sessionId: a.id, turnNumber: 2 }, ownTurns: 1 })
  })

  it('takes a copy of a branch for a child of the branch, whatever marks it carries along', async () => {
    const a = sandbox.session({ turns: 2 })
    const marks = a.lines.map((line) => ({ ...line, forkedFrom: { sessionId: a.id, messageUuid: line.uuid } }))
    const branch = sandbox.session({ at: startAt + 10 * minuteMs, copied: marks })
    branch.addTurn('b3', startAt + 10 * minuteMs)
    branch.addTurn('b4', startAt + 11 * minuteMs)
    const copy = branch.fork({ at: startAt + 20 * minuteMs })
    const catalog = sandbox.catalog()
    const sessions = new Map((await catalog.listSessions()).map((each) => [each.id, each]))
    expect(sessions.get(branch.id)).toMatchObject({ parent: { sessionId: a.id, kind: 'branch', turnNumber: 2 }, ownTurns: 2 })
    expect(sessions.get(copy.id)).toMatchObject({
      parent: { sessionId: branch.id, kind: 'inferred', turnNumber: 4 },
      ownTurns: 1,
    })
    rmSync(branch.path)
    copy.addTurn('one more', startAt + 30 * minuteMs)
    const later = (await catalog.listSessions()).find(({ id }) => id === copy.id)
    expect(later).toMatchObject({ parent: { sessionId: branch.id, turnNumber: 4 }, ownTurns: 2 })
  })

  it('counts the turns of the parent where a branch begins behind a compaction', async () => {
    const a = sandbox.session({ turns: 4 })
    const second = a.lines.findIndex(({ uuid }) => uuid === a.lines.filter(({ type }) => type === 'user')[2]?.uuid)
    const copied = a.lines.slice(second).map((line, at) => ({
      ...line,
      ...(at === 0 ? { parentUuid: null } : {}),
      forkedFrom: { sessionId: a.id, messageUuid: line.uuid },
    }))
    const branch = sandbox.session({ at: startAt + 10 * minuteMs, copied, turns: 1 })
    const found = (await sandbox.catalog().listSessions()).find(({ id }) => id === branch.id)
    expect(found).toMatchObject({ parent: { sessionId: a.id, kind: 'branch', turnNumber: 4 }, turns: 3, ownTurns: 1 })
  })

  it('shows the forest from the root, oldest fork point first', async () => {
    const a = sandbox.session({ turns: 4 })
    const late = a.fork({ at: startAt + 10 * minuteMs, upToTurn: 3 })
    const early = a.fork({ at: startAt + 20 * minuteMs, upToTurn: 1 })
    const catalog = sandbox.catalog()
    const target = (await catalog.resolve(early.id)).session
    const [root, ...rest] = await catalog.tree(target)
    expect(rest).toEqual([])
    expect(root?.session.id).toBe(a.id)
    expect(root?.children.map(({ session, atTurn }) => [session.id, atTurn])).toEqual([
      [early.id, 1],
      [late.id, 3],
    ])
  })
})

describe('inferParents', () => {
  const usage = { inputTokens: 0, cachedInputTokens: 0, outputTokens: 0 }
  const turn = (id: string, startedAt: number) => ({
    id: id.padEnd(16, '.'),
    number: 1,
    startedAt,
    messages: 2,
    lastMessageId: null,
    ...usage,
  })
  const member = (id: string, bornAt: number | null, ids: readonly string[], copied = true): Member => {
    const turns = ids.map((name, index) => ({ ...turn(name, Number(name.slice(1))), number: index + 1 }))
    return { key: Number.parseInt(id, 36), id, copied, inheritedTurns: 0, beganAt: null, bornAt, turns }
  }
  const parentsOf = (family: readonly Member[]) => {
    const found = inferParents(family)
    return Object.fromEntries(family.map(({ id, key }) => [id, found.get(key)?.parent.id ?? null]))
  }
  const a = (bornAt: number | null) => member('a', bornAt, ['x10', 'x20', 'x500'], false)
  const b = (bornAt: number | null) => member('b', bornAt, ['x10', 'x20', 'x30', 'x40'])
  const c = (bornAt: number | null) => member('c', bornAt, ['x10', 'x20', 'x30', 'x40', 'x50'])

  it('goes by the birth of the files', () => {
    expect(parentsOf([c(50), b(30), a(10)])).toEqual({ a: null, b: 'a', c: 'b' })
  })

  it('believes the files before their births', () => {
    const d = member('d', 5, ['x10', 'x20', 'x60'])
    const e = member('e', 6, ['x10', 'x20', 'x60', 'x70'])
    expect(parentsOf([d, { ...e, bornAt: 1 }, a(30)])).toEqual({ a: null, d: 'e', e: 'a' })
    const told = { ...e, bornAt: 1, inheritedTurns: 3, beganAt: 70 }
    expect(parentsOf([d, told, a(30)])).toEqual({ a: null, d: 'a', e: 'd' })
  })

  it('does without when all files were copied here long after', () => {
    expect(parentsOf([c(1e9), a(1.2e9), b(1.1e9)])).toEqual({ a: null, b: 'a', c: 'b' })
    expect(parentsOf([c(null), b(null), a(null)])).toEqual({ a: null, b: 'a', c: 'b' })
  })

  it("takes what two older ones share for the oldest one's", () => {
    expect(parentsOf([a(10), b(30), member('d', 60, ['x10', 'x20', 'x60'])])).toEqual({ a: null, b: 'a', d: 'a' })
  })

  it('makes nothing of ids that are not unique', () => {
    const short = (id: string, bornAt: number): Member => ({ ...member(id, bornAt, []), turns: [{ ...turn('x', 1), id: 't1' }] })
    expect(parentsOf([short('p', 1), short('q', 2)])).toEqual({ p: null, q: null })
  })
})

function appendLine(path: string, line: unknown): void {
  appendFileSync(path, `${JSON.stringify(line)}\n`)
}
