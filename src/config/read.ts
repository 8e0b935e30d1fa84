// Settings as they hold now: flag, then environment, then the user's config.toml, then the default. A repository cannot
// configure us (it may be hostile), so nothing is ever looked up from the working directory.
import { errorMessage } from '../lib/error-message.ts'
import { isMissing } from '../lib/file-errors.ts'
import { explainMachine } from '../lib/machine-fault.ts'
import { readRegularText } from '../lib/regular-file.ts'
import { AppError } from '../model/error.ts'
import { faultOf, type Setting, type SettingKey, type SettingValue, settings, valueFromText } from './settings.ts'

export type Origin = 'flag' | 'environment' | 'config' | 'default'

export interface Resolved {
  readonly setting: Setting
  readonly value: SettingValue
  readonly from: Origin
}

export interface Sources {
  readonly file: string
  readonly vars: Readonly<Record<string, string | undefined>>
  readonly flags?: Partial<Record<SettingKey, SettingValue>>
}

export type ConfigTable = { readonly [key: string]: unknown }

/** Reads and checks; a bad value anywhere is refused by name, since a setting that is silently ignored misleads. */
export async function readSettings(sources: Sources): Promise<readonly Resolved[]> {
  const table = await readConfigFile(sources.file)
  return settings.map((setting) => resolveSetting(setting, sources, table))
}

/** One setting, checked alone: a fault in another one is not this command's business. */
export async function readSetting<T extends SettingValue>(sources: Sources, key: SettingKey): Promise<T> {
  const setting = settings.find((one) => one.key === key)
  if (setting === undefined) throw new Error(`no setting ${key}`)
  return resolveSetting(setting, sources, await readConfigFile(sources.file)).value as T
}

/** The parsed file; empty when there is none. The parser is loaded only when there is something to parse. */
export async function readConfigFile(file: string): Promise<ConfigTable> {
  const text = readConfigText(file)
  if (text.trim() === '') return {}
  const { parse } = await import('smol-toml')
  try {
    return parse(text)
  } catch (cause) {
    const [problem = 'not TOML'] = String(errorMessage(cause)).split('\n')
    throw new AppError('bad_config', `${file}: ${problem}`, {
      cause,
      hint: 'Correct the file, or remove it to go back to the defaults.',
    })
  }
}

export function readConfigText(file: string): string {
  try {
    return readRegularText(file)
  } catch (cause) {
    if (isMissing(cause)) return ''
    throw explainMachine(cause, { path: file })
  }
}

function resolveSetting(setting: Setting, { vars, flags, file }: Sources, table: ConfigTable): Resolved {
  const flag = flags?.[setting.key as SettingKey]
  if (flag !== undefined) return { setting, value: checked(setting, flag, `--${setting.key}`), from: 'flag' }
  const text = setting.variable === undefined ? undefined : vars[setting.variable]
  if (text)
    return { setting, value: checked(setting, valueFromText(setting, text), String(setting.variable)), from: 'environment' }
  const written = lookUp(table, setting.key)
  if (written !== undefined) return { setting, value: checked(setting, written, `${file}: ${setting.key}`), from: 'config' }
  return { setting, value: setting.default, from: 'default' }
}

export function lookUp(table: ConfigTable, key: string): unknown {
  return key.split('.').reduce<unknown>((at, name) => (isTable(at) ? at[name] : undefined), table)
}

export function isTable(value: unknown): value is ConfigTable {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date)
}

function checked(setting: Setting, value: unknown, where: string): SettingValue {
  const fault = faultOf(setting, value)
  if (fault !== null) throw new AppError('bad_config', `${where} ${fault}, not ${JSON.stringify(value)}`)
  return value as SettingValue
}
