import { expect, it } from 'vitest'
import type { Worker } from '../../model/worker.ts'
import { describeState } from './describe.ts'

const idle = { state: 'idle', turnCutOff: false, error: null, permission: null, exitStatus: null, exitSignal: null }
const state = (worker: Partial<Worker>) => describeState({ ...idle, ...worker } as Worker)

it("shows that the last turn failed, with the beginning of the agent's words", () => {
  expect(state({})).toBe('idle')
  expect(state({ error: 'API Error: 401 invalid x-api-key\nmore' })).toBe(
    'idle, its last turn failed: API Error: 401 invalid x-api-key',
  )
  expect(state({ error: 'x'.repeat(200) })).toBe(`idle, its last turn failed: ${'x'.repeat(79)}…`)
  expect(state({ state: 'running', error: 'old' })).toBe('running')
  expect(state({ state: 'exited', exitStatus: 1, error: 'no such model' })).toBe('exited with 1: no such model')
})

it('a worker that was stopped or left shows that its last turn failed, not that it ended so', () => {
  const error = 'API Error: 401'
  expect(state({ state: 'stopped', error })).toBe('stopped, its last turn failed: API Error: 401')
  expect(state({ state: 'exited', exitStatus: 0, error })).toBe('exited with 0, its last turn failed: API Error: 401')
})
