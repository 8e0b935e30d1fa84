// A NUL ends a string for the operating system: no file, folder or argument can have one. Transcripts and requests can.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createFixture, type Fixture } from './run-cli.ts'

let home: Fixture
beforeAll(async () => {
  home = await createFixture()
})
afterAll(() => home.remove())

const nul = '\u0000'
/** In the folder too, or only in everything else. */
type Where = 'folder' | 'rest'
const claudeIds = { folder: '0d6a1b5e-0000-4000-8000-000000000001', rest: '1d6a1b5e-0000-4000-8000-000000000001' }
const codexIds = { folder: '019e0000-0000-7000-8000-000000000002', rest: '019e0001-0000-7000-8000-000000000002' }

/** One turn that edits a file, with a NUL in everything that names a file, a branch, a model or a commit. */
function writeClaude(where: Where): void {
  const claudeId = claudeIds[where]
  const folder = join(home.vars.CLAUDE_CONFIG_DIR ?? '', 'projects', '-nul')
  const line = (uuid: string, parentUuid: string | null, rest: object) => ({
    uuid,
    parentUuid,
    sessionId: claudeId,
    timestamp: '2026-01-01T10:00:00.000Z',
    cwd: folderOf(where),
    gitBranch: `main${nul}`,
    version: `2.1.197${nul}`,
    isSidechain: false,
    ...rest,
  })
  const call = { type: 'tool_use', id: 't1', name: 'Write', input: { file_path: `${home.repository}/a${nul}.txt`, content: 'a' } }
  const result = { type: 'tool_result', tool_use_id: 't1', content: 'ok' }
  const lines = [
    line('u1', null, { type: 'user', message: { role: 'user', content: `do it ${nul} now` } }),
    line('a1', 'u1', { type: 'assistant', message: { id: 'm1', role: 'assistant', model: `m${nul}`, content: [call] } }),
    line('r1', 'a1', {
      type: 'user',
      message: { role: 'user', content: [result] },
      toolUseResult: { type: 'create', filePath: `${home.repository}/a${nul}.txt`, content: 'a' },
    }),
    line('a2', 'r1', {
      type: 'assistant',
      message: {
        id: 'm2',
        role: 'assistant',
        model: `m${nul}`,
        stop_reason: 'end_turn',
        content: [{ type: 'text', text: 'done' }],
      },
    }),
    { type: 'custom-title', customTitle: `a title ${nul} x`, sessionId: claudeId },
  ]
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, `${claudeId}.jsonl`), `${lines.map((each) => JSON.stringify(each)).join('\n')}\n`)
}

function folderOf(where: Where): string {
  return where === 'folder' ? `${home.repository}/${nul}` : home.repository
}

function writeCodex(where: Where): void {
  const codexId = codexIds[where]
  const folder = join(home.vars.CODEX_HOME ?? '', 'sessions/2026/01/01')
  const cwd = folderOf(where)
  const line = (type: string, payload: object) => ({ timestamp: '2026-01-01T10:00:00.000Z', type, payload })
  const patch = `*** Begin Patch\n*** Add File: b${nul}.txt\n+b\n*** End Patch`
  const lines = [
    line('session_meta', {
      id: codexId,
      timestamp: '2026-01-01T10:00:00.000Z',
      cwd,
      originator: 'codex_cli_rs',
      cli_version: `0.98.0${nul}`,
      git: { commit_hash: `abc${nul}`, branch: `main${nul}` },
    }),
    line('event_msg', { type: 'task_started', turn_id: 'turn-1', model_context_window: 1000 }),
    line('turn_context', { turn_id: 'turn-1', cwd, model: `m${nul}` }),
    line('response_item', { type: 'message', role: 'user', content: [{ type: 'input_text', text: `do it ${nul} now` }] }),
    line('event_msg', { type: 'user_message', message: `do it ${nul} now` }),
    line('response_item', { type: 'custom_tool_call', call_id: 'c1', name: 'apply_patch', input: patch, status: 'completed' }),
    line('event_msg', {
      type: 'patch_apply_end',
      call_id: 'c1',
      success: true,
      changes: { [`${home.repository}/b${nul}.txt`]: { type: 'add', content: 'b\n' } },
    }),
    line('response_item', {
      type: 'custom_tool_call_output',
      call_id: 'c1',
      output: 'Success. Updated the following files:\nA b',
    }),
    line('response_item', { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'done' }] }),
    line('event_msg', { type: 'task_complete', turn_id: 'turn-1' }),
  ]
  mkdirSync(folder, { recursive: true })
  writeFileSync(
    join(folder, `rollout-2026-01-01T10-00-00-${codexId}.jsonl`),
    `${lines.map((each) => JSON.stringify(each)).join('\n')}\n`,
  )
}

describe('a transcript with NUL in its paths, branch, commit and texts', () => {
  beforeAll(() => {
    for (const where of ['folder', 'rest'] as const) {
      writeClaude(where)
      writeCodex(where)
    }
  })
  const nowhere = [`claude:${claudeIds.folder}`, `codex:${codexIds.folder}`]
  const addresses = [...nowhere, `claude:${claudeIds.rest}`, `codex:${codexIds.rest}`]
  const commands = addresses.flatMap((address) => [
    ['turns', address],
    ['show', address],
    ['export', address, '--output', '-'],
    ['tree', address],
    ['diff', `${address}@1`],
    ['restore', `${address}@1`, '--yes'],
    ['resume', address, '--terminal', 'print'],
    ['fork', address, '--at', 'last', '--yes', '--code', 'none', '--terminal', 'none'],
    ['fork', address, '--at', 'last', '--yes', '--terminal', 'none'],
    ['fork', address, '--at', '1', '--yes', '--strategy', 'prefix', '--code', 'turn', '--terminal', 'none'],
    ['fork', address, '--before', '1', '--yes', '--code', 'head', '--terminal', 'print'],
    ['fork', address, '--before', '1', '--yes', '--send', '--code', 'none', '--terminal', 'print'],
    ['fork', address, '--at', '1', '--yes', '--strategy', 'seed', '--code', 'none', '--terminal', 'none'],
    ['smart-fork', 'do it', '--yes', '--terminal', 'none'],
  ])

  test.each([...commands, ['sessions', '--all'], ['search', 'done', '--all'], ['index'], ['doctor'], ['gc', '--dry-run']])(
    '%s %s %s %s %s %s %s never ends as a bug',
    async (...args) => {
      const { stderr, status } = await home.run(args)
      expect(stderr).not.toContain('null bytes')
      expect(status, stderr).not.toBe(70)
    },
  )

  test.each(addresses)('%s has only the facts that the system can use', async (address) => {
    const { sessions } = await home.json<{ sessions: Record<string, unknown>[] }>(['sessions', '--all', '--json'])
    const session = sessions.find((each) => `${each.agent}:${each.id}` === address)
    const cwd = nowhere.includes(address) ? null : home.repository
    expect(session).toMatchObject({ cwd, branch: null, model: null })
  })
})
