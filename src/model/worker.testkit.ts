// A worker as tests need one: idle, headless, without an agent behind it. Each test names what matters to it.
import type { Worker } from './worker.ts'

export function makeWorker(fields: Partial<Worker> & { readonly cwd: string }): Worker {
  return {
    id: 'id-of-a-worker',
    name: 'worker',
    agent: 'claude',
    kind: 'headless',
    sessionId: null,
    state: 'idle',
    permission: null,
    exitStatus: null,
    exitSignal: null,
    workspace: null,
    terminal: null,
    terminalId: null,
    pid: null,
    command: { argv: ['claude'], cwd: fields.cwd, env: {} },
    settings: settingsWith({}),
    forkedFrom: null,
    createdAt: 0,
    endedAt: null,
    turnCutOff: false,
    lastInput: null,
    error: null,
    ...fields,
  }
}

export function settingsWith(env: Readonly<Record<string, string>>): Worker['settings'] {
  return {
    model: null,
    env,
    mcpConfig: null,
    command: null,
    policy: 'ask',
    allow: [],
    readyTimeoutMs: 1000,
    responseTimeoutMs: 1000,
    history: false,
  }
}
