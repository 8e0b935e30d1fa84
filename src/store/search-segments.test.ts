import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { hashTerm, PostingWriter, readPostings } from './search-postings.ts'
import { openStore, type Store } from './store.ts'

let folder: string
let store: Store
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'offshoot-segments-'))
  store = openStore({ folder, now: () => 0 })
})
afterEach(() => {
  store.close()
  rmSync(folder, { recursive: true, force: true })
})

/** A chunk of a session, with these words. */
function addChunk(words: readonly string[]): number {
  const { index, segments } = store.search
  return store.write(() => {
    index.begin()
    const session = index.addSession('claude', '/s', 's')
    const key = index.nextChunk()
    const turn = index.addTurn(session, { id: `t${key}`, number: key, mark: '' }, [], [])
    index.addChunk(key, session, turn, 0, { prompt: '', body: '', tools: '', counts: { prompt: 0, body: 1, tools: 0 } })
    const writer = new PostingWriter()
    for (const word of [...words].sort((a, b) => hashTerm(a) - hashTerm(b))) {
      writer.add(0, 256)
      writer.endTerm(hashTerm(word), word)
    }
    segments.put(key, 1, writer.finish())
    index.finish([session])
    return key
  })
}

function find(term: string): number[] {
  const { segments } = store.search
  return segments.find(segments.all(), term).flatMap((part) => {
    const room = { keys: new Int32Array(part.chunks), counts: new Int32Array(part.chunks) }
    readPostings(part, room, part.base)
    return [...room.keys]
  })
}

it('merges many small segments into few: everything is found as before, what is gone is not', () => {
  const { index, segments } = store.search
  const keys = Array.from({ length: 40 }, (_, at) => addChunk(['every', `only${at}`, at % 2 === 0 ? 'even' : 'odd']))
  expect(find('every')).toEqual(keys)
  store.write(() => {
    index.begin()
    index.dropTurn(1, 't5')
    index.finish([1])
  })
  for (let some = segments.mergeable(); some !== null; some = segments.mergeable()) store.write(segments.merge(some))
  expect(segments.all().length).toBeLessThan(16)
  expect(find('every')).toEqual(keys.filter((key) => key !== 5))
  expect(find('even')).toEqual(keys.filter((key) => key % 2 === 1 && key !== 5))
  expect(find('only7')).toEqual([8])
  expect(find('only4')).toEqual([])
  expect(find('nothing')).toEqual([])
  // It goes on behind what was merged.
  addChunk(['every'])
  expect(find('every').at(-1)).toBe(41)
})
