import { describe, expect, it } from 'vitest'
import { mayConvert, parseAttributes } from './converted.ts'
import type { GitSettings } from './git-settings.ts'

const plain: GitSettings = { sparse: false, autocrlf: 'false', eolIsCrlf: false, filemode: true, overrides: {} }

describe('whether checkout may write other bytes than the blob', () => {
  it.each([
    ['nothing set', {}, {}, false],
    ['text=auto', { text: 'auto' }, {}, false],
    ['text, LF wanted', { text: 'set', eol: 'lf' }, {}, false],
    ['CRLF by attribute', { text: 'set', eol: 'crlf' }, {}, true],
    ['CRLF by core.eol', { text: 'auto' }, { eolIsCrlf: true }, true],
    ['core.eol without text', {}, { eolIsCrlf: true }, false],
    ['autocrlf', {}, { autocrlf: 'true' }, true],
    ['autocrlf, binary', { text: 'unset', binary: 'set' }, { autocrlf: 'true' }, false],
    ['autocrlf=input', {}, { autocrlf: 'input' }, false],
    ['a filter', { filter: 'lfs' }, {}, true],
    ['no filter', { filter: 'unset' }, {}, false],
    ['$Id$', { ident: 'set' }, {}, true],
    ['another encoding', { 'working-tree-encoding': 'UTF-16' }, {}, true],
  ] as const)('%s', (_, attributes, settings, wanted) => {
    expect(mayConvert(new Map(Object.entries(attributes)), { ...plain, ...settings })).toBe(wanted)
  })

  it('reads the attributes of many files', () => {
    const output = 'a\0text\0auto\0a\0eol\0crlf\0d/\nb\0filter\0lfs\0'
    expect([...parseAttributes(output)].map(([path, values]) => [path, Object.fromEntries(values)])).toEqual([
      ['a', { text: 'auto', eol: 'crlf' }],
      ['d/\nb', { filter: 'lfs' }],
    ])
  })
})
