import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { countPending, listGarbage, type Pending, readPending, removePending, writePending } from './pending.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'offshoot-pending-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const note = (turnKey: string): Pending => ({
  version: 1,
  meta: {
    version: 1,
    agent: 'claude',
    sessionId: 's',
    moment: 'end',
    turnKey,
    turnId: null,
    turnNumber: null,
    prompt: 'é',
    by: 'hook',
    startedAt: 1,
    endedAt: 2,
    head: null,
    branch: null,
    root: '/r',
    startTree: null,
    commit: null,
    notCovered: [],
  },
  kept: { commonDir: '/r/.git', ref: 'refs/offshoot/claude/s/a/end', id: 'a'.repeat(40), tree: 'b'.repeat(64) },
  transcriptPath: null,
  workspace: { id: 'w', push: null },
})

describe('notes of captures', () => {
  it('come back in the order they were written, and go one by one', () => {
    for (const [at, key] of [
      [10, 'b'],
      [9, 'a'],
      [1_700_000_000_000, 'c'],
    ] as const) {
      writePending(folder, at, note(key))
    }
    const found = readPending(folder)
    expect(found.map(({ pending }) => pending.meta.turnKey)).toEqual(['a', 'b', 'c'])
    expect(found[0]?.pending).toEqual(note('a'))
    for (const file of found) removePending(file)
    expect(countPending(folder)).toBe(0)
  })

  it('that are not understood are set aside, and half-written ones are not looked at', () => {
    const place = join(folder, 'captures', 'pending')
    mkdirSync(place, { recursive: true })
    const whole = note('a')
    const bad: unknown[] = [
      null,
      [],
      7,
      {},
      { ...whole, version: 2 },
      { ...whole, meta: { ...whole.meta, sessionId: '../../etc' } },
      { ...whole, meta: { ...whole.meta, root: 'relative' } },
      { ...whole, kept: { ...whole.kept, id: 'HEAD' } },
      { ...whole, kept: { ...whole.kept, ref: 'refs/heads/main' } },
      { ...whole, workspace: { id: 7, push: null } },
    ]
    for (const [number, value] of bad.entries()) writeFileSync(join(place, `${number}.json`), JSON.stringify(value))
    writeFileSync(join(place, 'torn.json'), '{"version":1,')
    writeFileSync(join(place, 'x.part'), '{')
    expect(readPending(folder)).toEqual([])
    expect(listGarbage(folder)).toHaveLength(bad.length + 1)
    expect(readdirSync(place)).toEqual(['x.part'])
  })
})
