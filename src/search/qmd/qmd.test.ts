import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type ExportHeader, readHeader, readMark, writeHeader } from './header.ts'
import { toLexQuery, wordsOf } from './rewrite.ts'
import { readRows } from './rows.ts'

describe('the head of an export', () => {
  const header: ExportHeader = {
    title: 'Due dates: the plan',
    sessionId: '60309e1e-84b8-4be1-9d3f-0d43f7b4e6a7',
    workingDirectory: '/home/me/to do',
    repoRoot: '/home/me/to do',
    date: '2026-11-15T12:00:00.000Z',
    agent: 'claude',
    branch: 'feature/x',
    parent: 'claude:b7c41d02@3',
  }

  it('has the names everyone knows, and comes back as it was', () => {
    const text = writeHeader(header, 'abc123')
    for (const name of ['Session ID', 'Working Directory', 'Repo Root', 'Date', 'Agent']) expect(text).toContain(`\n${name}: `)
    expect(readHeader(text)).toEqual(header)
    expect(readMark(text)).toBe('abc123')
    const bare = { ...header, workingDirectory: null, repoRoot: null, date: null, branch: null, parent: null }
    expect(readHeader(writeHeader(bare, 'x'))).toEqual(bare)
  })

  it('is read in bold, as a list and in any case', () => {
    const bold =
      '# T\r\n\r\n**Session ID:** abc\r\n**Working Directory**: `/p`\r\n* **agent:** Claude Code\r\n- Date: 2026-01-01\r\n'
    expect(readHeader(bold)).toMatchObject({
      title: 'T',
      sessionId: 'abc',
      workingDirectory: '/p',
      agent: 'claude',
      date: '2026-01-01',
    })
    expect(readHeader('session_id: codex:xyz\nAGENT: codex')).toMatchObject({ sessionId: 'xyz', agent: 'codex' })
  })

  it('is not looked for in what was said', () => {
    expect(readHeader('# Title\n\n## Turn 1\n\nSession ID: evil\n')).toBeNull()
    expect(readMark('# Title\n\n## Turn 1\n\n<!-- offshoot export x -->\n')).toBeNull()
    expect(readHeader('')).toBeNull()
    const tricky = { ...header, title: 'One\nSession ID: evil', branch: 'a\n\n## b\nAgent: codex' }
    expect(readHeader(writeHeader(tricky, 'm'))).toMatchObject({ sessionId: header.sessionId, agent: 'claude' })
  })

  it('comes back whatever the title', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 300 }), (title) => {
        expect(readHeader(writeHeader({ ...header, title }, 'm'))).toMatchObject({ sessionId: header.sessionId })
      }),
    )
  })
})

describe('an intent for qmd', () => {
  it('is its telling words, each on a line of its own after all of them together', () => {
    const words = wordsOf('Please make the `parseSession` retry, with "backoff" (as in retry-2.0)!')
    expect(words).toEqual(['parseSession', 'retry', 'backoff', 'retry-2.0'])
    expect(toLexQuery(['a', 'b'])).toBe('lex: a b\nlex: a\nlex: b')
    expect(toLexQuery(['a'], 'what it\nmeans')).toBe('lex: a\nvec: what it means')
  })

  it('keeps common words where there are no others', () => {
    expect(wordsOf('what is it')).toEqual(['what', 'is', 'it'])
  })

  it('is always lines that qmd takes', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const words = wordsOf(text)
        for (const line of toLexQuery(words)
          .split('\n')
          .filter(() => words.length > 0))
          expect(line).toMatch(/^lex: [^-"\s][^"\n]*$/)
      }),
    )
  })
})

describe('rows of qmd', () => {
  it('are read from its array, whatever else it prints', () => {
    const row = {
      docid: '#8b97b0',
      score: 0.52,
      file: 'qmd://claude-sessions/p/a.md?index=offshoot',
      line: 3,
      title: 'T',
      snippet: '@@ -2,3 @@ (1 before, 0 after)\n\nabout  it\n',
    }
    const read = { collection: 'claude-sessions', path: 'p/a.md', score: 0.52, snippet: 'about it', body: null }
    expect(readRows(`Warning: x\n${JSON.stringify([row], null, 2)}\n`)).toEqual([read])
    expect(readRows('[]')).toEqual([])
  })

  it('are none where there is no answer', () => {
    for (const text of ['', 'no', '{}', '[', '[{"file":', 'a [b] c']) expect(readRows(text)).toBeNull()
  })
})
