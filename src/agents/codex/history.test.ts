import { mkdirSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { basename, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  findSession,
  otherId,
  placeRollout,
  placeSample,
  Rollout,
  readMessages,
  show,
  showTurns,
  threadId,
  useHomes,
} from './home.testkit.ts'
import { codex } from './index.ts'
import { archiveFolder } from './rollout-files.ts'

const newHome = useHomes()

function fork(id: string, baseId: string, end: number): Rollout {
  const history_base = { thread_id: baseId, end_ordinal_exclusive: end, end_byte_offset: 1 }
  return new Rollout({ id, forked_from_id: baseId, forked_from_ordinal_exclusive: end, history_base }, { from: end })
}

describe('history through references', () => {
  it('takes the parent only below the cut, and what the parent wrote later never', async () => {
    const env = newHome()
    const parent = new Rollout().turn('a')
    const cut = parent.next
    parent.turn('b').place(env)
    const child = fork(otherId(1), threadId, cut).turn('c')
    const childCut = child.next
    child.turn('d')
    const file = child.place(env)
    const grandchild = fork(otherId(2), otherId(1), childCut).turn('e').place(env)
    expect(showTurns((await codex.summarise(file, env)).turns)).toEqual([
      '1 a complete 2 "prompt of a"',
      '2 c complete 2 "prompt of c"',
      '3 d complete 2 "prompt of d"',
    ])
    const summary = await codex.summarise(grandchild, env)
    expect(summary.turns.map(({ id }) => id)).toEqual(['a', 'c', 'e'])
    expect(summary).toMatchObject({
      inheritedTurns: 2,
      parent: { sessionId: otherId(1), turnId: 'c', turnNumber: 2, messageId: 'c.2' },
    })
  })

  it('does not count ordinals: lines may be missing in between', async () => {
    const env = newHome()
    const parent = new Rollout().turn('a').line('world_state', {}).turn('b')
    const cut = parent.next
    const { path } = parent.turn('c').place(env)
    const lines = parent.toString().split('\n')
    placeRollout(path, lines.filter((line) => !line.includes('world_state')).join('\n'))
    const child = fork(otherId(1), threadId, cut).place(env)
    expect((await codex.summarise(child, env)).turns.map(({ id }) => id)).toEqual(['a', 'b'])
  })

  it('reads a revert into what was inherited, and keeps the turns it left', async () => {
    const env = newHome()
    placeSample(env.home, '02-exec-4turns-shell-patch.jsonl')
    placeSample(env.home, '07b-tui-fork-original-segment.jsonl')
    const file = findSession(env, placeSample(env.home, '07-tui-escesc-revert-segment.jsonl', otherId(9)))
    const summary = await codex.summarise(file, env)
    expect(summary.turns.map(({ prompt }) => prompt.slice(0, 8))).toEqual(['turn one', 'turn two'])
    expect(summary.deadTurns.map(({ prompt, number }) => [prompt, number])).toEqual([['tui fork prompt THETA', null]])
    expect(summary).toMatchObject({ inheritedTurns: 2, usage: { inputTokens: 1800 }, parent: { turnNumber: 2 } })
    expect(summary.createdAt).toBeLessThanOrEqual(Date.parse('2026-11-15T06:51:56.988Z'))
    const branch = await readMessages(file, env, { upTo: { turnId: summary.deadTurns[0]?.id ?? '' } })
    expect(show(branch).filter((line) => line.startsWith('user'))).toEqual([
      'user: turn one ALPHA',
      'user: turn two BETA [[reason]] [[shell: echo hello-from-shell; ls]]',
      'user: turn three GAMMA [[patch: newfile.txt|patched content]]',
      'user: turn four DELTA',
      'user: tui fork prompt THETA',
    ])
  })

  it('refers to segments by their own id', async () => {
    const env = newHome()
    new Rollout().turn('a').turn('b').place(env)
    const history_base = { thread_id: threadId, end_ordinal_exclusive: 5 }
    const segment = new Rollout({ timestamp: '2026-11-15T07:00:00.000Z', history_base }, { from: 5 }).turn('c')
    const cut = segment.next
    segment.place(env, otherId(7))
    const child = fork(otherId(1), otherId(7), cut).turn('d').place(env)
    expect((await codex.summarise(child, env)).turns.map(({ id }) => id)).toEqual(['a', 'c', 'd'])
  })

  it('closes a turn of the parent that was running at the fork', async () => {
    const env = newHome()
    const parent = new Rollout().start('a').prompt('one')
    const child = fork(otherId(1), threadId, parent.next)
      .says('user', '<turn_aborted>\nstop')
      .event('turn_aborted', { turn_id: 'a' })
    parent.says('assistant', 'later').end('a').place(env)
    const { turns } = await codex.summarise(child.turn('b').place(env), env)
    expect(showTurns(turns)).toEqual(['1 a interrupted 2 "one"', '2 b complete 2 "prompt of b"'])
  })

  it('still reads its own part when the file it builds on is gone, and says which', async () => {
    const env = newHome()
    const parent = new Rollout().turn('a')
    const parentFile = parent.place(env)
    const child = fork(otherId(1), threadId, parent.next).turn('b').place(env)
    const whole = await codex.summarise(child, env)
    rmSync(parentFile.path)
    const broken = await codex.summarise(child, env, whole)
    expect(broken.broken).toContain(threadId)
    expect(broken).toMatchObject({ inheritedTurns: 0, parent: { sessionId: threadId, turnId: null, turnNumber: null } })
    expect(show(await readMessages(child, env))).toEqual(['user: prompt of b', 'assistant: answer of b'])
    parent.place(env)
    expect(await codex.summarise(child, env, broken)).toEqual(whole)
  })

  it('follows an archived parent', async () => {
    const env = newHome()
    const parent = new Rollout().turn('a')
    const { path } = parent.place(env)
    mkdirSync(archiveFolder(env))
    renameSync(path, join(archiveFolder(env), basename(path)))
    const child = fork(otherId(1), threadId, parent.next).turn('b').place(env)
    expect((await codex.summarise(child, env)).turns.map(({ id }) => id)).toEqual(['a', 'b'])
  })

  it('says so when the file it builds on cannot be read', async () => {
    const env = newHome()
    const parent = new Rollout().turn('a')
    const { path } = parent.place(env)
    const child = fork(otherId(1), threadId, parent.next).turn('b').place(env)
    rmSync(path)
    symlinkSync(path, path)
    expect((await codex.summarise(child, env)).broken).toContain('cannot be read')
    expect(await readMessages(child, env)).toHaveLength(2)
  })

  it('ends where histories refer to each other in a circle', async () => {
    const env = newHome()
    const one = fork(otherId(1), otherId(2), 100).turn('a').place(env)
    fork(otherId(2), otherId(1), 100).turn('b').place(env)
    const summary = await codex.summarise(one, env)
    expect(summary.broken).toContain('refers back to itself')
    expect(summary.turns.map(({ id }) => id)).toContain('a')
    const self = fork(otherId(3), otherId(3), 100).turn('c').place(env)
    expect((await codex.summarise(self, env)).turns.map(({ id }) => id)).toEqual(['c'])
  })

  it('may be three hundred forks deep', async () => {
    const env = newHome()
    const first = new Rollout().turn('turn-0')
    first.place(env)
    let [base, cut] = [threadId, first.next]
    let file = findSession(env, first.place(env).path)
    for (let number = 1; number <= 300; number += 1) {
      const child = fork(otherId(number), base, cut).turn(`turn-${number}`)
      file = child.place(env)
      base = otherId(number)
      cut = child.next
    }
    const { turns, broken } = await codex.summarise(file, env)
    expect(broken).toBeNull()
    expect(turns).toHaveLength(301)
  })

  it('has no base when forked before the first turn', async () => {
    const env = newHome()
    const file = new Rollout({ id: otherId(1), forked_from_id: threadId }).turn('a').place(env)
    expect(await codex.summarise(file, env)).toMatchObject({
      inheritedTurns: 0,
      broken: null,
      parent: { sessionId: threadId, turnId: null, turnNumber: 0 },
    })
  })
})

describe('legacy forks', () => {
  it('are copies: line 0 names the session, the copied turns are inherited', async () => {
    const env = newHome()
    const file = findSession(env, placeSample(env.home, '12-legacy-fork-at-turn1.jsonl'))
    expect(await codex.summarise(file, env)).toMatchObject({
      id: '01a1ddff-a7a7-75d3-8eac-0dc5b69fa0f6',
      inheritedTurns: 1,
      usage: { inputTokens: 0 },
      parent: { sessionId: '01a1ddff-a680-7761-824b-66beaf44afed', turnNumber: 1, messageId: 'msg_0084', kind: 'native' },
    })
  })
})
