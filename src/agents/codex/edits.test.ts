import { describe, expect, it } from 'vitest'
import type { AgentEnv } from '../agent-env.ts'
import type { RecordedEdits } from '../recorded-edits.ts'
import { readEdits } from './edits.ts'
import { findSession, placeSample, Rollout, useHomes } from './home.testkit.ts'
import { parseDiff, parsePatch } from './patch-text.ts'

const newHome = useHomes()

const add = '*** Begin Patch\n*** Add File: n.txt\n+one\n+two\n*** End Patch'

describe('recorded patches', () => {
  it.each([
    ['02-exec-4turns-shell-patch.jsonl', 2, '/home/dev/work/repo/newfile.txt', 'patched content\n'],
    ['11-legacy-mode-3turns.jsonl', 1, '/home/dev/work/repo/leg.txt', 'x\n'],
  ])('are told of %s', async (name, at, path, after) => {
    const env = newHome()
    const file = findSession(env, placeSample(env.home, name))
    const { codex } = await import('./index.ts')
    const { turns } = await codex.summarise(file, env)
    const { edits, unrecorded, startCommit } = await readEdits(file, env, { turnId: turns.at(-1)?.id ?? '' })
    expect(edits).toEqual([{ turnId: edits[0]?.turnId, path, kind: 'write', after }])
    expect(turns.findIndex(({ id }) => id === edits[0]?.turnId)).toBeGreaterThanOrEqual(at)
    expect(unrecorded).toEqual([])
    expect(startCommit).toBe('b13f0ec545e10c5c6d0af377570efb3c63f9c9dd')
  })
})

/** One turn of one call, with what Codex recorded besides. */
async function told(env: AgentEnv, fill: (rollout: Rollout) => Rollout): Promise<RecordedEdits> {
  const begun = new Rollout({}, { legacy: true })
    .start('turn-a')
    .line('turn_context', { turn_id: 'turn-a', cwd: '/repo/pkg' })
    .prompt('go')
  return readEdits(fill(begun).end('turn-a').place(env), env, { turnId: 'turn-a' })
}

const custom = (rollout: Rollout, input: string, output: string) =>
  rollout
    .item('custom_tool_call', { call_id: 'c1', name: 'apply_patch', input })
    .item('custom_tool_call_output', { call_id: 'c1', output })

const shell = (rollout: Rollout, args: object, output: string) =>
  rollout
    .item('function_call', { call_id: 'c1', name: 'shell', arguments: JSON.stringify(args) })
    .item('function_call_output', { call_id: 'c1', output })

const succeeded = 'Exit code: 0\nWall time: 0 seconds\nOutput:\nSuccess. Updated the following files:\nA n.txt\n'

describe('patches without a record of their own', () => {
  const edit = { turnId: 'turn-a', path: '/repo/pkg/n.txt', kind: 'write', after: 'one\ntwo\n' }

  it('are read as the model wrote them, in each of their forms', async () => {
    const env = newHome()
    expect(await told(env, (rollout) => custom(rollout, add, succeeded))).toMatchObject({ edits: [edit], unrecorded: [] })
    const asArgument = { command: ['apply_patch', add] }
    expect((await told(newHome(), (rollout) => shell(rollout, asArgument, succeeded))).edits).toEqual([edit])
    const asHeredoc = { command: ['bash', '-lc', `apply_patch <<'EOF'\n${add}\nEOF\n`] }
    expect((await told(newHome(), (rollout) => shell(rollout, asHeredoc, succeeded))).edits).toEqual([edit])
    const elsewhere = { command: ['bash', '-lc', `cd /other && apply_patch <<'EOF'\n${add}\nEOF`], workdir: '/x' }
    expect((await told(newHome(), (rollout) => shell(rollout, elsewhere, succeeded))).edits).toEqual([
      { ...edit, path: '/other/n.txt' },
    ])
  })

  it('count as nothing when they did not fit, as unknown when it is not certain', async () => {
    const misfit = 'apply_patch verification failed: Failed to find expected lines in /repo/a'
    expect(await told(newHome(), (rollout) => custom(rollout, add, misfit))).toMatchObject({ edits: [], unrecorded: [] })
    const odd = await told(newHome(), (rollout) => custom(rollout, add, 'Exit code: 1\nOutput:\nNo space left'))
    expect(odd).toMatchObject({ edits: [], unrecorded: [{ turnId: 'turn-a', tool: 'apply_patch' }] })
    const more = { command: ['bash', '-lc', `apply_patch <<'EOF'\n${add}\nEOF\nnpm test`] }
    expect(await told(newHome(), (rollout) => shell(rollout, more, succeeded))).toMatchObject({
      edits: [],
      unrecorded: [{ turnId: 'turn-a', tool: 'shell: apply_patch' }],
    })
  })
})

describe('records of what was applied', () => {
  const changes = {
    '/repo/a.txt': { type: 'update', unified_diff: '@@ -1,2 +1,2 @@\n one\n-two\n+three\n', move_path: null },
    '/repo/b.txt': { update: { unified_diff: '@@ -1 +1 @@\n-b\n+c\n', move_path: '/repo/d.txt' } },
    '/repo/gone.txt': { type: 'delete', content: 'old\n' },
  }
  const expected = [
    { path: '/repo/a.txt', kind: 'edit', hunks: [{ line: 1, old: ['one\n', 'two\n'], new: ['one\n', 'three\n'] }] },
    { path: '/repo/b.txt', kind: 'move', movedTo: '/repo/d.txt', hunks: [{ line: 1, old: ['b\n'], new: ['c\n'] }] },
    { path: '/repo/gone.txt', kind: 'delete', before: 'old\n', after: null },
  ].map((edit) => ({ turnId: 'turn-a', ...edit }))

  it('win over what the model wrote, in both generations', async () => {
    const legacy = await told(newHome(), (rollout) =>
      custom(rollout.event('patch_apply_end', { call_id: 'c1', success: true, changes }), add, succeeded),
    )
    expect(legacy).toMatchObject({ edits: expected, unrecorded: [] })
    const item = { type: 'FileChange', id: 'c1', changes, status: 'completed' }
    const paginated = await told(newHome(), (rollout) => custom(rollout.event('item_completed', { item }), add, succeeded))
    expect(paginated).toMatchObject({ edits: expected, unrecorded: [] })
  })

  it('of a failed one are unknown, unless it was refused', async () => {
    const item = { type: 'FileChange', id: 'c1', changes, status: 'failed' }
    const failed = await told(newHome(), (rollout) => custom(rollout.event('item_completed', { item }), add, 'exit 1'))
    expect(failed).toMatchObject({ edits: [], unrecorded: [{ tool: 'apply_patch' }] })
  })
})

it('names commands that may write by their program, a person’s own too', async () => {
  const told1 = await told(newHome(), (rollout) => shell(rollout, { command: ['bash', '-lc', 'npm install'] }, 'ok'))
  expect(told1.unrecorded).toEqual([{ turnId: 'turn-a', tool: 'shell: npm' }])
  const told2 = await told(newHome(), (rollout) => shell(rollout, { command: ['git', 'log', '--format=%H > x'] }, 'ok'))
  expect(told2.unrecorded).toEqual([])
  const told3 = await told(newHome(), (rollout) =>
    rollout.says('user', '<user_shell_command>\n<command>\nmake x\n</command>\n</user_shell_command>'),
  )
  expect(told3.unrecorded).toEqual([{ turnId: 'turn-a', tool: '!make' }])
  const told4 = await told(newHome(), (rollout) =>
    rollout.item('function_call', { call_id: 'c', name: 'spawn_agent', arguments: '{}' }),
  )
  expect(told4.unrecorded).toEqual([{ turnId: 'turn-a', tool: 'spawn_agent' }])
})

describe('the patch language', () => {
  it('is read in all its parts', () => {
    const text =
      '*** Begin Patch\n*** Update File: a\n@@ def f\n one\n-two\n+2\n\n*** End of File\n*** Delete File: b\n*** Update File: c\n*** Move to: d\n*** End Patch\n'
    expect(parsePatch(text, '/r')).toEqual([
      { path: '/r/a', kind: 'edit', hunks: [{ line: null, old: ['one\n', 'two\n', '\n'], new: ['one\n', '2\n', '\n'] }] },
      { path: '/r/b', kind: 'delete', after: null },
      { path: '/r/c', kind: 'move', movedTo: '/r/d', hunks: [] },
    ])
  })

  it.each([
    'no patch',
    '*** Begin Patch\n*** End Patch',
    '*** Begin Patch\n*** Update File: a\n@@\n+only new\n*** End Patch',
    '*** Begin Patch\n*** Rename File: a\n*** End Patch',
    '*** Begin Patch\n*** Add File: a\nno plus\n*** End Patch',
  ])('is not guessed at: %j', (text) => {
    expect(parsePatch(text, '/r')).toBeNull()
  })
})

it('reads diffs with what looks like their own marks, and without a last line break', () => {
  expect(parseDiff('--- a\n+++ b\n@@ -3,2 +3,1 @@ f\n--- dashes\n-x\n\\ No newline at end of file\n+y\n')).toEqual([
    { line: 3, old: ['-- dashes\n', 'x'], new: ['y\n'] },
  ])
  expect(parseDiff('@@ -2,0 +3 @@\n+new\n')).toEqual([{ line: 3, old: [], new: ['new\n'] }])
  expect(parseDiff('something else')).toBeNull()
})
