// Changes one value in config.toml as a person would: the line is edited, comments and order stay. The result is parsed
// and compared before it is written, so that a file too clever for a line edit is refused, never damaged.
import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { parse, stringify } from 'smol-toml'
import writeFileAtomic from 'write-file-atomic'
import { AppError } from '../model/error.ts'
import { type ConfigTable, isTable, lookUp, readConfigFile, readConfigText } from './read.ts'
import type { SettingValue } from './settings.ts'

export async function writeSetting(file: string, key: string, value: SettingValue): Promise<void> {
  const before = await readConfigFile(file)
  const text = editToml(readConfigText(file), key, value)
  if (!readsAs(text, withValue(before, key.split('.'), value))) {
    throw new AppError('bad_config', `${key} cannot be changed in ${file} without disturbing the rest`, {
      hint: 'Edit the file by hand.',
    })
  }
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  await writeFileAtomic(file, text, { mode: 0o600 })
}

/** The text with `key` set: in place where it stands, else at the end of its table, else in a new table. */
export function editToml(text: string, key: string, value: SettingValue): string {
  const dot = key.lastIndexOf('.')
  const table = key.slice(0, Math.max(0, dot))
  const name = key.slice(dot + 1)
  const lines = text === '' ? [] : text.replace(/\n$/, '').split('\n')
  const assignment = `${name} = ${tomlValue(value)}`
  let current = ''
  let lastOfTable = -1
  for (const [index, line] of lines.entries()) {
    const header = /^\s*\[([^[\]]+)\]\s*(#.*)?$/.exec(line)
    if (header?.[1] !== undefined) current = bareKey(header[1])
    const written = /^(\s*)([\w.\s"'-]+?)\s*=/.exec(line)
    const full = written?.[2] === undefined ? '' : [current, bareKey(written[2])].filter(Boolean).join('.')
    if (full === key && written !== null) {
      lines[index] = `${written[0]} ${tomlValue(value)}${trailingComment(line.slice(written[0].length))}`
      return `${lines.join('\n')}\n`
    }
    if (current === table && line.trim() !== '') lastOfTable = index
  }
  if (lastOfTable >= 0) lines.splice(lastOfTable + 1, 0, assignment)
  else if (table === '') lines.unshift(assignment)
  else lines.push(...(lines.length > 0 ? [''] : []), `[${table}]`, assignment)
  return `${lines.join('\n')}\n`
}

function tomlValue(value: SettingValue): string {
  return stringify({ v: value }).replace(/^v = /, '').trim()
}

/** The comment behind a one-line value, with the blanks before it; strings are stepped over. */
function trailingComment(rest: string): string {
  const match = /^\s*(?:"(?:[^"\\]|\\.)*"|'[^']*'|[^#"'])*?(\s*#.*)$/.exec(rest)
  return match?.[1] ?? ''
}

function bareKey(key: string): string {
  return key
    .split('.')
    .map((part) => part.trim().replace(/^(["'])(.*)\1$/, '$2'))
    .join('.')
}

function withValue(table: ConfigTable, [name = '', ...rest]: readonly string[], value: SettingValue): ConfigTable {
  if (rest.length === 0) return { ...table, [name]: value }
  const inner = lookUp(table, name)
  return { ...table, [name]: withValue(isTable(inner) ? inner : {}, rest, value) }
}

function readsAs(text: string, wanted: ConfigTable): boolean {
  try {
    return isDeepStrictEqual(plain(parse(text)), plain(wanted))
  } catch {
    return false // the edit broke the file: it is not used
  }
}

/** Plain objects throughout: the parser's own have no prototype, which would make equal tables differ. */
function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value))
}
