import { describe, expect, it } from 'vitest'
import { isEmbeddedRepository, parseStatus } from './status.ts'

const oid = 'e69de29bb2d1d6434b8b29ae775ad8c2e48c5391'

describe('parseStatus', () => {
  it('reads HEAD and branch', () => {
    expect(parseStatus(`# branch.oid ${oid}\0# branch.head m\xc3\xbc\0# branch.upstream origin/x\0`)).toEqual({
      commit: oid,
      branch: 'mü',
      entries: [],
    })
    expect(parseStatus('# branch.oid (initial)\0# branch.head (detached)\0')).toMatchObject({ commit: null, branch: null })
  })

  it('reads every kind of entry, with names that hold spaces, line breaks and single bytes', () => {
    const records = [
      `1 MD N... 100644 100644 000000 ${oid} ${oid} a b\nc`,
      `1 .M SC.U 160000 160000 160000 ${oid} ${oid} sub`,
      `u UU N... 100644 100644 100644 100644 ${oid} ${oid} ${oid} n\xff`,
      '? new file',
      '? inner/',
      '! node_modules/',
    ]
    const { entries } = parseStatus(`${records.join('\0')}\0`)
    expect(entries.map(({ kind, path, staged, unstaged, submodule }) => [kind, path, staged, unstaged, submodule])).toEqual([
      ['changed', 'a b\nc', 'M', 'D', null],
      ['changed', 'sub', '.', 'M', 'SC.U'],
      ['unmerged', 'n\xff', 'U', 'U', null],
      ['untracked', 'new file', '', '', null],
      ['untracked', 'inner/', '', '', null],
      ['ignored', 'node_modules/', '', '', null],
    ])
    expect(entries.filter(isEmbeddedRepository).map((entry) => entry.path)).toEqual(['inner/'])
    expect(entries.map((entry) => entry.record)).toEqual(records)
  })

  it('does not guess at a record it did not ask for', () => {
    expect(() => parseStatus('2 R. N... whatever\0')).toThrow('kind that was not asked for')
  })
})
