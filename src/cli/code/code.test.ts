import pc from 'picocolors'
import { describe, expect, test } from 'vitest'
import type { FileChange } from '../../model/capture.ts'
import type { Turn } from '../../model/session.ts'
import { formatStat, paintPatch } from './patch.ts'
import { changeText, doubts, filesText } from './snapshot-text.ts'

const plain = pc.createColors(false)
const painted = pc.createColors(true)

const file = (path: string, added: number | null, removed: number | null, more: Partial<FileChange> = {}): FileChange => ({
  path,
  status: 'M',
  added,
  removed,
  ...more,
})

describe('--stat', () => {
  const stat = (files: FileChange[], columns = 80) => {
    const sum = (count: 'added' | 'removed') => files.reduce((total, each) => total + (each[count] ?? 0), 0)
    return formatStat({ files, added: sum('added'), removed: sum('removed'), patch: '' }, plain, columns)
  }

  test('is the table git prints', () => {
    expect(stat([file('a.txt', 3, 1), file('dir/b.bin', null, null), file('c', 0, 12)])).toEqual([
      ' a.txt     |   4 +++-',
      ' dir/b.bin | Bin',
      ' c         |  12 ------------',
      ' 3 files changed, 3 insertions(+), 13 deletions(-)',
    ])
  })

  test('of many lines fits, and no side that has one is lost', () => {
    const [first = '', second = ''] = stat([file('big', 100_000, 1), file('small', 1, 0)], 60)
    expect(first.length).toBeLessThanOrEqual(60)
    expect(first).toMatch(/\+-$/)
    expect(second).toMatch(/\| +1 \+$/)
  })

  test('shortens names, shows renames, and cannot be made to move the cursor', () => {
    const lines = stat([file('new', 1, 1, { from: 'old', status: 'R' }), file(`${'x'.repeat(200)}\u001b[2J`, 1, 0)], 60)
    expect(lines[0]).toContain('old => new')
    expect(lines.every((line) => line.length <= 60)).toBe(true)
    expect(lines.join('')).not.toContain('\u001b')
  })

  test('says that a file was made executable, or no longer is', () => {
    expect(stat([file('run.sh', 0, 0, { executable: true }), file('x', 50, 30, { executable: false })], 40)).toEqual([
      ' run.sh |  0 mode +x',
      expect.stringMatching(/^ x {6}\| 80 \++-+ mode -x$/),
      expect.any(String),
    ])
    expect(stat([file('x', 500, 300, { executable: true })], 40)[0]?.length).toBeLessThanOrEqual(40)
  })

  test('of nothing is nothing', () => {
    expect(stat([])).toEqual([])
  })
})

test('a patch is coloured like git does it', () => {
  const paint = (line: string) => paintPatch(line, painted)
  expect(paint('+new')).toBe(painted.green('+new'))
  expect(paint('-old')).toBe(painted.red('-old'))
  expect(paint('@@ -1,2 +1,3 @@ function x')).toBe(`${painted.cyan('@@ -1,2 +1,3 @@')} function x`)
  expect(paint('+++ b/x')).toBe(painted.bold('+++ b/x'))
  expect(paint(' same')).toBe(' same')
})

describe('what was captured of a turn', () => {
  const turn = (snapshot: Turn['snapshot']): Turn => ({
    number: 1,
    id: 'a',
    prompt: '',
    startedAt: null,
    endedAt: null,
    messages: 0,
    lastMessageId: null,
    state: 'complete',
    afterCompaction: false,
    ...(snapshot === undefined ? {} : { snapshot }),
  })
  const taken = {
    tree: 'f'.repeat(40),
    commit: null,
    added: 3,
    removed: 1,
    files: ['src/a.ts'],
    notCovered: [],
    by: 'hook' as const,
  }

  test('in a few words', () => {
    const changed = turn(taken)
    expect([changeText(changed), filesText(changed), doubts(changed)]).toEqual(['+3 -1', 'src/a.ts', []])
    expect(filesText(turn({ ...taken, files: ['a', 'b', 'c', 'd', 'e', 'f', 'g'] }))).toBe('a, b, c, d, e, ... (2 more)')
  })

  test('and plainly what is missing', () => {
    expect([changeText(turn(null)), filesText(turn(null))]).toEqual(['', '[not captured]'])
    expect(filesText(turn({ ...taken, tree: null }))).toBe('[no repository]')
    expect(filesText(turn({ ...taken, files: [] }))).toBe('no changes')
    const late = turn({ ...taken, by: 'late', notCovered: [{ path: 'big', reason: 'too_large' }] })
    expect(doubts(late)).toEqual(['[captured late]', '[1 not covered]'])
  })
})
