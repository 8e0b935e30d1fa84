import { describe, expect, it } from 'vitest'
import type { Capture } from '../model/capture.ts'
import type { Turn } from '../model/session.ts'
import { findMissed } from './missed.ts'

const turn = (number: number | null, prompt: string, startedAt: number | null = (number ?? 0) * 10): Turn => ({
  number,
  id: `turn-${number ?? prompt}`,
  prompt,
  startedAt,
  endedAt: null,
  messages: 1,
  lastMessageId: null,
  state: 'complete',
  afterCompaction: false,
})

const capture = (number: number, tree: string, more: Partial<Capture> = {}): Capture => ({
  agent: 'codex',
  sessionId: 's',
  turnKey: `turn-${number}`,
  moment: 'end',
  turnId: `turn-${number}`,
  number,
  prompt: '',
  by: 'hook',
  commonDir: '/r/.git',
  root: '/r',
  ref: 'refs/offshoot/x',
  snapshot: `of ${tree}`,
  tree,
  head: null,
  branch: null,
  commit: null,
  startedAt: number * 10,
  endedAt: number * 10 + 5,
  startTree: null,
  files: [],
  added: 0,
  removed: 0,
  notCovered: [],
  ...more,
})

const missed = (turns: readonly Turn[], captures: readonly Capture[]) =>
  findMissed(turns, captures).map(({ turn: { number }, seen, startTree }) => [number, seen.tree, startTree])

describe('a turn nobody told of', () => {
  const turns = [turn(1, 'one'), turn(2, 'two'), turn(3, 'three')]
  const start = (tree: string, more: Partial<Capture> = {}) => capture(3, tree, { moment: 'start', ...more })

  it('left what the next one found', () => {
    expect(missed(turns, [capture(1, 'a'), start('b'), capture(3, 'c')])).toEqual([[2, 'b', 'a']])
    expect(missed(turns, [capture(1, 'a'), start('b', { root: '/other' })])).toEqual([[2, 'b', null]])
  })

  it('left what was there where it had no prompt, as when Codex compacts', () => {
    const compacting = [turn(1, 'one'), turn(2, ''), turn(3, 'three')]
    expect(missed(compacting, [capture(1, 'a'), capture(3, 'c', { startTree: 'a' })])).toEqual([[2, 'a', 'a']])
    expect(missed(compacting, [capture(1, 'a'), capture(3, 'c', { startTree: 'b' })])).toEqual([])
    expect(missed(compacting, [capture(1, 'a')])).toEqual([])
    // With a prompt it may have written something: that the next began there was then only assumed.
    expect(missed(turns, [capture(1, 'a'), capture(3, 'c', { startTree: 'a' })])).toEqual([])
  })

  it('is left alone where that is not sure', () => {
    const seen = [capture(1, 'a'), start('b')]
    expect(missed(turns, seen.slice(1))).toEqual([]) // nothing before it was captured
    expect(missed(turns, [...seen, capture(9, 'x', { turnId: null })])).toEqual([]) // it may be that one's
    expect(missed(turns, [...seen, capture(2, 'x', { tree: null, commonDir: null })])).toEqual([]) // known, outside of git
    expect(missed([...turns, turn(null, 'dead', 25)], seen)).toEqual([])
    expect(missed([turn(1, 'one'), turn(2, 'two', null), turn(3, 'three')], seen)).toEqual([])
    expect(missed([turn(1, 'one'), { ...turn(2, 'two'), id: '../x' }, turn(3, 'three')], seen)).toEqual([])
  })
})
