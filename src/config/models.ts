// What the person's config says of models: prices and context windows that count before those that ship with offshoot.
import { AppError } from '../model/error.ts'
import { isTable, lookUp, readConfigFile } from './read.ts'

/** `[models."claude-opus-5-5"]` of config.toml; prices per million tokens. */
export interface ModelSetting {
  readonly input?: number
  readonly cached_input?: number
  readonly context_window?: number
}

const modelKeys = ['input', 'cached_input', 'context_window'] as const

export async function readModelSettings(file: string): Promise<Readonly<Record<string, ModelSetting>>> {
  const models = lookUp(await readConfigFile(file), 'models') ?? {}
  if (!isTable(models)) throw new AppError('bad_config', `${file}: models must be a table`)
  for (const [name, setting] of Object.entries(models)) {
    const fault = faultOfModel(setting)
    if (fault !== null) throw new AppError('bad_config', `${file}: models."${name}" ${fault}`)
  }
  return models as Record<string, ModelSetting>
}

export function faultOfModel(setting: unknown): string | null {
  if (!isTable(setting)) return 'must be a table'
  const unknown = Object.keys(setting).find((key) => !modelKeys.some((known) => known === key))
  if (unknown !== undefined) return `has no setting ${unknown}; it takes ${modelKeys.join(', ')}`
  const bad = modelKeys.find((key) => setting[key] !== undefined && !(typeof setting[key] === 'number' && setting[key] >= 0))
  return bad === undefined ? null : `needs a number for ${bad}`
}
