import { tmpdir } from 'node:os'
import { expect, test } from 'vitest'
import { createContext } from '../context.ts'
import { recordContext } from '../test-output.testkit.ts'
import { type ForkOptions, namesTurn, refuseOptions, requestOf } from './request.ts'

const { context } = recordContext({ home: tmpdir() })
const piped = (...chunks: (string | Uint8Array)[]) =>
  createContext({
    ...context,
    terminal: () => null,
    async *stdin() {
      yield* chunks
    },
  })

test('what cannot open here is refused in words', () => {
  const refused = (options: ForkOptions) => () => refuseOptions(options, true)
  expect(refused({ terminal: 'tmux' })).not.toThrow()
  expect(refused({ terminal: 'here', json: true })).toThrow(/one document/)
  expect(() => refuseOptions({ terminal: 'here' }, false)).toThrow(/needs a terminal/)
  expect(refused({ terminal: 'here' })).not.toThrow()
  expect(() => refuseOptions({ terminal: 'none', json: true }, false)).not.toThrow()
})

test('a turn is named by the address or by a flag', () => {
  expect(namesTurn('last', {})).toBe(false)
  expect(namesTurn('last@3', {})).toBe(true)
  expect(namesTurn('last', { at: '3' })).toBe(true)
  expect(namesTurn('last', { before: '3' })).toBe(true)
})

test('only what was given is in the request', async () => {
  expect(await requestOf(context, 'last', { at: '2', yes: true, json: true })).toEqual({ address: 'last', at: '2' })
})

test('a prompt from stdin is taken whole, without its last line break', async () => {
  const bytes = Buffer.from('é\n\nsecond\n')
  const request = await requestOf(piped(bytes.subarray(0, 1), bytes.subarray(1)), 'last', { prompt: '-' })
  expect(request.prompt).toBe('é\n\nsecond')
})

test('an empty prompt is a mistake, not a fork without one', async () => {
  await expect(requestOf(piped('\n'), 'last', { prompt: '-' })).rejects.toThrow(/empty/)
  await expect(requestOf(context, 'last', { prompt: '  ' })).rejects.toThrow(/empty/)
})
