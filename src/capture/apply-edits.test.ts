import { describe, expect, it } from 'vitest'
import type { RecordedEdit } from '../agents/recorded-edits.ts'
import { applyEdits, type Files } from './apply-edits.ts'

const inside = (path: string) => (path.startsWith('/r/') ? path.slice(3) : null)

function apply(files: Record<string, string | null>, ...edits: Omit<RecordedEdit, 'turnId'>[]) {
  const memory: Files = new Map(
    Object.entries(files).map(([path, text]) => [path, text === null ? null : { bytes: bytes(text), mode: '100755' }]),
  )
  const problem = applyEdits(
    memory,
    edits.map((edit) => ({ turnId: 't', ...edit })),
    inside,
  )
  if (problem !== null) return problem
  return Object.fromEntries([...memory].map(([path, file]) => [path, file === null ? null : text(file.bytes)]))
}

const bytes = (value: string) => Buffer.from(value).toString('latin1')
const text = (value: string) => Buffer.from(value, 'latin1').toString()

describe('whole contents', () => {
  it('are taken where the content before is the recorded one', () => {
    expect(apply({ a: 'ä' }, { path: '/r/a', kind: 'edit', before: 'ä', after: 'ö' })).toEqual({ a: 'ö' })
    expect(apply({ a: null }, { path: '/r/a', kind: 'write', before: null, after: 'x' })).toEqual({ a: 'x' })
    expect(apply({ a: 'y' }, { path: '/r/a', kind: 'write', after: 'x' })).toEqual({ a: 'x' })
    expect(apply({ a: 'y' }, { path: '/r/a', kind: 'edit', before: 'z', after: 'x' })).toMatch(/a was not what/)
    expect(apply({ a: null }, { path: '/r/a', kind: 'edit', before: 'z', after: 'x' })).toMatch(/a was not what/)
    expect(apply({ a: 'y' }, { path: '/r/a', kind: 'write', before: null, after: 'x' })).toMatch(/a was there already/)
  })

  it('keep the line breaks of the file, which Claude records as plain ones', () => {
    expect(apply({ a: '1\r\n2\r\n' }, { path: '/r/a', kind: 'edit', before: '1\n2\n', after: '1\n3\n' })).toEqual({
      a: '1\r\n3\r\n',
    })
    expect(apply({ a: '1\r\n' }, { path: '/r/a', kind: 'write', before: '1\n', after: '2\n' })).toEqual({ a: '2\n' })
  })

  it('are not guessed where a file has line breaks of two kinds', () => {
    const replacements = [{ old: '2', new: '3', all: false }]
    expect(apply({ a: '1\r\n2\n' }, { path: '/r/a', kind: 'edit', before: '1\n2\n', after: '1\n3\n' })).toMatch(/two kinds/)
    expect(apply({ a: '1\r\n2\n' }, { path: '/r/a', kind: 'edit', replacements })).toMatch(/two kinds/)
  })

  it('of files elsewhere do not count', () => {
    expect(apply({ a: 'y' }, { path: '/tmp/x', kind: 'write', before: null, after: 'x' })).toEqual({ a: 'y' })
  })
})

describe('replacements', () => {
  it('must fit exactly once, unless all are meant', () => {
    const replace = (old: string, all = false) => ({
      path: '/r/a',
      kind: 'edit' as const,
      replacements: [{ old, new: '$&', all }],
    })
    expect(apply({ a: 'x-y' }, replace('x'))).toEqual({ a: '$&-y' })
    expect(apply({ a: 'x-x' }, replace('x'))).toMatch(/does not fit/)
    expect(apply({ a: 'x-x' }, replace('x', true))).toEqual({ a: '$&-$&' })
    expect(apply({ a: 'y' }, replace('x', true))).toMatch(/does not fit/)
    expect(apply({ a: null }, replace('x'))).toMatch(/does not fit/)
  })
})

it('replaced texts keep the line breaks of the file', () => {
  const replacements = [{ old: '1\n2', new: '1\n2\n3', all: false }]
  expect(apply({ a: '1\r\n2\r\n' }, { path: '/r/a', kind: 'edit', replacements })).toEqual({ a: '1\r\n2\r\n3\r\n' })
})

it('what is moved in from elsewhere is not known; what is moved is executable only if its new place was', () => {
  const move = (path: string, movedTo: string) => ({ path, movedTo, kind: 'move' as const, hunks: [] })
  expect(apply({ a: 'x' }, move('/tmp/x', '/r/b'))).toMatch(/b was moved in/)
  const files: Files = new Map([
    ['a', { bytes: 'x', mode: '100755' }],
    ['b', null],
    ['c', { bytes: 'y', mode: '100755' }],
  ])
  const edits = [move('/r/a', '/r/b'), move('/r/b', '/r/c')].map((edit) => ({ turnId: 't', ...edit }))
  expect(applyEdits(files, edits.slice(0, 1), inside)).toBeNull()
  expect(files.get('b')).toEqual({ bytes: 'x', mode: '100644' })
  expect(applyEdits(files, edits.slice(1), inside)).toBeNull()
  expect(files.get('c')).toEqual({ bytes: 'x', mode: '100755' })
})

describe('lines', () => {
  const edit = (line: number | null, old: string[], fresh: string[]) => ({
    path: '/r/a',
    kind: 'edit' as const,
    hunks: [{ line, old, new: fresh }],
  })

  it('are exchanged where the record says, and only if they are there', () => {
    expect(apply({ a: '1\n2\n3\n' }, edit(2, ['2\n'], ['x\n', 'y\n']))).toEqual({ a: '1\nx\ny\n3\n' })
    expect(apply({ a: '1\n2\n' }, edit(3, [], ['3\n']))).toEqual({ a: '1\n2\n3\n' })
    expect(apply({ a: '1\n2' }, edit(2, ['2'], ['2\n', '3\n']))).toEqual({ a: '1\n2\n3\n' })
    expect(apply({ a: '1\n2\n3\n' }, edit(1, ['2\n'], ['x\n']))).toMatch(/does not fit/)
    expect(apply({ a: '1\n' }, edit(9, [], ['x\n']))).toMatch(/does not fit/)
  })

  it('are looked for where no place is recorded, and must be found once', () => {
    expect(apply({ a: '1\n2\n3' }, edit(null, ['3\n'], ['4\n']))).toEqual({ a: '1\n2\n4\n' })
    expect(apply({ a: '1\n1\n' }, edit(null, ['1\n'], ['4\n']))).toMatch(/does not fit/)
  })

  it('come with a move; a deletion leaves nothing', () => {
    const move = { ...edit(1, ['1\n'], ['2\n']), kind: 'move' as const, movedTo: '/r/b' }
    expect(apply({ a: '1\n' }, move, { path: '/r/b', kind: 'delete', after: null })).toEqual({ a: null, b: null })
    expect(apply({ a: '1\n' }, { ...move, movedTo: '/elsewhere' })).toMatch(/moved out/)
    expect(apply({ a: null }, { path: '/r/a', kind: 'delete', after: null })).toMatch(/was not there/)
  })
})

it('leaves links alone, and what is no text', () => {
  const link: Files = new Map([['a', { bytes: 'target', mode: '120000' }]])
  expect(applyEdits(link, [{ turnId: 't', path: '/r/a', kind: 'write', after: 'x' }], inside)).toMatch(/a link/)
  const binary: Files = new Map([['a', { bytes: '\xff\xfe', mode: '100644' }]])
  expect(applyEdits(binary, [{ turnId: 't', path: '/r/a', kind: 'write', before: null, after: 'x' }], inside)).toMatch(
    /there already/,
  )
})
