// Every setting there is: its type, default, variable and meaning. Plain checks only; zod stays out of the hot path.
import { parseSchedule } from '../lib/schedule.ts'

export type SettingValue = string | number | boolean | readonly string[]

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
  /** 0 or more, with a fraction. */
  | (Common & { readonly type: 'amount'; readonly default: number })
  | (Common & { readonly type: 'interval'; readonly default: string })
  | (Common & { readonly type: 'folder'; readonly default: string })
  | (Common & { readonly type: 'url'; readonly default: string })
  | (Common & { readonly type: 'text'; readonly default: string })
  /** 0 to 65535. */
  | (Common & { readonly type: 'port'; readonly default: number })
  /** Absolute paths; as text separated as in PATH. */
  | (Common & { readonly type: 'folders'; readonly default: readonly string[] })
  /** As text separated by commas, or as a JSON list where one has a comma itself. */
  | (Common & { readonly type: 'words'; readonly default: readonly string[] })

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
    key: 'fork.max_price',
    type: 'amount',
    default: 0,
    description:
      'A seed that is estimated to cost more than this needs to be accepted; in USD unless your prices differ, 0: none does',
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
    key: 'workspaces.keep_days',
    type: 'count',
    default: 7,
    description: 'gc keeps a workspace this many days after its last use; 0: its age does not protect it',
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
  {
    key: 'server.host',
    type: 'text',
    default: '127.0.0.1',
    description: 'The address the server listens on; anything but a loopback address opens it to the network',
  },
  {
    key: 'server.port',
    type: 'port',
    default: 4777,
    variable: 'OFFSHOOT_PORT',
    description: 'The port of the server; 0: any that is free',
  },
  {
    key: 'server.allow_repos',
    type: 'folders',
    default: [],
    variable: 'OFFSHOOT_ALLOW_REPOS',
    description: 'Folders whose sessions the server may show and fork, besides --project; absolute paths',
  },
  {
    key: 'workers.terminal',
    type: 'choice',
    choices: ['auto', 'tmux', 'wezterm', 'iterm2', 'print'],
    default: 'auto',
    variable: 'OFFSHOOT_TERMINAL',
    description: 'Where workers open that nobody named a terminal for; auto: the one offshoot runs in, else tmux',
  },
  {
    key: 'workers.policy',
    type: 'choice',
    choices: ['ask', 'accept_edits', 'allow_list', 'deny'],
    default: 'ask',
    description: 'What becomes of a worker that asks for a permission: a person is asked, edits in its folder are accepted, ...',
  },
  {
    key: 'workers.allow',
    type: 'words',
    default: [],
    description: 'What policy allow_list lets through: tools, or Tool(prefix:*), as in ["Read", "Bash(git log:*)"]',
  },
  {
    key: 'workers.ready_timeout',
    type: 'count',
    default: 60,
    description: 'How long, in seconds, a worker may take until it is seen to be ready',
  },
  {
    key: 'workers.response_timeout',
    type: 'count',
    default: 1800,
    description: 'How long, in seconds, an answer of a worker is waited for',
  },
  {
    key: 'workers.history',
    type: 'boolean',
    default: false,
    description:
      'Whether what is sent to workers and what they answer is kept in a log of each (private, in the home folder of offshoot)',
  },
  {
    key: 'tui.theme',
    type: 'choice',
    choices: ['auto', 'dark', 'light'],
    default: 'auto',
    variable: 'OFFSHOOT_THEME',
    description: 'Colours of the terminal UI',
  },
  {
    key: 'tui.plain',
    type: 'boolean',
    default: false,
    variable: 'OFFSHOOT_PLAIN',
    description: 'Whether the terminal UI talks in plain lines: nothing is drawn, all is said in words (for screen readers)',
  },
  {
    key: 'tui.keys',
    type: 'words',
    default: [],
    description: 'Own keys of the terminal UI, as action=key: ["fork=f5", "quit=ctrl+x"]; its help shows what is what',
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
    case 'amount':
      return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? null : 'must be a number, 0 or more'
    case 'choice':
      return typeof value === 'string' && setting.choices.includes(value) ? null : `must be one of: ${setting.choices.join(', ')}`
    case 'folder':
      return typeof value === 'string' && (value === '' || value.startsWith('/')) ? null : 'must be an absolute path, or empty'
    case 'url':
      return typeof value === 'string' && (value === '' || /^https?:\/\/\S+$/.test(value))
        ? null
        : 'must begin with http:// or https://, or be empty'
    case 'port':
      return Number.isInteger(value) && Number(value) >= 0 && Number(value) <= 65_535 ? null : 'must be a port, 0 to 65535'
    case 'folders':
      return isListOf(value, (item) => item.startsWith('/') && !item.includes('\0')) ? null : 'must be a list of absolute paths'
    case 'words':
      return isListOf(value, (item) => item.trim() !== '') ? null : 'must be a list of words'
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
  if (setting.type === 'folders' || setting.type === 'words') return listFromText(word, setting.type === 'folders' ? ':' : ',')
  if ((setting.type === 'count' || setting.type === 'port') && /^\d+$/.test(word)) return Number(word)
  if (setting.type === 'amount' && /^\d*\.?\d+$/.test(word)) return Number(word)
  return word
}

function isListOf(value: unknown, fits: (item: string) => boolean): boolean {
  return Array.isArray(value) && value.every((item) => typeof item === 'string' && fits(item))
}

function listFromText(text: string, separator: string): unknown {
  if (text.startsWith('[')) {
    try {
      return JSON.parse(text)
    } catch {
      return text // no list: `faultOf` says so
    }
  }
  return text
    .split(separator)
    .map((item) => item.trim())
    .filter((item) => item !== '')
}
