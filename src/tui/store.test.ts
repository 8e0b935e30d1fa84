import { expect, test, vi } from 'vitest'
import { now, start } from './states.testkit.ts'
import { createStore } from './store.ts'
import { stay } from './update/step.ts'

function open() {
  const ran: string[] = []
  const store = createStore({
    state: start(),
    update: (state, event) =>
      event.kind === 'told' ? stay({ ...state, now: event.at }, { kind: 'list_workers' }) : stay({ ...state, now: event.at }),
    run: ({ kind }) => ran.push(kind),
  })
  return { store, ran }
}

test('a key is shown at once; what streams in is shown once for many', () => {
  vi.useFakeTimers()
  try {
    const { store, ran } = open()
    const seen: number[] = []
    store.subscribe(() => seen.push(store.state.now))
    for (let at = 1; at <= 100; at += 1) store.dispatch({ kind: 'told', text: '', at: now + at })
    expect(store.state.now).toBe(now + 100)
    expect(ran).toHaveLength(100)
    expect(seen).toEqual([])
    vi.advanceTimersByTime(100)
    expect(seen).toEqual([now + 100])
    store.dispatch({ kind: 'told', text: '', at: now + 101 })
    store.dispatch({ kind: 'key', key: { name: 'x', text: 'x' }, at: now + 102 })
    vi.advanceTimersByTime(100)
    expect(seen).toEqual([now + 100, now + 102])
  } finally {
    vi.useRealTimers()
  }
})

test('a store that is closed hears and tells nothing more', () => {
  const { store, ran } = open()
  const listener = vi.fn()
  store.subscribe(listener)
  store.close()
  store.dispatch({ kind: 'key', key: { name: 'x', text: 'x' }, at: now + 1 })
  expect(store.state.now).toBe(now)
  expect(listener).not.toHaveBeenCalled()
  expect(ran).toEqual([])
})
