import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { factTableNames } from './migrations.ts'
import { openStore } from './store.ts'
import type { WorkerRecord } from './workers.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'offshoot-workers-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const record: WorkerRecord = {
  id: 'a1',
  name: 'calm-otter',
  agent: 'claude',
  kind: 'terminal',
  sessionId: 'b2',
  state: 'idle',
  cwd: '/x',
  workspace: { path: '/x', branch: 'offshoot/session/x' },
  terminal: 'tmux',
  begin: { kind: 'start', sessionId: 'b2' },
  pane: { terminal: 'tmux', id: '%1' },
  pid: 7,
  command: { argv: ['claude'], cwd: '/x', env: {} },
  settings: {
    model: null,
    env: ['TOKEN'],
    mcpConfig: null,
    command: null,
    policy: 'ask',
    allow: [],
    readyTimeoutMs: 1,
    responseTimeoutMs: 2,
    history: false,
  },
  owner: null,
  forkedFrom: null,
  createdAt: 5,
  endedAt: null,
  exitStatus: null,
  exitSignal: null,
  turnCutOff: true,
}

const open = () => openStore({ folder, now: () => 1 })

test('a worker is read as it was written, and ended ones are told apart', () => {
  const store = open()
  store.workers.put(record)
  store.workers.put({
    ...record,
    id: 'a2',
    endedAt: 9,
    createdAt: 6,
    owner: { pid: 1, startedAt: '2', host: 'h', instance: 'i' },
  })
  store.close()
  const again = open()
  expect(again.workers.get('a1')).toEqual(record)
  expect(again.workers.all().map(({ id }) => id)).toEqual(['a2', 'a1'])
  expect(again.workers.open()).toEqual([record])
  again.workers.remove('a1')
  expect(again.workers.get('a1')).toBeNull()
  again.close()
})

test('workers are among the facts that a repair copies over', () => {
  expect(factTableNames).toContain('workers')
})
