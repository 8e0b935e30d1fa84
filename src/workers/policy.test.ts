import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import type { PermissionRequest } from '../model/run.ts'
import { decide } from './policy.ts'

const root = realpathSync(mkdtempSync(join(tmpdir(), 'offshoot-policy-')))
const cwd = join(root, 'work')
mkdirSync(cwd)
mkdirSync(join(root, 'outside'))
symlinkSync(join(root, 'outside'), join(cwd, 'link'))
afterAll(() => rmSync(root, { recursive: true, force: true }))

function request(kind: PermissionRequest['kind'], tool: string, args: unknown): PermissionRequest {
  return { id: '1', tool, kind, summary: '', arguments: args, callId: null, canRemember: false }
}
const command = (text: unknown, tool = 'Bash') => request('command', tool, { command: text })
const edit = (path: unknown) => request('edit', 'Write', { file_path: path })

test('ask leaves everything to a person, deny nothing', () => {
  expect(decide({ policy: 'ask', allow: ['Bash'] }, cwd, command('ls'))).toBeNull()
  expect(decide({ policy: 'deny', allow: ['Bash'] }, cwd, command('ls'))).toMatchObject({ verdict: 'deny' })
  expect(decide({ policy: 'deny', allow: [] }, cwd, request('question', 'AskUserQuestion', {}))).toMatchObject({
    verdict: 'deny',
  })
})

describe('accept_edits', () => {
  const settle = (asked: PermissionRequest) => decide({ policy: 'accept_edits', allow: [] }, cwd, asked)

  test.each([join('new', 'file.txt'), './a', 'a/../b'])('takes an edit of %j inside the folder', (path) => {
    expect(settle(edit(path))).toEqual({ verdict: 'allow' })
    expect(settle(edit(join(cwd, path)))).toEqual({ verdict: 'allow' })
    expect(settle(request('edit', 'apply_patch', { changes: [{ path }] }))).toEqual({ verdict: 'allow' })
    expect(settle(request('edit', 'apply_patch', { changes: { [path]: {} } }))).toEqual({ verdict: 'allow' })
  })

  test.each([
    '../work-evil/a',
    '/etc/passwd',
    'link/a',
    '.git/hooks/pre-commit',
    '.claude/settings.json',
    'sub/.git/config',
    '.',
    7,
    null,
  ])('asks for %j', (path) => {
    expect(settle(edit(path))).toBeNull()
  })

  test('asks when one of several lies outside, when none is named, and for all that is no edit', () => {
    expect(settle(request('edit', 'apply_patch', { changes: [{ path: 'a' }, { path: '../b' }] }))).toBeNull()
    expect(settle(request('edit', 'apply_patch', { changes: [{ path: 'a' }, {}] }))).toBeNull()
    expect(settle(request('edit', 'Write', {}))).toBeNull()
    expect(settle(command('touch a'))).toBeNull()
  })
})

describe('allow_list', () => {
  const verdict = (allow: readonly string[], asked: PermissionRequest) =>
    decide({ policy: 'allow_list', allow }, cwd, asked)?.verdict

  test.each([
    [['Bash(git log:*)'], command('git log --oneline')],
    [['Bash(git log:*)'], command('git log')],
    [['Bash(npm test)'], command('npm test')],
    [['exec_command(touch:*)'], command("/bin/bash -lc 'touch a b'", 'exec_command')],
    [['Read'], request('tool', 'Read', {})],
    [['mcp__x__*'], request('tool', 'mcp__x__y', {})],
    [['Write(*)'], edit('/anywhere')],
  ] as const)('%j lets it through', (allow, asked) => {
    expect(verdict(allow, asked)).toBe('allow')
  })

  test.each([
    [['Bash(git log:*)'], command('git log; rm -rf x')],
    [['Bash(git log:*)'], command('git log && rm x')],
    [['Bash(git log:*)'], command('git log $(rm x)')],
    [['Bash(git log:*)'], command('git log `rm x`')],
    [['Bash(git log:*)'], command('git log\nrm x')],
    [['Bash(git log:*)'], command('git log > x')],
    [['Bash(git log:*)'], command('git logout')],
    [['Bash(npm test)'], command('npm test -- --x')],
    [['exec_command(touch:*)'], command("/bin/bash -lc 'touch a' ; rm 'x'", 'exec_command')],
    [['Bash(git:*)'], command(['git', 'log'])],
    [['Bash(git:*)'], request('tool', 'Bash', { command: 'git log' })],
    [['Read'], request('tool', 'ReadAll', {})],
    [[], command('ls')],
    [['('], command('ls')],
  ] as const)('%j does not', (allow, asked) => {
    expect(verdict(allow, asked)).toBe('deny')
  })

  test('a question goes to the person', () => {
    expect(verdict(['AskUserQuestion'], request('question', 'AskUserQuestion', {}))).toBeUndefined()
  })
})
