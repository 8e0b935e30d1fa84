import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { openDatabase } from './open.ts'
import { openStore, type Store } from './store.ts'

let folder: string
let store: Store
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'offshoot-index-'))
  store = openStore({ folder, now: () => 0 })
})
afterEach(() => {
  store.close()
  rmSync(folder, { recursive: true, force: true })
})

function addTurn(id: string): void {
  const { index } = store.search
  store.write(() => {
    index.begin()
    const session = index.addSession('claude', '/s', 's')
    const chunk = { prompt: 'p', body: '', tools: '', counts: { prompt: 1, body: 0, tools: 0 } }
    const turn = index.addTurn(session, { id, number: 1, mark: '' }, [], [chunk])
    index.addChunk(index.nextChunk(), session, turn, 0, chunk)
    index.setMark(session, 'whole')
    index.finish([session])
  })
}

it('totals are kept until something is written, then counted', () => {
  const { index } = store.search
  addTurn('a')
  expect(index.totals()).toEqual({ sessions: 1, turns: 1, chunks: 1 })
  index.keepTotals()
  // Behind its back, to tell what is kept from what is counted.
  const db = openDatabase(folder)
  db.exec('DELETE FROM search_turns')
  db.close()
  expect(index.totals()).toMatchObject({ sessions: 1, turns: 1, chunks: 1 })
  addTurn('b')
  expect(index.totals()).toMatchObject({ sessions: 1, turns: 1, chunks: 2 })
  index.keepTotals()
  store.write(() => index.clear())
  expect(index.totals()).toMatchObject({ sessions: 0, turns: 0, chunks: 0 })
})
