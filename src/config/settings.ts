// Every setting there is: its type, default, variable and meaning. Plain checks only; zod stays out of the hot path.
import { parseSchedule } from '../lib/schedule.ts'

export type SettingValue = string | number | boolean

interface Common {
  readonly key: string
  readonly description: string
  /** The variable that overrides the config file. */
  readonly variable?: string
}

export type Setting =
  | (Common & { readonly type: 'choice'; readonly choices: readonly string[]; readonly default: string })
  | (Common & { readonly type: 'boolean'; readonly default: boolean })
  | (Common & { readonly type: 'count'; readonly default: number })
  | (Common & { readonly type: 'interval'; readonly default: string })
  | (Common & { readonly type: 'folder'; readonly default: string })
  | (Common & { readonly type: 'url'; readonly default: string })
  | (Common & { readonly type: 'text'; readonly default: string })

export const settings = [
  {
    key: 'list.limit',
    type: 'count',
    default: 50,
    description: 'How many sessions a list shows to a person; 0 shows all',
  },
  {
    key: 'search.engine',
    type: 'choice',
    choices: ['builtin', 'qmd'],
    default: 'builtin',
    variable: 'OFFSHOOT_SEARCH_ENGINE',
    description: 'Which engine answers a search',
  },
  {
    key: 'search.qmd_indexing',
    type: 'boolean',
    default: false,
    variable: 'OFFSHOOT_QMD_INDEXING',
    description: 'Whether the server keeps a qmd index fresh too',
  },
  {
    key: 'search.embed_url',
    type: 'url',
    default: '',
    variable: 'OFFSHOOT_EMBED_URL',
    description: 'An OpenAI-compatible endpoint for embeddings, as in http://127.0.0.1:11434/v1; empty: the built-in model',
  },
  {
    key: 'search.embed_model',
    type: 'text',
    default: '',
    variable: 'OFFSHOOT_EMBED_MODEL',
    description: 'The model to ask that endpoint for; its key, if it needs one, comes from OFFSHOOT_EMBED_KEY',
  },
  {
    key: 'index.interval',
    type: 'interval',
    default: '1h',
    variable: 'OFFSHOOT_INDEX_INTERVAL',
    description: 'How often the server brings its index up to date: 15m, 1h, 6h or a cron expression',
  },
  {
    key: 'workspaces.folder',
    type: 'folder',
    default: '',
    description: 'Where workspaces are made, as an absolute path; empty: worktrees in the home folder of offshoot',
  },
  {
    key: 'workspaces.push',
    type: 'boolean',
    default: false,
    description: 'Whether the branch of a new workspace is pushed to origin after each turn, in the background',
  },
  {
    key: 'snapshots.enabled',
    type: 'boolean',
    default: true,
    description: 'Whether the code is captured after each turn, where hooks are installed',
  },
  {
    key: 'snapshots.max_file_mb',
    type: 'count',
    default: 50,
    description: 'Files larger than this, in MB, are left out of snapshots (and listed as such); 0: none are',
  },
  {
    key: 'snapshots.keep_days',
    type: 'count',
    default: 0,
    description: 'Snapshots older than this, in days, are cleared away by gc though their session is still there; 0: none are',
  },
] as const satisfies readonly Setting[]

export type SettingKey = (typeof settings)[number]['key']

export function findSetting(key: string): Setting | undefined {
  return settings.find((setting) => setting.key === key)
}

/** What is wrong with a value, in words that follow "list.limit "; `null` when nothing is. */
export function faultOf(setting: Setting, value: unknown): string | null {
  switch (setting.type) {
    case 'boolean':
      return typeof value === 'boolean' ? null : 'must be true or false'
    case 'count':
      return Number.isSafeInteger(value) && Number(value) >= 0 ? null : 'must be a whole number, 0 or more'
    case 'choice':
      return typeof value === 'string' && setting.choices.includes(value) ? null : `must be one of: ${setting.choices.join(', ')}`
    case 'folder':
      return typeof value === 'string' && (value === '' || value.startsWith('/')) ? null : 'must be an absolute path, or empty'
    case 'url':
      return typeof value === 'string' && (value === '' || /^https?:\/\/\S+$/.test(value))
        ? null
        : 'must begin with http:// or https://, or be empty'
    case 'text':
      return typeof value === 'string' ? null : 'must be text'
    case 'interval':
      return typeof value === 'string' && parseSchedule(value) !== null
        ? null
        : 'must look like 15m, 1h, 6h, or a cron expression of 5 fields'
  }
}

/** Text from a command line or a variable, as the setting's type; what cannot be converted is left for `faultOf`. */
export function valueFromText(setting: Setting, text: string): unknown {
  const word = text.trim()
  if (setting.type === 'boolean') {
    if (['true', '1', 'yes', 'on'].includes(word.toLowerCase())) return true
    if (['false', '0', 'no', 'off'].includes(word.toLowerCase())) return false
  }
  if (setting.type === 'count' && /^\d+$/.test(word)) return Number(word)
  return word
}
