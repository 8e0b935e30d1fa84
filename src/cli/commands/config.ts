// `offshoot config`: settings, where each value comes from, and a careful edit of the one file that holds them.
import { writeSetting } from '../../config/edit.ts'
import type { Resolved } from '../../config/read.ts'
import { faultOf, findSetting, type Setting, type SettingValue, settings, valueFromText } from '../../config/settings.ts'
import { formatTable } from '../../lib/text/table.ts'
import { AppError } from '../../model/error.ts'
import type { Context } from '../context.ts'

interface JsonOption {
  readonly json?: true | undefined
}

export async function getSetting(context: Context, key: string, options: JsonOption): Promise<void> {
  const { key: known } = settingNamed(key)
  const found = (await context.settings()).find(({ setting }) => setting.key === known)
  if (found === undefined) return
  if (options.json === true) await context.out.json(renderSetting(found))
  else await context.out.line(String(found.value))
}

export async function setSetting(context: Context, key: string, text: string, options: JsonOption): Promise<void> {
  const setting = settingNamed(key)
  const value = valueFromText(setting, text)
  const fault = faultOf(setting, value)
  if (fault !== null) throw new AppError('bad_config', `${key} ${fault}, not ${JSON.stringify(text)}`)
  await writeSetting(context.paths.config, setting.key, value as SettingValue)
  // A value that is set but not used must not look as if it were.
  const now = (await context.settings()).find((one) => one.setting === setting)
  if (now?.from === 'environment') context.out.note(`Saved, but ${setting.variable} in the environment overrides it.`)
  if (options.json === true && now !== undefined) await context.out.json(renderSetting(now))
}

export async function listSettings(context: Context, options: JsonOption): Promise<void> {
  const { out } = context
  const all = await context.settings()
  if (options.json === true) return void (await out.json({ settings: all.map(renderSetting) }))
  const { bold, cyan, dim } = out.colors
  const lines = formatTable(
    all,
    [
      { title: 'SETTING', cell: ({ setting }) => setting.key, paint: (text) => cyan(text) },
      { title: 'VALUE', cell: ({ value }) => String(value) },
      {
        title: 'FROM',
        cell: (one) => (one.from === 'environment' ? String(one.setting.variable) : one.from),
        paint: (text) => dim(text),
      },
      { title: 'MEANING', cell: ({ setting }) => setting.description, flexible: true },
    ],
    { columns: out.columns, paintTitle: bold },
  )
  for (const line of lines) await out.line(line)
}

export async function printConfigPath(context: Context, options: JsonOption): Promise<void> {
  const { config } = context.paths
  if (options.json === true) await context.out.json({ path: config })
  else await context.out.line(config)
}

function renderSetting({ setting, value, from }: Resolved) {
  return { key: setting.key, value, from, default: setting.default, description: setting.description }
}

function settingNamed(key: string): Setting {
  const setting = findSetting(key)
  if (setting !== undefined) return setting
  throw new AppError('bad_config', `There is no setting "${key}"`, {
    hint: `Settings: ${settings.map((known) => known.key).join(', ')}`,
  })
}
