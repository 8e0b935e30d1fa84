import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Message } from '../../model/session.ts'
import { createPaint } from '../theme.ts'
import { highlight } from './highlight.ts'
import { styleInline } from './inline.ts'
import { briefArguments, layoutMessage } from './layout.ts'
import { renderMarkdown } from './markdown.ts'
import { layoutStream } from './stream.ts'
import { clipStyled, padStyled, plain, styledWidth, wrapStyled } from './wrap-styled.ts'

const dark = createPaint('dark', '256')
const none = createPaint('dark', 'none')
/** Our own styles only: anything else that a terminal would act on is foreign. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: looking for them is the point
const foreign = /[\u0000-\u001f\u007f-\u009f]/

const word = fc.oneof(
  fc.constantFrom('a', 'word', '日本語', '👩‍👩‍👧', '🇩🇪', 'e\u0301', '\u200b', 'x'.repeat(50), '漢'.repeat(40), '  ', ' ', '\t'),
  fc.string({ unit: 'grapheme', maxLength: 10 }),
)
const line = fc.array(word, { maxLength: 30 }).map((words) => words.join(' ').replace(/[\p{Cc}\p{Cs}\u2028\u2029]/gu, ''))
const styled = fc
  .array(fc.tuple(fc.constantFrom('bold', 'dim', 'code', 'selected', 'match'), line), { maxLength: 5 })
  .map((parts) => dark.warn(parts.map(([style, text]) => dark[style as 'bold'](text)).join(' ')))

test('wrapped lines fit, lose no character, and leave no style open', () => {
  fc.assert(
    fc.property(styled, fc.integer({ min: 8, max: 60 }), (text, columns) => {
      const lines = wrapStyled(text, columns)
      for (const each of lines) expect(styledWidth(each)).toBeLessThanOrEqual(columns)
      expect(lines.map(plain).join('').replace(/\s/g, '')).toBe(plain(text).replace(/\s/g, ''))
      for (const each of lines) expect(openAtEnd(each)).toBe('')
    }),
    { numRuns: 300 },
  )
})

test('what is clipped fits, is a start of what it was, and leaves no style open', () => {
  fc.assert(
    fc.property(styled, fc.integer({ min: 1, max: 60 }), (text, columns) => {
      const clipped = clipStyled(text, columns)
      expect(styledWidth(clipped)).toBeLessThanOrEqual(columns)
      expect(plain(text).startsWith(plain(clipped).replace(/…$/, ''))).toBe(true)
      expect(openAtEnd(clipped)).toBe('')
    }),
    { numRuns: 300 },
  )
})

/** What a terminal would still have on behind this text. */
function openAtEnd(text: string): string {
  const on = new Set<string>()
  // biome-ignore lint/suspicious/noControlCharactersInRegex: as above
  for (const [, codes = ''] of text.matchAll(/\u001b\[([\d;]*)m/g)) {
    const first = codes.replace(/^1;38/, '38').split(';')[0] ?? ''
    if (codes.startsWith('1;38')) on.add('22')
    const ends: Record<string, string> = { 1: '22', 2: '22', 4: '24', 7: '27', 38: '39', 48: '49' }
    if (ends[first] !== undefined) on.add(ends[first])
    for (const code of codes.split(';')) if (!codes.includes('8;5')) on.delete(code)
  }
  return [...on].join()
}

test('a long word goes on where the line has room, blanks at a break go, those at the start stay', () => {
  expect(wrapStyled('ab cdefghijkl', 6)).toEqual(['ab cde', 'fghijk', 'l'])
  expect(wrapStyled('one two three', 7)).toEqual(['one two', 'three'])
  expect(wrapStyled('    one two', 8)).toEqual(['    one', 'two'])
  expect(wrapStyled('日本語日本語', 5)).toEqual(['日本', '語日', '本語'])
  expect(padStyled('日本', 6)).toBe('日本  ')
})

const markdown = fc
  .array(
    fc.oneof(
      line,
      line.map((text) => `# ${text}`),
      line.map((text) => `- ${text}`),
      line.map((text) => `${' '.repeat(40)}1. ${text}`),
      line.map((text) => `> ${text}`),
      fc.array(line, { maxLength: 4 }).map((cells) => `| ${cells.join(' | ')} |`),
      fc.constantFrom('```ts', '```', '~~~', '---', '| --- | :-: |', '', '**bold', '`tick', '[link](http://x)', '\tindented'),
    ),
    { maxLength: 20 },
  )
  .map((lines) => lines.join('\n'))

test('Markdown of any kind fits its box and brings nothing foreign', () => {
  fc.assert(
    fc.property(markdown, fc.integer({ min: 12, max: 100 }), (text, columns) => {
      for (const each of renderMarkdown(text, columns, dark)) {
        expect(styledWidth(each)).toBeLessThanOrEqual(columns)
        expect(plain(each)).not.toMatch(foreign)
      }
    }),
    { numRuns: 200 },
  )
})

test('an answer that comes in piece by piece looks as it does in the end', () => {
  const pieces = fc.sample(markdown, { numRuns: 24, seed: 7 })
  const code = '```ts\nconst a = 1\n```\n| a | b |\n| - | - |\n| 1 | 2 |\n\n'.repeat(40)
  const after = `${'```ts\n'}${'x = 1\n'.repeat(400)}${'```\n'}| - | - |\n${'| long cell | b |\n'.repeat(200)}`
  for (const text of [pieces.join('\n\n'), code, after, `~~~py\n${'x = 1\n'.repeat(600)}`]) {
    const whole = text.trimEnd()
    for (let at = 0; at < whole.length; at += 331) layoutStream(whole.slice(0, at), 60, none)
    expect(layoutStream(whole, 60, none).map(plain)).toEqual(renderMarkdown(whole, 60, none).map(plain))
  }
})

test('Markdown as it is meant to look', () => {
  const text =
    '# Title\n\nSome *soft* **bold** `code` and [docs](http://d).\n- one\n- [x] done\n1. first\n> quoted\n\n| a | b |\n| - | - |\n| 1 | `x` |\n```ts\nconst a = "s" // why\n```\n---'
  expect(renderMarkdown(text, 40, none).map(plain)).toMatchInlineSnapshot(`
    [
      "Title",
      "",
      "Some soft bold code and docs (http://d).",
      "• one",
      "☑ done",
      "1. first",
      "│ quoted",
      "",
      "a │ b",
      "──┼──",
      "1 │ x",
      "▏ const a = "s" // why",
      "────────────────────────────────────────",
    ]
  `)
})

test('a table that is too wide gives way in its widest column', () => {
  const text = `| name | what it does |\n| --- | --- |\n| a | ${'many words '.repeat(8)}|\n| b | short |`
  expect(renderMarkdown(text, 40, none).map(plain)).toMatchInlineSnapshot(`
    [
      "name │ what it does                     ",
      "─────┼──────────────────────────────────",
      "a    │ many words many words many words ",
      "     │ many words many words many words ",
      "     │ many words many words            ",
      "b    │ short                            ",
    ]
  `)
})

test('code in colours is the same code', () => {
  fc.assert(
    fc.property(
      fc.array(line),
      fc.constantFrom('ts', 'python', 'sql', 'html', 'json', 'diff', 'unheard-of', ''),
      (lines, language) => {
        expect(highlight(lines, language, dark).map(plain)).toEqual(lines)
      },
    ),
  )
  expect(highlight(['/* a', 'b */ const x = 1'], 'ts', dark)[1]).toBe(`${dark.comment('b */')} ${dark.keyword('const')} x = 1`)
  expect(highlight(['see http://x.y // real'], 'ts', dark)[0]).toBe(`see http://x.y ${dark.comment('// real')}`)
})

test('marks that never close stay as they were written', () => {
  expect(styleInline('a ** b ` c [d](', none)).toBe('a ** b ` c [d](')
  expect(styleInline('snake_case__name and 2 * 3 * 4', none)).toBe('snake_case__name and 2 * 3 * 4')
})

const roles = ['user', 'assistant', 'tool', 'system', 'error', 'summary'] as const
const message = fc
  .record({
    role: fc.constantFrom(...roles),
    text: fc.string({ unit: 'binary', maxLength: 200 }),
    thinking: fc.string({ unit: 'binary' }),
    output: fc.option(fc.string({ unit: 'binary' })),
    given: fc.jsonValue(),
  })
  .map(
    ({ role, text, thinking, output, given }): Message => ({
      id: 'm',
      turnId: 't',
      role,
      text,
      thinking,
      at: null,
      tool: { name: text.slice(0, 9), arguments: given, output, exitCode: 1, failed: true, callId: 'c' },
    }),
  )

test('a message of any bytes is laid out, fits and is harmless', () => {
  fc.assert(
    fc.property(message, fc.integer({ min: 20, max: 120 }), fc.boolean(), (given, columns, unfolded) => {
      for (const { text } of layoutMessage(given, { columns, paint: dark, unfolded })) {
        expect(styledWidth(text)).toBeLessThanOrEqual(columns)
        expect(plain(text)).not.toMatch(foreign)
      }
    }),
    { numRuns: 300 },
  )
})

function textMessage(role: Message['role'], text: string): Message {
  return { id: 'm', turnId: 't', role, text, at: null }
}

test.each([
  ['words', 'lorem ipsum '.repeat(10_000)],
  ['one word', 'x'.repeat(100_000)],
  ['brackets that never close', '['.repeat(100_000)],
  ['ticks', '`a'.repeat(50_000)],
  ['stars', '**a '.repeat(30_000)],
  ['comments', `\`\`\`ts\n${'/**/'.repeat(30_000)}`],
  ['bars', `|${' a |'.repeat(30_000)}`],
  ['table rows', '| a | b |\n'.repeat(12_000)],
  ['wide characters', '漢'.repeat(50_000)],
  ['blanks', `-${' '.repeat(100_000)}x`],
  ['rules', `${'- '.repeat(50_000)}x`],
])(
  'a hundred kilobytes of %s are laid out in a time one can count on',
  (_name, text) => {
    for (const role of ['assistant', 'user', 'tool'] as const) {
      const tool = { name: 'Bash', arguments: { command: text }, output: text, exitCode: 0, failed: false, callId: 'c' }
      const lines = layoutMessage({ ...textMessage(role, text), tool }, { columns: 100, paint: dark, unfolded: true })
      for (const each of lines) expect(styledWidth(each.text)).toBeLessThanOrEqual(100)
    }
  },
  20_000,
)

test('huge outputs show their start and their end, and say what is left out', () => {
  const output = Array.from({ length: 100_000 }, (_, at) => `line ${at}`).join('\n')
  const tool = { name: 'Bash', arguments: { command: 'x' }, output, exitCode: 3, failed: true, callId: 'c' }
  const lines = layoutMessage({ ...textMessage('tool', ''), tool }, { columns: 80, paint: none, unfolded: true }).map(
    ({ text }) => plain(text).trim(),
  )
  expect(lines.length).toBeLessThan(260)
  expect(lines[0]).toBe('▾ ✗ Bash exit 3 x')
  expect(lines).toContain('line 0')
  expect(lines).toContain('line 99999')
  expect(lines.join('\n')).toMatch(/… \d+ lines are not shown …/)
})

test.each([
  [{ output: 'The person refused this.', failed: true }, '▸ ✗ Bash failed touch n2'],
  [{ output: 'ok', failed: false }, '▸ ✓ Bash touch n2'],
  [{ output: 'who knows', failed: null }, '▸ • Bash touch n2'],
  [{ output: null, failed: null }, '▸ … Bash touch n2'],
])('a call without an exit code shows how it ended: %o', (end, expected) => {
  const tool = { name: 'Bash', arguments: { command: 'touch n2' }, exitCode: null, callId: 'c', ...end }
  const [head] = layoutMessage({ ...textMessage('tool', ''), tool }, { columns: 80, paint: none, unfolded: false })
  expect(plain(head?.text ?? '').trim()).toBe(expected)
})

test('a seed is folded to one line', () => {
  const seed = textMessage('user', `[OFFSHOOT_FORK_SEED abc]\n${'transcript\n'.repeat(1000)}`)
  expect(layoutMessage(seed, { columns: 60, paint: none, unfolded: false })).toHaveLength(2)
})

test('arguments as a person would say them', () => {
  expect(briefArguments({ command: ['git', 'status'] })).toBe('git status')
  expect(briefArguments({ file_path: 'a.ts', content: 'x' })).toBe('a.ts')
  expect(briefArguments({})).toBe('')
  expect(briefArguments(null)).toBe('')
  expect(briefArguments({ command: [{ odd: 1 }] })).toBe('{"command":[{"odd":1}]}')
})
