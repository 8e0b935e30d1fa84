import { mkdirSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { AgentEnv } from '../agent-env.ts'
import { otherId, Rollout, threadId, useHomes } from './home.testkit.ts'
import { listLive } from './live.ts'
import { codexHome } from './rollout-files.ts'

const newHome = useHomes()

function lock(env: AgentEnv, id: string): number {
  const folder = join(codexHome(env), 'thread-writer-locks')
  mkdirSync(folder, { recursive: true })
  const path = join(folder, `${id}.lock`)
  writeFileSync(path, '')
  // Codex takes the lock before it begins a turn.
  utimesSync(path, 0, 0)
  return statSync(path).ino
}

function locksFile(env: AgentEnv, lines: readonly string[]): string {
  const path = join(env.home, 'locks')
  writeFileSync(path, lines.map((line, index) => `${index + 1}: ${line}\n`).join(''))
  return path
}

describe('live threads', () => {
  it('are those whose lock is held, busy in the middle of a turn', () => {
    const env = newHome()
    new Rollout().turn('a').start('b').place(env)
    new Rollout({ id: otherId(1) }).turn('a').place(env)
    new Rollout({ id: otherId(2) }).start('a').place(env)
    const held = [lock(env, threadId), lock(env, otherId(1))]
    lock(env, otherId(2))
    const locks = locksFile(env, [
      `FLOCK  ADVISORY  WRITE 4242 08:01:${held[0]} 0 EOF`,
      `FLOCK  ADVISORY  WRITE 0 00:2f:${held[1]} 0 EOF`,
      'POSIX  ADVISORY  READ 77 08:01:1 128 128',
    ])
    expect(listLive(env, locks).map(({ sessionId, pid, busy }) => ({ sessionId, pid, busy }))).toEqual([
      { sessionId: threadId, pid: 4242, busy: true },
      { sessionId: otherId(1), pid: null, busy: false },
    ])
  })

  it('are none when no lock is held, whatever files are left', () => {
    const env = newHome()
    new Rollout().start('a').place(env)
    lock(env, threadId)
    expect(listLive(env, locksFile(env, []))).toEqual([])
  })

  it('are those that changed a moment ago with an open turn, where no lock tells', () => {
    const env = newHome()
    const { modifiedAt } = new Rollout().start('a').place(env)
    new Rollout({ id: otherId(1) }).turn('a').place(env)
    const at = (now: number) => listLive({ ...env, now: () => now }, join(env.home, 'no-such-list'))
    expect(at(modifiedAt + 1000)).toMatchObject([{ sessionId: threadId, pid: null, busy: true }])
    expect(at(modifiedAt + 3_600_000)).toEqual([])
    expect(listLive({ ...env, now: () => modifiedAt }, locksFile(env, []))).toEqual([])
    expect(listLive(env, join(env.home, 'no-such-list'))).toEqual([])
  })

  it('are not busy with a turn that had begun before they were opened', () => {
    const env = newHome()
    new Rollout().turn('a').start('b').place(env)
    const held = lock(env, threadId)
    const at = (time: number) => {
      utimesSync(join(codexHome(env), 'thread-writer-locks', `${threadId}.lock`), time / 1000, time / 1000)
      return listLive(env, locksFile(env, [`FLOCK  ADVISORY  WRITE 4242 08:01:${held} 0 EOF`]))
    }
    expect(at(Date.UTC(2020, 0))).toMatchObject([{ sessionId: threadId, busy: true }])
    expect(at(Date.UTC(2040, 0))).toMatchObject([{ sessionId: threadId, busy: false }])
  })
})
