import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { readModels } from './models.ts'

test('dated names, long windows and provider prefixes are the model they name; another model is not', async () => {
  const models = await readModels()
  expect(models.price('claude-opus-4-5-20251101')).toEqual({ input: 5, cachedInput: 0.5 })
  expect(models.price('claude-opus-4-20250514')).toEqual({ input: 15, cachedInput: 1.5 })
  expect(models.price('openai/gpt-5.5')).toEqual({ input: 5, cachedInput: 0.5 })
  expect(models.price('gpt-5.5-pro')).toBeNull()
  expect(models.price('claude-opus-4-9')).toBeNull()
  expect(models.contextWindow('claude-sonnet-4-5[1m]')).toEqual({ tokens: 1_000_000, source: 'agent' })
  expect(models.contextWindow('claude-sonnet-4-5')).toEqual({ tokens: 200_000, source: 'assumed' })
  expect(models.contextWindow('claude-sonnet-4-5', 200_001)).toEqual({ tokens: 1_000_000, source: 'assumed' })
  expect(models.contextWindow('claude-haiku-4-5', 200_001)).toBeNull()
  expect(models.contextWindow('unheard-of')).toBeNull()
})

test('what the person says counts first', async () => {
  const models = await readModels({ 'gpt-5.5': { input: 1, context_window: 7 }, mine: { input: 2, cached_input: 1 } })
  expect(models.price('gpt-5.5')).toEqual({ input: 1, cachedInput: 1 })
  expect(models.contextWindow('gpt-5.5', 9)).toEqual({ tokens: 7, source: 'settings' })
  expect(models.price('mine')).toEqual({ input: 2, cachedInput: 1 })
})

test.each(['prices', 'context-windows'])('%s are dated', (name) => {
  const file: unknown = JSON.parse(readFileSync(new URL(`../../models/${name}.json`, import.meta.url), 'utf8'))
  expect(file).toMatchObject({ as_of: expect.stringMatching(/^\d{4}-\d\d-\d\d$/), models: expect.any(Object) })
})
