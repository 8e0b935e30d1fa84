// Judged by a real renderer that lets everything through: raw HTML on, links of every kind allowed.
import fc from 'fast-check'
import MarkdownIt from 'markdown-it'
import { describe, expect, test } from 'vitest'
import { harmlessMarkdown } from './harmless-markdown.ts'

const renderer = new MarkdownIt({ html: true, linkify: true })
renderer.validateLink = () => true
const render = (text: string) => renderer.render(harmlessMarkdown(text))

/** What the renderer itself makes of plain Markdown. */
const ownTags =
  /<\/?(?:p|h[1-6]|em|strong|s|code|pre|ul|ol|li|blockquote|table|thead|tbody|tr|t[hd]|hr|br)(?: class="[^"<>]*"| start="\d+"| style="text-align:\w+")? ?\/?>/g
const safeLinks = /<a href="(?:https?:\/\/|mailto:|[^":<>]*")[^<>]*>|<\/a>/g
const leftOver = (html: string) =>
  html
    .replace(ownTags, '')
    .replace(safeLinks, '')
    .match(/<[^>]*>?/g) ?? []

describe('raw HTML stays text', () => {
  test.each([
    '<script>alert(1)</script>',
    'a <img src=x onerror=alert(1)> b',
    '<!-- hidden',
    '<?php',
    '</details><iframe src="//x">',
    '- item\n\n  ```\n<img src=x>\n```',
    'a ` b\n` <img src=x> `',
    '- a ` b\n- <img src=x> ` c',
    'x\n    ```\n    <img src=x>',
    '| ` a | <img src=x> ` |\n|---|---|\n| ` a | <img src=x> ` |',
    '\\` <img src=x> `',
    '\\<img src=x>',
    '\\\\<img src=x>',
    '~~~\ncode\n~~~\n<b>',
    '```a`b\n<img src=x>',
    '1.  a\n\ntext\n     ```\n     <img src=x>',
  ])('%j', (text) => expect(leftOver(render(text))).toEqual([]))
})

describe('links that run something stay text', () => {
  test.each([
    '[a](javascript:alert(1))',
    '[a](java&#115;cript:alert(1))',
    '[a](javascript\\:alert(1))',
    '[a](\njavascript:alert(1))',
    '[a](<javascript:alert(1)>)',
    '<javascript:alert(1)>',
    '[a][b]\n\n[b]: javascript:alert(1)',
    '[a][b]\n\n[b]:\njavascript:alert(1)',
    '\\[a\\](javascript:alert(1))',
    '[a\\\\](javascript:alert(1))',
    '![a](data:text/html,x)',
    '[a](vbscript:x "t")',
  ])('%j', (text) => expect(render(text)).not.toMatch(/(?:href|src)="(?!https?:)[^"]*:/))
})

test.each(['![i](http://example.org/x.png)', 'a ![i][r]\n\n[r]: http://example.org/x.png', '[![i](http://example.org/x)](y)'])(
  'no picture is loaded: %j',
  (text) => expect(render(text)).not.toContain('<img'),
)

test.each([
  ['code in a line', 'use `Array<string>` or ``a`<b>`` here'],
  ['fenced code', '```html\n<div>[a](javascript:x)</div>\n```'],
  ['fenced code in a list', '- so:\n  ```html\n  <div>\n  ```\n- next'],
  ['links', '[a](https://x.test/?q=1) <https://y.test> [b](../c.md "t") [d][e]\n\n[e]: https://z.test'],
  ['comparisons', 'a < b, x <= 3, [1](2)'],
])('%s are left as they are', (_what, text) => expect(harmlessMarkdown(text)).toBe(text))

test('nothing a renderer makes a tag of gets through, whatever it is mixed with', () => {
  const piece = fc.constantFrom(
    ...[
      '`',
      '``',
      '```',
      '~~~',
      '\n',
      '\n\n',
      '\n    ',
      '\n  ',
      '\n   ',
      '- ',
      '1. ',
      '> ',
      '|',
      '\n|---|---|\n',
      '\\',
      ' ',
      'a',
      '# ',
      '[',
      '](',
      ')',
    ],
    ...[
      '<img src=x>',
      '</b>',
      '<!--',
      '[a](javascript:x)',
      '[b]: javascript:x',
      'javascript:x',
      '&#106;',
      '\t',
      '===',
      '<x',
      '`<i>`',
      '---',
    ],
  )
  const check = (pieces: readonly string[]) => {
    const html = render(pieces.join(''))
    expect(leftOver(html)).toEqual([])
    expect(html).not.toMatch(/(?:href|src)="[^"]*javascript/)
  }
  fc.assert(fc.property(fc.array(piece, { maxLength: 25, size: 'max' }), check), { numRuns: 5000 })
})
