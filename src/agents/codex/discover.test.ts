import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { AgentEnv } from '../agent-env.ts'
import { discover } from './discover.ts'
import { otherId, placeRollout, threadId, useHomes } from './home.testkit.ts'
import { archiveFolder, findRollout, sessionsFolder } from './rollout-files.ts'

const newHome = useHomes()
const segment = (number: number) => `01a1ddf6-9000-7000-8000-${String(number).padStart(12, '0')}`

function place(env: AgentEnv, name: string, day = '2026/11/15'): string {
  return placeRollout(join(sessionsFolder(env), day, name), 'x\n')
}

describe('discover', () => {
  it('finds dated and archived threads, plain and packed', () => {
    const env = newHome()
    const plain = place(env, `rollout-2026-11-15T06-47-40-${threadId}.jsonl`)
    const packed = place(env, `rollout-2025-01-02T03-04-05-${otherId(1)}.jsonl.zst`, '2025/01/02')
    const archived = placeRollout(join(archiveFolder(env), `rollout-2026-11-15T06-47-40-${otherId(2)}.jsonl`), 'x\n')
    const found = [...discover(env)].map(({ id, path, archived: isArchived, bytes }) => [id, path, isArchived, bytes])
    expect(found.sort()).toEqual(
      [
        [threadId, plain, false, 2],
        [otherId(1), packed, false, 2],
        [otherId(2), archived, true, 2],
      ].sort(),
    )
  })

  it('takes the newest segment for the thread and keeps the older ones', () => {
    const env = newHome()
    const first = place(env, `rollout-2026-11-15T06-47-40-${threadId}.jsonl`)
    const third = place(env, `rollout-2026-11-16T08-00-00-${threadId}_${segment(2)}.jsonl`, '2026/11/16')
    const second = place(env, `rollout-2026-11-16T08-00-00-${threadId}_${segment(1)}.jsonl`, '2026/11/16')
    expect([...discover(env)]).toMatchObject([{ id: threadId, path: third, olderPaths: [second, first] }])
  })

  it('prefers the plain file where both are there', () => {
    const env = newHome()
    place(env, `rollout-2026-11-15T06-47-40-${threadId}.jsonl.zst`)
    const plain = place(env, `rollout-2026-11-15T06-47-40-${threadId}.jsonl`)
    expect([...discover(env)]).toMatchObject([{ path: plain, olderPaths: [] }])
  })

  it('passes over what is no rollout, and reports what it cannot look into', () => {
    const env = newHome()
    const good = place(env, `rollout-2026-11-15T06-47-40-${threadId}.jsonl`)
    place(env, 'rollout-2026-11-15T06-47-40-short.jsonl')
    place(env, 'notes.txt')
    mkdirSync(join(sessionsFolder(env), '2026/11/15', `rollout-2026-11-15T06-47-40-${otherId(1)}.jsonl`))
    writeFileSync(join(sessionsFolder(env), 'stray'), '')
    const loop = join(sessionsFolder(env), '2027')
    symlinkSync(loop, loop)
    const problems: string[] = []
    expect([...discover(env, (path) => problems.push(path))].map(({ path }) => path)).toEqual([good])
    expect(problems).toEqual([loop])
  })

  it('looks into the home folder when CODEX_HOME is not set', () => {
    const { home } = newHome()
    const path = join(home, '.codex/sessions/2026/11/15', `rollout-2026-11-15T06-47-40-${threadId}.jsonl`)
    placeRollout(path, '')
    expect([...discover({ home, vars: {} })]).toMatchObject([{ path }])
  })
})

describe('findRollout', () => {
  it('finds a thread by its first file and a segment by its own id, wherever they were moved', () => {
    const env = newHome()
    const first = place(env, `rollout-2026-11-15T06-47-40-${threadId}.jsonl`, '2019/01/01')
    const later = place(env, `rollout-2026-11-15T07-47-40-${threadId}_${segment(1)}.jsonl`)
    expect(findRollout(threadId, env)?.path).toBe(first)
    expect(findRollout(segment(1), env)?.path).toBe(later)
    expect(findRollout(otherId(1), env)).toBeUndefined()
  })
})
