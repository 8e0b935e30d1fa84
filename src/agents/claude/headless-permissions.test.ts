import { describe, expect, it } from 'vitest'
import { answerTo, readPermission } from './headless-permissions.ts'

const rule = {
  type: 'addRules',
  rules: [{ toolName: 'Bash', ruleContent: 'touch f' }],
  behavior: 'allow',
  destination: 'localSettings',
}
const allEdits = { type: 'setMode', mode: 'acceptEdits', destination: 'session' }
const bash = {
  tool_name: 'Bash',
  input: { command: 'touch  f\n\u001b[2J' },
  tool_use_id: 't1',
  permission_suggestions: [rule, allEdits],
}

describe('readPermission', () => {
  it('says in one clean line what is asked', () => {
    expect(readPermission('q', bash).request).toEqual({
      id: 'q',
      tool: 'Bash',
      kind: 'command',
      summary: 'touch f [2J',
      arguments: bash.input,
      callId: 't1',
      canRemember: true,
    })
    const summary = (tool_name: string, input: unknown) => readPermission('q', { tool_name, input }).request
    expect(summary('Edit', { file_path: '/a/b' })).toMatchObject({
      kind: 'edit',
      summary: '/a/b',
      canRemember: false,
      callId: null,
    })
    expect(summary('NotebookEdit', { notebook_path: '/a.ipynb' })).toMatchObject({ kind: 'edit', summary: '/a.ipynb' })
    expect(summary('mcp__x__y', { a: 1 })).toMatchObject({ kind: 'tool', summary: 'mcp__x__y {"a":1}' })
    expect(summary('AskUserQuestion', { questions: [{ question: 'A?' }, { question: 'B?' }] })).toMatchObject({
      kind: 'question',
      summary: 'A? / B?',
    })
    expect(summary('Bash', { command: 'x'.repeat(1000) }).summary).toHaveLength(300)
  })

  it('tells the questions apart, with their options; own words are always taken', () => {
    const options = [{ label: 'A', description: 'first' }, { label: 'B' }, { label: 3 }]
    const input = { questions: [{ question: 'Which?', header: 'H', options, multiSelect: true }, { question: 1 }, null] }
    expect(readPermission('q', { tool_name: 'AskUserQuestion', input }).request.questions).toEqual([
      {
        key: 'Which?',
        text: 'Which?',
        options: [
          { label: 'A', description: 'first' },
          { label: 'B', description: null },
        ],
        isMultiple: true,
        takesText: true,
        isRequired: true,
        isSecret: false,
      },
    ])
    expect(readPermission('q', { tool_name: 'AskUserQuestion', input: {} }).request.questions).toEqual([])
  })

  it('makes something of anything', () => {
    expect(readPermission('q', {}).request).toMatchObject({ tool: 'tool', kind: 'tool', arguments: {} })
    expect(readPermission('q', { tool_name: 'Bash', input: null, permission_suggestions: 'no' }).request).toMatchObject({
      summary: 'Bash {}',
      canRemember: false,
    })
  })
})

describe('answerTo', () => {
  const asked = readPermission('q', bash)

  it('gives the input back with every yes: 2.1.197 refuses one without', () => {
    expect(answerTo(asked, { verdict: 'allow' })).toEqual({
      verdict: 'allow',
      response: { behavior: 'allow', updatedInput: bash.input },
    })
  })

  it('remembers for this session only, and only what was asked', () => {
    expect(answerTo(asked, { verdict: 'allow_session' })).toEqual({
      verdict: 'allow_session',
      response: { behavior: 'allow', updatedInput: bash.input, updatedPermissions: [{ ...rule, destination: 'session' }] },
    })
    const edit = readPermission('q', { tool_name: 'Write', input: {}, permission_suggestions: [allEdits] })
    expect(answerTo(edit, { verdict: 'allow_session' }).response).toMatchObject({ updatedPermissions: [allEdits] })
  })

  it('says a plain yes where nothing can be remembered', () => {
    const bypass = { type: 'setMode', mode: 'bypassPermissions', destination: 'session' }
    const deny = { ...rule, behavior: 'deny' }
    const plain = readPermission('q', { tool_name: 'Bash', input: {}, permission_suggestions: [bypass, deny] })
    expect(answerTo(plain, { verdict: 'allow_session' })).toEqual({
      verdict: 'allow',
      response: { behavior: 'allow', updatedInput: {} },
    })
  })

  it('puts answers to a question beside it, and nowhere else', () => {
    const question = readPermission('q', {
      tool_name: 'AskUserQuestion',
      input: { questions: [] },
      permission_suggestions: [rule],
    })
    expect(answerTo(question, { verdict: 'allow_session', answers: { 'A?': 'b' } }).response).toEqual({
      behavior: 'allow',
      updatedInput: { questions: [], answers: { 'A?': 'b' } },
    })
    expect(answerTo(asked, { verdict: 'allow', answers: { x: 'y' } }).response).toMatchObject({ updatedInput: bash.input })
  })

  it('refuses with a reason; to abort ends the turn', () => {
    expect(answerTo(asked, { verdict: 'deny', reason: 'no' }).response).toEqual({
      behavior: 'deny',
      message: 'no',
      interrupt: false,
    })
    expect(answerTo(asked, { verdict: 'abort' }).response).toMatchObject({ behavior: 'deny', interrupt: true })
  })
})
