import { describe, expect, it } from 'vitest'
import type { Turn } from '../model/session.ts'
import { matchTurn } from './complete.ts'

const turn = (id: string, prompt: string, startedAt: number | null): Turn => ({
  number: 1,
  id,
  prompt,
  startedAt,
  endedAt: null,
  messages: 1,
  lastMessageId: null,
  state: 'complete',
  afterCompaction: false,
})

describe('which turn a capture is of', () => {
  const turns = [turn('a', 'go on', 10_000), turn('b', 'go on\nplease', 50_000), turn('c', 'else', 60_000), turn('d', 'x', null)]

  it('is the one with the same words, the nearest of several', () => {
    expect(matchTurn(turns, { prompt: 'go on', startedAt: 45_000 })?.id).toBe('b')
    expect(matchTurn(turns, { prompt: 'go on', startedAt: 11_000 })?.id).toBe('a')
  })

  it('is one of that very moment where the words do not tell', () => {
    expect(matchTurn(turns, { prompt: '[redacted:x]', startedAt: 59_000 })?.id).toBe('c')
    expect(matchTurn(turns, { prompt: '', startedAt: 9_500 })?.id).toBe('a')
  })

  it('is none rather than a wrong one', () => {
    expect(matchTurn(turns, { prompt: 'unheard', startedAt: 30_000 })).toBeUndefined()
    expect(matchTurn(turns, { prompt: 'go on', startedAt: null })).toBeUndefined()
    expect(matchTurn(turns, { prompt: 'go on', startedAt: 10_000_000 })).toBeUndefined()
    expect(matchTurn([], { prompt: '', startedAt: 1 })).toBeUndefined()
  })
})
