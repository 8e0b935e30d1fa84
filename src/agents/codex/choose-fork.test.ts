import { describe, expect, it } from 'vitest'
import { AppError } from '../../model/error.ts'
import type { Cut } from '../../model/fork.ts'
import type { SessionFile } from '../agent.ts'
import type { Abilities, AgentEnv } from '../agent-env.ts'
import { chooseFork } from './choose-fork.ts'
import { findSession, otherId, placeRollout, Rollout, rolloutPath, threadId, useHomes } from './home.testkit.ts'

const newHome = useHomes()
const [a, b, c] = [otherId(1), otherId(2), otherId(3)]
const able: Abilities = {
  installed: true,
  version: '0.166.0',
  path: '/bin/codex',
  fork: true,
  forkAtTurn: true,
  hooks: true,
  problem: null,
}
const old = { ...able, version: '0.142.0', forkAtTurn: false }
const tip: Cut = { kind: 'tip' }
const at = (turnId: string): Cut => ({ kind: 'turn', turnId })

function choose(file: SessionFile, env: AgentEnv, cut: Cut, { abilities = able, busy = false } = {}) {
  return chooseFork(file, env, cut, { abilities, launched: false, busy })
}

describe('how a Codex thread is forked', () => {
  it('is left to Codex after a finished turn', async () => {
    const env = newHome()
    const file = new Rollout().turn(a).turn(b).place(env)
    for (const cut of [tip, at(a), at(b)]) expect(await choose(file, env, cut)).toMatchObject({ strategy: 'native' })
    const legacy = new Rollout({ id: otherId(19) }, { legacy: true }).turn(c).place(env)
    expect(await choose(legacy, env, tip, { abilities: old })).toMatchObject({ strategy: 'native' })
  })

  it('is done by a copy where Codex cannot, with the reason', async () => {
    const env = newHome()
    const file = new Rollout().turn(a).turn(b).place(env)
    const why = async (cut: Cut, other: Partial<SessionFile> = {}, abilities = able) => {
      const { strategy, reason } = await choose({ ...file, ...other }, env, cut, { abilities })
      expect(strategy).toBe('prefix')
      return reason
    }
    expect(await why({ kind: 'start' })).toContain('nothing is kept')
    expect(await why({ kind: 'message', messageId: `${a}.1` })).toContain('whole turn')
    expect(await why(tip, { archived: true })).toContain('archived')
    expect(await why(at(a), {}, old)).toBe('Codex 0.142.0 itself forks only at the tip')
    expect(await why(tip, {}, old)).toBe('the thread was written by a newer Codex than 0.142.0')
    expect(await why(tip, {}, { ...able, fork: false, problem: 'codex is not on the PATH' })).toBe('codex is not on the PATH')
  })

  it('is done by a copy at turns that Codex does not count', async () => {
    const env = newHome()
    const loose = new Rollout().turn(a).says('user', 'slipped in').turn(b).place(env)
    expect((await choose(loose, env, at(a))).reason).toContain('behind the end of the turn')
    expect(await choose(loose, env, at(b))).toMatchObject({ strategy: 'native' })
    const legacy = new Rollout({ id: otherId(20) }, { legacy: true }).says('user', 'one').says('assistant', 'two').place(env)
    expect((await choose(legacy, env, tip)).reason).toContain('no id that Codex knows')
    const helper = new Rollout({
      id: otherId(21),
      forked_from_id: threadId,
      source: { subagent: {} },
      timestamp: '2026-11-15T06:50:00.000Z',
    }).turn(a)
    expect((await choose(helper.place(env), env, tip)).reason).toContain('subagent')
  })

  it('is done by a copy on a branch that was left', async () => {
    const env = newHome()
    const first = new Rollout().turn(a)
    const history_base = { thread_id: threadId, end_ordinal_exclusive: first.next, end_byte_offset: 1 }
    const second = new Rollout({ history_base, timestamp: '2026-11-15T06:50:00.000Z' }, { from: first.next }).turn(c)
    first.turn(b).place(env)
    const file = second.place(env, otherId(30))
    expect((await choose(file, env, at(b))).reason).toContain('branch that was left')
    expect(await choose(file, env, at(a))).toMatchObject({ strategy: 'native' })
    const rolledBack = new Rollout({ id: otherId(22) }, { legacy: true }).turn(a).turn(b)
    rolledBack.event('thread_rolled_back', { num_turns: 1 }).turn(c)
    const old = rolledBack.place(env)
    expect((await choose(old, env, at(b))).reason).toContain('branch that was left')
    expect(await choose(old, env, at(a))).toMatchObject({ strategy: 'native' })
  })

  it('is refused at a running turn, but not at one whose process was killed', async () => {
    const env = newHome()
    const file = new Rollout().turn(a).start(b).prompt('at it').place(env)
    const error: unknown = await choose(file, env, tip, { busy: true }).catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(AppError)
    expect(error).toMatchObject({ code: 'busy', hint: `The nearest finished turn is ${a}.`, details: { nearestTurnId: a } })
    await expect(choose(file, env, at(b), { busy: true })).rejects.toMatchObject({ code: 'busy' })
    expect(await choose(file, env, at(a), { busy: true })).toMatchObject({ strategy: 'native' })
    expect((await choose(file, env, tip)).reason).toContain('cut off')
  })

  it('is done by a copy at an earlier turn that was cut off', async () => {
    const env = newHome()
    const file = new Rollout().turn(a).start(b).prompt('killed').start(c).prompt('at it').place(env)
    for (const busy of [true, false]) {
      const copied = { strategy: 'prefix', reason: expect.stringContaining('take it for a running one') }
      expect(await choose(file, env, at(b), { busy })).toMatchObject(copied)
    }
  })

  it('is refused when part of the history is gone', async () => {
    const env = newHome()
    const history_base = { thread_id: otherId(40), end_ordinal_exclusive: 5, end_byte_offset: 1 }
    const content = new Rollout({ forked_from_id: otherId(40), history_base }, { from: 5 }).turn(a).toString()
    const file = findSession(env, placeRollout(rolloutPath(env.home, content), content))
    await expect(choose(file, env, tip)).rejects.toMatchObject({ code: 'parent_missing' })
  })
})
