import { expect, test } from 'vitest'
import { nothingRecovered } from '../model/fork.ts'
import { recoveryNotes } from './recovery-notes.ts'

test('says what was found, what became of it and what it left behind', () => {
  const fork = { id: 'f1', kind: 'fork' as const, title: 'Add a\u001b[31m cache' }
  const restore = { id: 'r1', kind: 'restore' as const, title: 'claude:60309e1e@1 in /work' }
  expect(
    recoveryNotes({
      completed: [{ ...fork, notes: ['the set-up command "make" was cut off; it can be run again in /work/tree'] }],
      rolledBack: [{ ...restore, notes: ['a.txt: it was changed since'] }],
      undone: [{ id: 's1', kind: 'start', title: '', notes: [] }],
      problems: [{ ...restore, problem: 'the disk\nis full' }],
    }),
  ).toEqual([
    'The fork "Add a cache" (f1) had been cut off; it is finished now.',
    '  the set-up command "make" was cut off; it can be run again in /work/tree',
    'The restore of claude:60309e1e@1 in /work (r1) had been cut off; it was taken back.',
    '  a.txt: it was changed since',
    'The started session s1 was being undone when that was cut off; it is undone now.',
    'The restore of claude:60309e1e@1 in /work (r1) was cut off and could not be cleared up: the disk is full',
  ])
})

test('says nothing when nothing was cut off', () => {
  expect(recoveryNotes(nothingRecovered)).toEqual([])
})
