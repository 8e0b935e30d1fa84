import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import type { ToolCall } from '../../model/session.ts'
import { chunkTurn, type Piece } from './chunk-turn.ts'
import { filesTouched, recallTool, tellTool } from './recall.ts'

const call = (name: string, args: unknown, output: string | null = '', exitCode: number | null = null): ToolCall => ({
  name,
  arguments: args,
  output,
  exitCode,
  failed: null,
  callId: 'c',
})

describe('of a tool call', () => {
  test.each([
    ['Edit', { file_path: '/p/src/app.ts', old_string: 'a', new_string: 'b' }, [{ path: '/p/src/app.ts', edited: true }]],
    ['Write', { file_path: 'a/b.ts', content: 'x' }, [{ path: '/p/a/b.ts', edited: true }]],
    ['Read', { file_path: '/p/a.ts' }, [{ path: '/p/a.ts', edited: false }]],
    ['Bash', { command: 'npm test' }, []],
    [
      'apply_patch',
      '*** Begin Patch\n*** Update File: x.ts\n+1\n*** Add File: y/z.ts\n+2\n*** End Patch',
      [
        { path: '/p/x.ts', edited: true },
        { path: '/p/y/z.ts', edited: true },
      ],
    ],
    [
      'shell',
      { command: ['bash', '-lc', 'apply_patch <<E\n*** Begin Patch\n*** Delete File: old.ts\n*** End Patch\nE'] },
      [{ path: '/p/old.ts', edited: true }],
    ],
    ['Glob', { pattern: '**/*.ts', path: '/p' }, [{ path: '/p', edited: false }]],
  ])('%s, the files are remembered', (name, args, files) => {
    expect(filesTouched(recallTool(call(name, args)), '/p')).toEqual(files)
  })

  it('the command is remembered, a script behind it is not', () => {
    const command = `cat <<E\n1\n2\n3\n${'secret script line\n'.repeat(50)}E`
    const text = tellTool(recallTool(call('Bash', { command, description: 'Write it down' })))
    expect(text).toContain('Write it down')
    expect(text).not.toContain('script')
  })

  it('error lines are remembered, the rest of the output is not', () => {
    const output = `${'all is well here\n'.repeat(1000)}TypeError: x is not a function\n${'more noise\n'.repeat(20)}`
    const text = tellTool(recallTool(call('Bash', { command: 'node x' }, output, 1)))
    expect(text).toContain('TypeError: x is not a function')
    expect(text).not.toContain('noise')
  })

  it('what went well has no errors', () => {
    expect(tellTool(recallTool(call('Bash', { command: 'grep error log' }, 'error: old news\n', 0)))).toBe('Bash grep error log')
  })

  it('anything at all can be its arguments', () => {
    fc.assert(
      fc.property(fc.anything(), fc.option(fc.string()), (args, output) => {
        expect(typeof tellTool(recallTool(call('X', args, output, 1)))).toBe('string')
      }),
    )
  })
})

describe('a turn in chunks', () => {
  const piece: fc.Arbitrary<Piece> = fc.record({
    field: fc.constantFrom('prompt', 'body', 'tools'),
    text: fc.oneof(
      fc.string({ unit: fc.constantFrom('word ', 'x', '\n', '日', '🙂'), maxLength: 4000 }),
      fc.string({ maxLength: 50 }),
    ),
  })

  it('loses nothing but blanks, and no chunk is too large', () => {
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const chunks = chunkTurn(pieces)
        const letters = (texts: readonly string[]) => texts.join('').replaceAll(/\s/g, '').length
        expect(letters(chunks.flatMap(({ prompt, body, tools }) => [prompt, body, tools]))).toBe(
          letters(pieces.map(({ text }) => text)),
        )
        for (const { prompt, body, tools } of chunks) expect(prompt.length + body.length + tools.length).toBeLessThan(1600)
      }),
    )
  })

  it('keeps what was pasted apart from what was typed', () => {
    const chunks = chunkTurn([{ field: 'prompt', text: `please look\n${'pasted line of a log\n'.repeat(300)}` }])
    expect(chunks.map(({ prompt }) => prompt).join('').length).toBeLessThanOrEqual(2000)
    expect(chunks[0]?.prompt).toMatch(/^please look/)
    expect(chunks.at(-1)?.prompt).toBe('')
  })

  it('does not split a letter in two', () => {
    const chunks = chunkTurn([{ field: 'body', text: '🙂'.repeat(3000) }])
    expect(chunks.every(({ body }) => Buffer.from(body).toString() === body)).toBe(true)
  })

  it('ends where a turn only repeats itself', () => {
    expect(chunkTurn([{ field: 'body', text: 'again and again '.repeat(200_000) }])).toHaveLength(400)
  })
})
