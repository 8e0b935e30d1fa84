import { describe, expect, it } from 'vitest'
import { judgeAttributes, judgePlain } from './attributes.ts'
import { asBytePath } from './byte-path.ts'
import type { GitSettings } from './git-settings.ts'

const plain: GitSettings = {
  sparse: false,
  autocrlf: 'false',
  eolIsCrlf: false,
  attributesFile: null,
  filters: '',
  ownSmudges: new Set(),
  filemode: true,
  overrides: {},
}

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
    const output = Object.entries(attributes).map(([name, value]) => `a\0${name}\0${value}\0`)
    const all = { ...plain, ...settings }
    const verdict = judgeAttributes(output.join(''), all).get(asBytePath('a')) ?? judgePlain(all)
    expect(verdict.converts).toBe(wanted)
  })

  it('judges each of many files', () => {
    const output = 'a\0text\0auto\0a\0eol\0crlf\0d/\nb\0filter\0lfs\0c\0text\0set\0e\0text\0auto\0'
    expect(Object.fromEntries(judgeAttributes(output, plain))).toEqual({
      a: { converts: true, doubtful: true },
      'd/\nb': { converts: true, doubtful: false },
      c: { converts: false, doubtful: true },
      e: { converts: false, doubtful: false },
    })
  })
})
