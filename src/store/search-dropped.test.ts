import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { hashTerm, PostingWriter, readPostings } from './search-postings.ts'
import { openStore, type Store } from './store.ts'

let folder: string
let store: Store
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'offshoot-dropped-'))
  store = openStore({ folder, now: () => 0 })
})
afterEach(() => {
  store.close()
  rmSync(folder, { recursive: true, force: true })
})

/** A turn of one chunk that says this. */
function addTurn(id: string, body: string): number {
  const { index } = store.search
  return store.write(() => {
    index.begin()
    const session = index.addSession('claude', '/s', 's')
    const chunk = { prompt: '', body, tools: '', counts: { prompt: 0, body: 1, tools: 0 } }
    const key = index.nextChunk()
    const turn = index.addTurn(session, { id, number: key, mark: '' }, [], [chunk])
    index.addChunk(key, session, turn, 0, chunk)
    index.finish([session])
    return key
  })
}

function dropTurn(id: string): void {
  store.write(() => {
    store.search.index.begin()
    store.search.index.dropTurn(1, id)
    store.search.index.finish([1])
  })
}

/** Which chunks have which term. */
function contents(): Map<string, number[]> {
  const { segments } = store.search
  const found = new Map<string, number[]>()
  for (const { key, base } of segments.all()) {
    for (const postings of segments.terms(key)) {
      const room = { keys: new Int32Array(postings.chunks), counts: new Int32Array(postings.chunks) }
      readPostings(postings, room, base)
      expect(room.counts.every((counts) => counts === 512)).toBe(true)
      found.set(postings.term, [...(found.get(postings.term) ?? []), ...room.keys])
    }
  }
  return found
}

it('the words of dropped chunks are taken out of their segments, all others stay and are found', () => {
  const { segments, dropped } = store.search
  const chunks = 100
  const words = (at: number) => ['every', `only${at}`, `some${at % 7}`, ...Array.from({ length: 40 }, (_, no) => `w${at}x${no}`)]
  const expected = new Map<string, number[]>()
  for (const from of [0, chunks]) {
    const terms = new Map<string, number[]>()
    for (let at = 0; at < chunks; at += 1) {
      const key = addTurn(`t${from + at}`, `body ${from + at}`)
      for (const word of words(from + at)) terms.set(word, [...(terms.get(word) ?? []), key])
    }
    const writer = new PostingWriter()
    for (const [term, keys] of [...terms].sort(([a], [b]) => hashTerm(a) - hashTerm(b))) {
      for (const key of keys) writer.add(key - 1 - from, 512)
      writer.endTerm(hashTerm(term), term)
      expected.set(term, [...(expected.get(term) ?? []), ...keys])
    }
    segments.put(from + 1, chunks, writer.finish())
  }
  const sort = (map: Map<string, number[]>) => [...map].sort(([a], [b]) => (a < b ? -1 : 1))
  expect(sort(contents())).toEqual(sort(expected))
  const gone = [3, 4, 5, 77, 100, 101, 160]
  for (const key of gone) dropTurn(`t${key - 1}`)
  expect(dropped.isEmpty()).toBe(false)
  for (const step of dropped.erase()) store.write(step)
  for (const [term, keys] of expected) {
    const left = keys.filter((key) => !gone.includes(key))
    if (left.length === 0) expected.delete(term)
    else expected.set(term, left)
  }
  expect(sort(contents())).toEqual(sort(expected))
  for (const term of ['every', 'some0', 'only1', 'w1x7', 'w199x39']) {
    const found = segments.find(segments.all(), term).reduce((sum, { chunks: count }) => sum + count, 0)
    expect([term, found]).toEqual([term, expected.get(term)?.length])
  }
  expect(segments.find(segments.all(), 'only76')).toEqual([])
  dropped.clear()
  expect(dropped.isEmpty()).toBe(true)
})

it('a turn that goes on has nothing to be erased, one that was rewritten has', () => {
  const { dropped } = store.search
  addTurn('t', 'begins')
  addTurn('t', 'begins and goes on')
  expect(dropped.isEmpty()).toBe(true)
  addTurn('t', 'says something else')
  expect(dropped.isEmpty()).toBe(false)
})
