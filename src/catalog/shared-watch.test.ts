import { expect, test } from 'vitest'
import type { SessionChange } from '../model/catalog.ts'
import { shareWatch } from './shared-watch.ts'

const change: SessionChange = { agent: 'claude', sessionId: 'a', change: 'updated' }

test('is opened once, tells everybody, and is closed after the last', async () => {
  const log: string[] = []
  let tell: (change: SessionChange) => void = () => undefined
  const watch = shareWatch(async (onChange) => {
    log.push('open')
    tell = onChange
    return { close: async () => void log.push('close') }
  })
  const [one, two] = await Promise.all([watch(() => log.push('one')), watch(() => log.push('two'))])
  tell(change)
  await one.close()
  tell(change)
  await two.close()
  expect(log).toEqual(['open', 'one', 'two', 'two', 'close'])
  await (await watch(() => undefined)).close()
  expect(log.slice(5)).toEqual(['open', 'close'])
})

test('one that could not be opened is tried again by the next', async () => {
  let tries = 0
  const watch = shareWatch(async () => {
    tries += 1
    if (tries === 1) throw new Error('no watches left')
    return { close: async () => undefined }
  })
  await expect(watch(() => undefined)).rejects.toThrow('no watches left')
  await (await watch(() => undefined)).close()
  expect(tries).toBe(2)
})
