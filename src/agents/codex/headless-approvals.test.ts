import { describe, expect, it } from 'vitest'
import type { Decision, PermissionVerdict } from '../../model/run.ts'
import { readQuestion } from './headless-approvals.ts'
import type { Body } from './lines.ts'

const verdicts: readonly PermissionVerdict[] = ['allow', 'allow_session', 'deny', 'abort']

function question(method: string, params: Body, items: readonly Body[] = []) {
  const found = readQuestion('q', method, params, new Map(items.map((item) => [String(item.id), item])))
  if (found === null) throw new Error(`${method} is no question`)
  return { ...found, answers: (more: Partial<Decision> = {}) => verdicts.map((verdict) => found.answer({ verdict, ...more })) }
}

describe('readQuestion', () => {
  it('knows the four answers to a command and to an edit', () => {
    const decisions = ['accept', 'acceptForSession', 'decline', 'cancel'].map((decision) => ({ decision }))
    const run = question('item/commandExecution/requestApproval', { command: "bash -lc 'rm x'", cwd: '/w', itemId: 'c' })
    expect([run.request.summary, run.request.kind, run.request.callId, run.answers()]).toEqual([
      'rm x',
      'command',
      'c',
      decisions,
    ])
    const changes = [
      { path: '/w/a', kind: { type: 'add' }, diff: 'x\n' },
      { path: '/w/b', kind: { type: 'delete' }, diff: '' },
    ]
    const edit = question('item/fileChange/requestApproval', { itemId: 'e' }, [{ id: 'e', type: 'fileChange', changes }])
    expect([edit.request.summary, edit.request.arguments]).toEqual(['add /w/a, delete /w/b', { changes, reason: null }])
    expect(edit.answers()).toEqual(decisions)
  })

  it('names every path an edit would write, and asks differently for hosts and for typing', () => {
    const moved = { path: '/w/a', kind: { type: 'update', move_path: '/etc/a' }, diff: '' }
    const items = [{ id: 'e', type: 'fileChange', changes: [moved] }]
    const { request } = question('item/fileChange/requestApproval', { itemId: 'e', grantRoot: '/srv' }, items)
    expect(request.summary).toBe('update /w/a, move to /etc/a, open /srv')
    const paths = (request.arguments as { changes: { path: string }[] }).changes.map(({ path }) => path)
    expect(paths).toEqual(['/w/a', '/etc/a', '/srv'])
    expect(question('item/fileChange/requestApproval', { itemId: 'gone' }).request).toMatchObject({ summary: 'change files' })
    const command = 'curl x'
    const host = question('item/commandExecution/requestApproval', { command, networkApprovalContext: { host: 'x.org' } })
    expect(host.request).toMatchObject({ tool: 'network_access', kind: 'tool', summary: 'x.org: curl x' })
    const typing = question('item/commandExecution/requestApproval', { kind: 'writeStdin', command })
    expect(typing.request).toMatchObject({ tool: 'write_stdin', kind: 'tool' })
  })

  it('grants the access that is asked for, or none', () => {
    const permissions = { network: { enabled: true } }
    const { answers } = question('item/permissions/requestApproval', { permissions, itemId: 'p', reason: 'to fetch' })
    expect(answers()).toEqual([
      { permissions, scope: 'turn' },
      { permissions, scope: 'session' },
      { permissions: {}, scope: 'turn' },
      { permissions: {}, scope: 'turn' },
    ])
  })

  it("gives a person's answers by the name of the question", () => {
    const questions = [
      { id: 'a', question: 'Which one?' },
      { id: 'b', question: 'And why?' },
    ]
    const asked = question('item/tool/requestUserInput', { questions, itemId: 'i' })
    expect([asked.request.kind, asked.request.summary, asked.request.canRemember]).toEqual([
      'question',
      'Which one? And why?',
      false,
    ])
    expect(asked.answer({ verdict: 'allow', answers: { 'Which one?': 'B' } })).toEqual({ answers: { a: { answers: ['B'] } } })
  })

  it('tells the questions apart, and the fields of a form as questions', () => {
    const options = [{ label: 'A', description: 'first' }]
    const questions = [
      { id: 'a', question: 'Which?', options, isOther: false, isSecret: false },
      { id: 'b', question: 'Key?', options: null, isOther: false, isSecret: true },
      { id: 'c', question: 'Or?', options, isOther: true },
    ]
    expect(question('item/tool/requestUserInput', { questions }).request.questions).toMatchObject([
      { key: 'a', text: 'Which?', options, takesText: false, isRequired: true, isSecret: false },
      { key: 'b', options: [], takesText: true, isSecret: true },
      { key: 'c', options, takesText: true },
    ])
    const properties = { n: { type: 'integer', title: 'How many' }, ok: { type: 'boolean' }, e: { enum: ['x', 'y'] } }
    const form = question('mcpServer/elicitation/request', { serverName: 's', requestedSchema: { properties, required: ['n'] } })
    expect(form.request.questions).toMatchObject([
      { key: 'n', text: 'How many', options: [], takesText: true, isRequired: true },
      { key: 'ok', options: [{ label: 'yes' }, { label: 'no' }], takesText: false, isRequired: false },
      { key: 'e', options: [{ label: 'x' }, { label: 'y' }], takesText: false },
    ])
    const content = (n: string) => form.answer({ verdict: 'allow', answers: { n, ok: 'yes' } }).content
    expect([content('2'), content('two')]).toEqual([
      { n: 2, ok: true },
      { n: 'two', ok: true }, // the server says what is wrong with it
    ])
  })

  it('tells the approval of a tool from a form of the server itself', () => {
    const meta = { codex_approval_kind: 'mcp_tool_call', persist: ['session', 'always'], tool_params: { text: 'a' } }
    const call = { id: 'm', type: 'mcpToolCall', server: 'probe', tool: 'echo' }
    const tool = question(
      'mcpServer/elicitation/request',
      { serverName: 'probe', mode: 'form', _meta: meta, message: 'May it?' },
      [call],
    )
    expect(tool.request).toEqual({
      id: 'q',
      tool: 'mcp__probe__echo',
      kind: 'tool',
      summary: 'May it?',
      arguments: { text: 'a' },
      callId: 'm',
      canRemember: true,
    })
    expect(tool.answers()).toEqual([
      { action: 'accept', content: {}, _meta: null },
      { action: 'accept', content: {}, _meta: { persist: 'session' } },
      { action: 'decline', content: null, _meta: null },
      { action: 'cancel', content: null, _meta: null },
    ])
    const requestedSchema = {
      properties: { n: { type: 'integer' }, b: { type: 'boolean' }, s: { type: 'string', title: 'Name' }, x: {} },
    }
    const form = question('mcpServer/elicitation/request', {
      serverName: 'probe',
      mode: 'form',
      message: 'Tell me',
      requestedSchema,
    })
    expect([form.request.kind, form.request.canRemember]).toEqual(['question', false])
    const given = form.answer({ verdict: 'allow', answers: { n: '7', b: 'Yes', Name: '8', other: '9' } })
    expect(given).toEqual({ action: 'accept', content: { n: 7, b: true, s: '8' }, _meta: null })
  })

  it('does not know what nobody here can answer', () => {
    for (const method of ['item/tool/call', 'account/chatgptAuthTokens/refresh', 'currentTime/read']) {
      expect(readQuestion('q', method, {}, new Map())).toBeNull()
    }
  })
})
