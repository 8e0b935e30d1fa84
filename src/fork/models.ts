// Prices and context windows by model: dated data that ships with offshoot, and what the person's config says instead.
import { readFile } from 'node:fs/promises'
import type { ModelSetting } from '../config/models.ts'

export interface ModelPrice {
  /** Per million tokens. */
  readonly input: number
  readonly cachedInput: number
}

export interface ModelTable {
  readonly currency: string
  price(model: string): ModelPrice | null
  /** The smallest one that held `observed` tokens; `null` where none is known. */
  contextWindow(model: string, observed?: number): KnownWindow | null
}

export interface KnownWindow {
  readonly tokens: number
  /** `settings`: the user says so. `agent`: the model's name does. `assumed`: the tables that ship with offshoot. */
  readonly source: 'agent' | 'settings' | 'assumed'
}

interface PriceFile {
  readonly currency: string
  readonly models: Readonly<Record<string, { readonly input: number; readonly cached_input: number }>>
}

interface WindowFile {
  readonly models: Readonly<Record<string, number | readonly number[]>>
}

const dataFolder = new URL('../../models/', import.meta.url)

export async function readModels(overrides: Readonly<Record<string, ModelSetting>> = {}): Promise<ModelTable> {
  const [prices, windows] = await Promise.all([readJson<PriceFile>('prices.json'), readJson<WindowFile>('context-windows.json')])
  return {
    currency: prices.currency,
    price(model) {
      const own = lookUp(overrides, model)
      if (own?.input !== undefined) return { input: own.input, cachedInput: own.cached_input ?? own.input }
      const known = lookUp(prices.models, model)
      return known === undefined ? null : { input: known.input, cachedInput: known.cached_input }
    },
    contextWindow(model, observed = 0) {
      const own = lookUp(overrides, model)?.context_window
      if (own !== undefined) return { tokens: own, source: 'settings' }
      // How Claude Code names a model that was asked for with the long window.
      if (model.endsWith('[1m]')) return { tokens: 1_000_000, source: 'agent' }
      const tokens = [lookUp(windows.models, model) ?? []].flat().find((each) => each >= observed)
      return tokens === undefined ? null : { tokens, source: 'assumed' }
    },
  }
}

/** A dated name (`claude-opus-4-5-20251101`) is the model without its date: the longest name it begins with, up to a hyphen. */
function lookUp<T>(table: Readonly<Record<string, T>>, model: string): T | undefined {
  const name = model.replace(/\[\w+\]$/, '').replace(/^.*\//, '')
  const fits = Object.keys(table).filter(
    (key) => name === key || (/^-\d{4}/.test(name.slice(key.length)) && name.startsWith(key)),
  )
  const best = fits.sort((a, b) => b.length - a.length)[0]
  return best === undefined ? undefined : table[best]
}

async function readJson<T>(name: string): Promise<T> {
  return JSON.parse(await readFile(new URL(name, dataFolder), 'utf8')) as T
}
