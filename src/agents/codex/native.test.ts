import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Cut } from '../../model/fork.ts'
import type { SessionFile } from '../agent.ts'
import type { AgentEnv } from '../agent-env.ts'
import { fakeServer, withFakeCodex } from './fake-codex.testkit.ts'
import { otherId, Rollout, useHomes } from './home.testkit.ts'
import { forkNatively } from './native.ts'

const newHome = useHomes()
const [a, b] = [otherId(1), otherId(2)]
const child = otherId(9)

function place(env: AgentEnv): SessionFile {
  return new Rollout().turn(a).turn(b).place(env)
}

function fork(env: AgentEnv, cut: Cut, file: SessionFile = place(env), cwd: string = env.home) {
  return forkNatively(file, env, cut, { sessionId: 'x', cwd, title: 'Fork of it', forkedAt: 0 })
}

function server(version: string, answers: Readonly<Record<string, unknown>>): string {
  return fakeServer({ initialize: { userAgent: `offshoot/${version} (x)` }, 'thread/name/set': {}, ...answers })
}

describe('a native fork', () => {
  it('is the thread that Codex says it made, if its file is there', async () => {
    const home = newHome()
    const path = join(home.home, 'made.jsonl')
    writeFileSync(path, '')
    const env = withFakeCodex(home, server('0.166.0', { 'thread/fork': { thread: { id: child, path } } }))
    await expect(fork(env, { kind: 'turn', turnId: a })).resolves.toEqual({ sessionId: child, path, created: [path] })
  })

  it.each([
    ['no file', { thread: { id: child, path: '/not/there' } }],
    ['no path', { thread: { id: child, path: null } }],
    ['no thread', {}],
  ])('has failed when there is %s', async (_, answer) => {
    const env = withFakeCodex(newHome(), server('0.166.0', { 'thread/fork': answer }))
    await expect(fork(env, { kind: 'tip' })).rejects.toThrow('left no file')
  })

  it('leaves nothing when it cannot be named', async () => {
    const home = newHome()
    const path = join(home.home, 'made.jsonl')
    writeFileSync(path, '')
    const answers = { 'thread/fork': { thread: { id: child, path } }, 'thread/name/set': { error: 'no' } }
    await expect(fork(withFakeCodex(home, server('0.166.0', answers)), { kind: 'tip' })).rejects.toThrow('thread/name/set: no')
    expect(existsSync(path)).toBe(false)
  })

  it.each(['0.142.0', 'unknown'])('is refused to %s where it would take something else', async (version) => {
    const env = withFakeCodex(newHome(), server(version, { 'thread/fork': { thread: { id: child, path: '/' } } }))
    await expect(fork(env, { kind: 'tip' })).rejects.toThrow('written by a newer Codex')
    await expect(fork(env, { kind: 'turn', turnId: a })).rejects.toThrow('itself forks only at the tip')
  })

  it('is refused where Codex would fork something else', async () => {
    const env = newHome()
    const file = place(env)
    await expect(fork(env, { kind: 'start' }, file)).rejects.toThrow('only after a turn')
    await expect(fork(env, { kind: 'message', messageId: `${b}.1` }, file)).rejects.toThrow('only after a whole turn')
    await expect(fork(env, { kind: 'tip' }, { ...file, archived: true })).rejects.toThrow('archived')
    await expect(fork(env, { kind: 'tip' }, file, '/not/there')).rejects.toThrow('/not/there is no folder')
    await expect(fork(env, { kind: 'turn', turnId: 'x' }, file)).rejects.toMatchObject({ code: 'turn_not_found' })
  })
})
