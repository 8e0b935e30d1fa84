// Which hooks Codex may run: it skips, without a word, every command hook whose hash does not stand in config.toml. The tables are
// put at the end and taken out again by text, because people write comments into that file and Codex writes into it too.
import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { parse } from 'smol-toml'
import { isObject } from '../../lib/jsonl.ts'
import { AppError } from '../../model/error.ts'
import type { OurHook } from '../hook-settings.ts'
import { parseConfig } from './config-file.ts'

/** Where a hook stands, in the words of Codex: its file, event, group and handler. */
export function trustKey(file: string, event: string, group: number, handler: number): string {
  return `${file}:${snakeCase(event)}:${group}:${handler}`
}

/**
 * The hash Codex makes of a hook's definition: SHA-256 of its canonical JSON. The same on 0.142 and 0.166 (compared with
 * `hooks/list` of both); the script's content and the file's path are not in it.
 */
export function trustHash(event: string, command: string, timeoutSeconds: number): string {
  const handler = { async: false, command, timeout: timeoutSeconds, type: 'command' }
  const identity = JSON.stringify({ event_name: snakeCase(event), hooks: [handler] })
  return `sha256:${createHash('sha256').update(identity).digest('hex')}`
}

/** What Codex takes for a hook that names none. */
const defaultTimeoutSeconds = 600

export function hashesOf(file: string, hooks: readonly OurHook[]): Map<string, string> {
  return new Map(
    hooks.map(({ event, group, handler, command, timeoutSeconds }) => [
      trustKey(file, event, group, handler),
      trustHash(event, command, timeoutSeconds ?? defaultTimeoutSeconds),
    ]),
  )
}

/** Hooks behind those that go move up, and with them the names under which they are trusted. */
export function moveTrust(known: ReadonlyMap<string, Trust>, file: string, gone: readonly OurHook[]): Map<string, string> {
  const renamed = new Map<string, string>()
  for (const key of known.keys()) {
    const [, event = '', ...numbers] = /:([a-z_]+):(\d+):(\d+)$/.exec(key) ?? []
    const [group = 0, handler = 0] = numbers.map(Number)
    const before = gone.filter((hook) => trustKey(file, hook.event, group, handler) === key)
    if (before.some((hook) => hook.group === group && hook.handler === handler)) continue
    const groups = before.filter((hook) => hook.isAlone && hook.group < group).length
    const handlers = before.filter((hook) => !hook.isAlone && hook.group === group && hook.handler < handler).length
    if (groups + handlers > 0) renamed.set(key, `${file}:${event}:${group - groups}:${handler - handlers}`)
  }
  return renamed
}

export interface Trust {
  readonly hash: string | null
  readonly enabled: boolean
}

export function readTrust(text: string, file: string): ReadonlyMap<string, Trust> {
  const { hooks } = parseConfig(text, file)
  const state = isObject(hooks) ? hooks.state : undefined
  const entries = isObject(state) ? Object.entries(state) : []
  return new Map(
    entries.map(([key, value]) => {
      const { trusted_hash: hash, enabled } = isObject(value) ? value : {}
      return [key, { hash: typeof hash === 'string' ? hash : null, enabled: enabled !== false }]
    }),
  )
}

/** Sets the hash of each hook, in place where the hook is known already. */
export function addTrust(before: string, file: string, hashes: ReadonlyMap<string, string>): string {
  const known = readTrust(before, file)
  let text = before
  for (const [key, hash] of hashes) {
    const trust = known.get(key)
    if (trust?.hash === hash) continue
    text = trust === undefined ? appendTable(text, key, hash) : replaceHash(text, key, hash)
  }
  const wanted = withState(before, file, (state) => {
    for (const [key, hash] of hashes) state[key] = { ...asTable(state[key]), trusted_hash: hash }
  })
  return checked(text, file, wanted)
}

/** Takes out the tables of these hooks, and renames those of hooks that moved up: Codex counts positions. */
export function removeTrust(
  before: string,
  file: string,
  removed: readonly string[],
  renamed: ReadonlyMap<string, string> = new Map(),
): string {
  const known = readTrust(before, file)
  let text = before
  for (const key of removed.filter((each) => known.has(each)).reverse()) text = removeTable(text, key)
  for (const [from, to] of renamed) text = replaceHeader(text, from, to)
  const wanted = withState(before, file, (state) => {
    for (const key of removed) delete state[key]
    for (const [from, to] of renamed) {
      if (state[from] === undefined) continue
      state[to] = state[from]
      delete state[from]
    }
  })
  return checked(text, file, wanted)
}

function appendTable(text: string, key: string, hash: string): string {
  const newline = text.includes('\r\n') ? '\r\n' : '\n'
  const table = `[hooks.state.${JSON.stringify(key)}]${newline}trusted_hash = ${JSON.stringify(hash)}`
  if (text === '') return table + newline
  // A file whose last line has no end keeps it so: that is how taking the table out again knows.
  return text.endsWith('\n') ? `${text}${newline}${table}${newline}` : `${text}${newline}${newline}${table}`
}

function removeTable(text: string, key: string): string {
  const lines = text.split(/(?<=\n)/)
  const header = lines.findIndex((line) => keyOfHeader(line) === key)
  if (header === -1) return text
  let end = header + 1
  while (end < lines.length && /^\s*(trusted_hash|enabled)\s*=/.test(lines[end] ?? '')) end += 1
  const isAtEnd = end === lines.length && !(lines[end - 1] ?? '').endsWith('\n')
  const start = header > 0 && /^\r?\n$/.test(lines[header - 1] ?? '') ? header - 1 : header
  const before = lines.slice(0, start).join('')
  return (isAtEnd ? before.replace(/\r?\n$/, '') : before) + lines.slice(end).join('')
}

function replaceHash(text: string, key: string, hash: string): string {
  const lines = text.split(/(?<=\n)/)
  const header = lines.findIndex((line) => keyOfHeader(line) === key)
  const at = lines.findIndex((line, index) => index > header && /^\s*trusted_hash\s*=/.test(line))
  if (header === -1 || at === -1) return text
  lines[at] = (lines[at] ?? '').replace(/=\s*("[^"]*"|'[^']*')/, `= ${JSON.stringify(hash)}`)
  return lines.join('')
}

function replaceHeader(text: string, from: string, to: string): string {
  return text
    .split(/(?<=\n)/)
    .map((line) => (keyOfHeader(line) === from ? line.replace(/\[.*\]/, () => `[hooks.state.${JSON.stringify(to)}]`) : line))
    .join('')
}

function keyOfHeader(line: string): string | null {
  if (!/^\s*\[\s*hooks\s*\.\s*state\s*\./.test(line)) return null
  try {
    const { hooks } = parse(line)
    const state = isObject(hooks) ? hooks.state : undefined
    return isObject(state) ? (Object.keys(state)[0] ?? null) : null
  } catch {
    return null // no header after all
  }
}

/** What an edit by lines could have broken is found by reading it: then nothing is written. */
function checked(text: string, file: string, wanted: unknown): string {
  if (readsAs(text, wanted)) return text
  throw new AppError('bad_config', `The trust of hooks cannot be changed in ${file} without disturbing the rest.`, {
    hint: 'Write what it holds under `hooks` as tables ([hooks.state], [[hooks.Stop]]) instead of in braces, then try again.',
  })
}

function readsAs(text: string, wanted: unknown): boolean {
  try {
    return isDeepStrictEqual(withoutEmptyState(asTable(plain(parse(text)))), wanted)
  } catch {
    return false // the edit broke the file: it is not used
  }
}

function withState(text: string, file: string, change: (state: Record<string, unknown>) => void): unknown {
  const config = asTable(plain(parseConfig(text, file)))
  const hooks = asTable(config.hooks)
  const state = asTable(hooks.state)
  change(state)
  return withoutEmptyState({ ...config, hooks: { ...hooks, state } })
}

/** A table without content says nothing: `[hooks.state]` may stand there or not. */
function withoutEmptyState(config: Record<string, unknown>): Record<string, unknown> {
  const { hooks, ...others } = config
  const { state, ...otherHooks } = asTable(hooks)
  const kept = Object.keys(asTable(state)).length > 0 ? { ...otherHooks, state } : otherHooks
  return Object.keys(kept).length > 0 ? { ...others, hooks: kept } : others
}

function asTable(value: unknown): Record<string, unknown> {
  return isObject(value) ? value : {}
}

/** Plain objects throughout: the parser's own have no prototype, which would make equal tables differ. */
function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value))
}

function snakeCase(event: string): string {
  return event.replace(/(?!^)[A-Z]/g, (letter) => `_${letter}`).toLowerCase()
}
