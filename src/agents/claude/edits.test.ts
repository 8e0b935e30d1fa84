import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { readEdits } from './edits.ts'
import { chainLine, prompt, reply, result, sessionFile, summarise, type TestLine, testFolder } from './lines.testkit.ts'

function sample(name: string) {
  return sessionFile(join(import.meta.dirname, 'samples', `${name}.jsonl`))
}

describe.each(['2.1.197', '2.1.325'])('files of %s', (version) => {
  const file = sample(`print-5turns-tools-parallel-subagent-${version}`)

  it('tells what was written and edited, by turn, and passes over commands that only read', async () => {
    const { turns } = await summarise(file)
    const { edits, unrecorded, startCommit } = await readEdits(file, { turnId: turns[4]?.id ?? '' })
    expect(edits.map(({ turnId, path, ...edit }) => [turnId, path.replace(/.*\//, ''), edit])).toEqual([
      [turns[1]?.id, 'a.txt', { kind: 'write', before: null, after: 'hello A' }],
      [turns[3]?.id, 'a.txt', { kind: 'edit', before: 'hello A', after: 'bye A' }],
    ])
    // The subagent's own file is not beside the sample: nobody can tell what it did.
    expect(unrecorded).toEqual([{ turnId: turns[3]?.id, tool: 'Agent' }])
    expect(startCommit).toBeNull()
  })

  it('ends with the turn asked for', async () => {
    const { turns } = await summarise(file)
    expect((await readEdits(file, { turnId: turns[2]?.id ?? '' })).edits).toHaveLength(1)
  })
})

describe('records of the edit tools', () => {
  const folder = testFolder()
  afterAll(() => folder.remove())

  const one = (name: string, input: TestLine, done: TestLine) =>
    folder.write([
      prompt('p1', null, 'go'),
      reply('a1', 'p1', 'm1', { type: 'tool_use', id: 'toolu_1', name, input }),
      ...(done.none === true ? [] : [result('r1', 'a1', 'toolu_1', 'done', done)]),
      reply('a2', done.none === true ? 'a1' : 'r1', 'm2', 'Done.'),
    ])
  const read = async (name: string, input: TestLine, done: TestLine) => readEdits(one(name, input, done), { turnId: 'p1' })
  const edit = { file_path: '/r/a', old_string: 'x', new_string: 'y' }

  it.each<[string, string, TestLine, TestLine, object]>([
    [
      'every place, and no dollar of the new text is taken for a pattern',
      'Edit',
      { ...edit, replace_all: true, new_string: "$&$'" },
      { toolUseResult: { filePath: '/r/a', oldString: 'x', newString: "$&$'", originalFile: 'x1x', replaceAll: true } },
      { kind: 'edit', before: 'x1x', after: "$&$'1$&$'" },
    ],
    [
      'a removed line with its line break',
      'Edit',
      { ...edit, new_string: '' },
      {
        toolUseResult: {
          filePath: '/r/a',
          oldString: 'x',
          newString: '',
          originalFile: 'a\nx\nb\n',
          structuredPatch: [{ lines: [' a', '-x', ' b'] }],
        },
      },
      { kind: 'edit', before: 'a\nx\nb\n', after: 'a\nb\n' },
    ],
    [
      'an edit whose file was too large to be recorded',
      'Edit',
      edit,
      { toolUseResult: { filePath: '/r/a', oldString: 'x', newString: 'y', originalFile: null } },
      { kind: 'edit', replacements: [{ old: 'x', new: 'y', all: false }] },
    ],
    [
      'several edits at once',
      'MultiEdit',
      { file_path: '/r/a' },
      {
        toolUseResult: {
          filePath: '/r/a',
          edits: [
            { old_string: 'x', new_string: 'y' },
            { old_string: 'yz', new_string: 'w' },
          ],
          originalFileContents: 'xz',
        },
      },
      { kind: 'edit', before: 'xz', after: 'w' },
    ],
    [
      'a file written over',
      'Write',
      { file_path: '/r/a', content: 'new' },
      { toolUseResult: { type: 'update', filePath: '/r/a', content: 'new', originalFile: 'old' } },
      { kind: 'write', before: 'old', after: 'new' },
    ],
    [
      'a notebook',
      'NotebookEdit',
      { notebook_path: '/r/n.ipynb', new_source: '1' },
      { toolUseResult: { original_file: '{}', updated_file: '{"a":1}' } },
      { kind: 'edit', before: '{}', after: '{"a":1}' },
    ],
  ])('tells %s', async (_, name, input, done, expected) => {
    const path = input.file_path ?? input.notebook_path
    expect(await read(name, input, done)).toMatchObject({ edits: [{ turnId: 'p1', path, ...expected }], unrecorded: [] })
  })

  it('takes a failed call for no change, and one without a result for an unknown one', async () => {
    const failed = [{ type: 'tool_result', tool_use_id: 'toolu_1', is_error: true, content: 'String to replace not found' }]
    expect(await read('Edit', edit, { message: { role: 'user', content: failed }, toolUseResult: 'Error: no' })).toMatchObject({
      edits: [],
      unrecorded: [],
    })
    expect(await read('Edit', edit, { none: true })).toMatchObject({ edits: [], unrecorded: [{ turnId: 'p1', tool: 'Edit' }] })
  })

  it('does not trust an edit that a person changed, or whose lines do not add up', async () => {
    const record = { filePath: '/r/a', oldString: 'x', newString: 'y', originalFile: 'x' }
    const changed = { toolUseResult: { ...record, userModified: true } }
    const odd = { toolUseResult: { ...record, structuredPatch: [{ lines: ['-x', '+y', '+z'] }] } }
    for (const done of [changed, odd]) {
      expect(await read('Edit', edit, done)).toMatchObject({ edits: [], unrecorded: [{ turnId: 'p1', tool: 'Edit' }] })
    }
  })

  it('names shell commands by their program alone, and unknown tools', async () => {
    const bash = await read('Bash', { command: 'curl -H "token: s3cret" x > y' }, {})
    expect(bash.unrecorded).toEqual([{ turnId: 'p1', tool: 'Bash: curl' }])
    expect((await read('Bash', { command: 'git status' }, {})).unrecorded).toEqual([])
    expect((await read('mcp__files__save', {}, {})).unrecorded).toEqual([{ turnId: 'p1', tool: 'mcp__files__save' }])
    expect((await read('Read', { file_path: '/r/a' }, {})).unrecorded).toEqual([])
  })

  it('notices commands a person ran and files that changed from outside', async () => {
    const changed = { type: 'edited_text_file', filename: '/r/b', snippet: '1 x' }
    const file = folder.write([
      prompt('p1', null, 'go'),
      reply('a1', 'p1', 'm1', 'Done.'),
      chainLine('u1', 'a1', { type: 'user', message: { role: 'user', content: '<bash-input>make all</bash-input>' } }),
      prompt('p2', 'u1', 'again'),
      chainLine('t1', 'p2', { type: 'attachment', attachment: changed }),
      reply('a3', 't1', 'm3', 'Done.'),
    ])
    expect((await readEdits(file, { turnId: 'p2' })).unrecorded).toEqual([
      { turnId: 'p1', tool: '!make' },
      { turnId: 'p2', tool: 'a change from outside to /r/b', outside: true },
    ])
    expect((await readEdits(file, { turnId: 'p1' })).unrecorded).toEqual([{ turnId: 'p1', tool: '!make' }])
  })
})
