import { describe, expect, it } from 'vitest'
import type { CommandRequest } from '../forking.ts'
import { commandFor } from './command.ts'

const flags = ['--config=features.daemon_auto_start=false', '--cd=/repo']
const cases: [CommandRequest, string[]][] = [
  [{ kind: 'resume', sessionId: 'id', cwd: '/repo' }, ['codex', 'resume', ...flags, '--', 'id']],
  [
    { kind: 'resume', sessionId: '--last', cwd: '/repo', prompt: '-c x=1' },
    ['codex', 'resume', ...flags, '--', '--last', '-c x=1'],
  ],
  [{ kind: 'fork', sourceId: 'source', sessionId: 'id', cwd: '/repo' }, ['codex', 'fork', ...flags, '--', 'source']],
  [{ kind: 'start', sessionId: null, cwd: '/repo' }, ['codex', ...flags]],
  [{ kind: 'start', sessionId: 'id', cwd: '/repo', prompt: 'exec' }, ['codex', ...flags, '--', 'exec']],
]

describe('the command lines of Codex', () => {
  it.each(cases)('%j', (request, argv) => {
    expect(commandFor(request)).toEqual({ argv, cwd: '/repo', env: {} })
  })
})
