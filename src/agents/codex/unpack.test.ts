import { describe, expect, it } from 'vitest'
import type { AgentEnv } from '../agent-env.ts'
import { findSession, placeRollout, placeSample, readAll, readSample, rolloutPath, useHomes } from './home.testkit.ts'
import { codex } from './index.ts'

const newHome = useHomes()
const plain = '02-exec-4turns-shell-patch.jsonl'

function placePacked(env: AgentEnv, packed: Buffer) {
  return findSession(env, placeRollout(`${rolloutPath(env.home, readSample(plain))}.zst`, packed))
}

describe('packed rollouts', () => {
  it.each(['02-exec-4turns-shell-patch.jsonl.zst', '02-two-frames.jsonl.zst'])('are read like plain ones: %s', async (name) => {
    const [env, other] = [newHome(), newHome()]
    const packed = placePacked(env, readSample(name))
    const unpacked = findSession(other, placeSample(other.home, plain))
    expect(await readAll(packed, env)).toEqual(await readAll(unpacked, other))
    const { mark: _mark, resume: _resume, ...summary } = await codex.summarise(packed, env)
    expect(await codex.summarise(unpacked, other)).toMatchObject(summary)
    expect(await codex.summarise(packed, env, await codex.summarise(packed, env))).toEqual(await codex.summarise(packed, env))
  })

  it('that a fork builds on are read too', async () => {
    const env = newHome()
    placePacked(env, readSample('02-exec-4turns-shell-patch.jsonl.zst'))
    const child = findSession(env, placeSample(env.home, '03-exec-fork-child.jsonl'))
    expect(await codex.summarise(child, env)).toMatchObject({ inheritedTurns: 4, broken: null })
  })

  it('are read up to the damage, which is told', async () => {
    const whole = readSample('02-two-frames.jsonl.zst')
    for (const size of [0, 3, 10, 200, whole.length >> 1, whole.length - 300, whole.length - 1]) {
      const env = newHome()
      const file = placePacked(env, whole.subarray(0, size))
      const { turns, broken } = await codex.summarise(file, env)
      expect(turns.length).toBeLessThanOrEqual(4)
      expect(broken, `cut at ${size}`).not.toBeNull()
    }
    const env = newHome()
    const { broken } = await codex.summarise(placePacked(env, Buffer.from('this is no zstd at all, but long enough')), env)
    expect(broken).toContain('damaged')
  })
})
