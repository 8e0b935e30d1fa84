import { describe, expect, it } from 'vitest'
import { parseAddress } from './address.ts'
import { AppError } from './error.ts'

const id = '60309e1e-1111-4222-8333-444455556666'

describe('parseAddress', () => {
  it.each([
    ['claude:60309e1e@12', { kind: 'id', agent: 'claude', prefix: '60309e1e' }, { kind: 'number', number: 12 }],
    [`codex:${id}@9f3a-`, { kind: 'id', agent: 'codex', prefix: id }, { kind: 'id', prefix: '9f3a-' }],
    [id, { kind: 'id', agent: null, prefix: id }, null],
    ['last', { kind: 'last', agent: null }, null],
    ['claude:last', { kind: 'last', agent: 'claude' }, null],
    ['last@-2', { kind: 'last', agent: null }, { kind: 'fromEnd', count: 2 }],
    ['@last', { kind: 'last', agent: null }, { kind: 'fromEnd', count: 1 }],
    ['60309e1e@0', { kind: 'id', agent: null, prefix: '60309e1e' }, { kind: 'number', number: 0 }],
    ['60309e1e@1234', { kind: 'id', agent: null, prefix: '60309e1e' }, { kind: 'number', number: 1234 }],
    [`60309e1e@m:toolu_01`, { kind: 'id', agent: null, prefix: '60309e1e' }, { kind: 'message', prefix: 'toolu_01' }],
    ['codex:60309e1e@t3', { kind: 'id', agent: 'codex', prefix: '60309e1e' }, { kind: 'id', prefix: 't3' }],
    ['worker:blue', { kind: 'worker', name: 'blue' }, null],
    ['/home/me@work/a.jsonl', { kind: 'path', path: '/home/me@work/a.jsonl' }, null],
    ['/home/me@work/a.jsonl@3', { kind: 'path', path: '/home/me@work/a.jsonl' }, { kind: 'number', number: 3 }],
  ])('reads %s', (text, session, turn) => {
    expect(parseAddress(text)).toEqual({ session, turn })
  })

  it.each(['', '   ', 'abc', 'gemini:60309e1e', 'claude:', '60309e1e@', '60309e1e@abc', '60309e1e@-0', '60309e1e@m:', 'a b c d'])(
    'refuses "%s" with a word on why',
    (text) => {
      const attempt = () => parseAddress(text)
      expect(attempt).toThrow(AppError)
      expect(attempt).toThrow(expect.objectContaining({ code: 'bad_address' }))
    },
  )
})
