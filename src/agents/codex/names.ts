// The names users gave threads. Codex appends them to session_index.jsonl and nowhere else: renaming leaves the rollout as it was.
import { closeSync, readSync, rmSync, statSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { isObject } from '../../lib/jsonl.ts'
import { toMachineFault } from '../../lib/machine-fault.ts'
import { anySize, openRegular, readRegularText } from '../../lib/regular-file.ts'
import type { AgentEnv } from '../agent-env.ts'
import { codexHome } from './rollout-files.ts'

interface ReadNames {
  readonly path: string
  readonly stamp: string
  readonly names: ReadonlyMap<string, string>
}

/** Of the home read last: thousands of sessions are summarised in a row, and the file is the same for all. */
let lastRead: ReadNames | undefined

export function readNames(env: AgentEnv): ReadonlyMap<string, string> {
  const path = indexPath(env)
  const stamp = namesStamp(env)
  try {
    if (lastRead?.path !== path || lastRead.stamp !== stamp) {
      lastRead = { path, stamp, names: parseNames(readRegularText(path, anySize)) }
    }
    return lastRead.names
  } catch {
    return new Map() // no index, or an unreadable one, only costs the name: a prompt stands in for it
  }
}

/** Changes when a thread is given a name. */
export function namesStamp(env: AgentEnv): string {
  const stat = statSync(indexPath(env), { throwIfNoEntry: false })
  return stat === undefined ? '' : `${stat.size} ${Math.trunc(stat.mtimeMs)}`
}

/** Threads named since the file had this stamp; all that have a name where that cannot be told. */
export function namedSince(env: AgentEnv, stamp: string | null): string[] {
  const before = Number.parseInt(stamp ?? '', 10) || 0
  const size = Number.parseInt(namesStamp(env), 10) || 0
  if (size === 0) return []
  const fd = openRegular(indexPath(env))
  try {
    const from = size > before ? before : 0
    const appended = Buffer.alloc(size - from)
    const got = readSync(fd, appended, 0, appended.length, from)
    return [...parseNames(appended.toString('utf8', 0, got)).keys()]
  } finally {
    closeSync(fd)
  }
}

/**
 * Removes the names of these threads from the end of the file, and the file when nothing is left. Names that Codex or anyone else has added
 * since keep those before them: in the middle of a file that others append to nothing can be removed safely.
 */
export function forgetNames(env: AgentEnv, threadIds: ReadonlySet<string>): void {
  const path = indexPath(env)
  try {
    const text = readRegularText(path, anySize)
    const lines = text.split('\n').slice(0, -1)
    const kept = lines.slice(0, lines.findLastIndex((line) => !threadIds.has(idOf(line))) + 1)
    if (kept.length === lines.length || !text.endsWith('\n')) return
    truncateSync(path, Buffer.byteLength(kept.map((line) => `${line}\n`).join('')))
    if (statSync(path).size === 0) rmSync(path)
  } catch (error) {
    if (toMachineFault(error) === null) throw error // a name that stays names nothing
  }
}

function idOf(line: string): string {
  const entry = parseEntry(line)
  return isObject(entry) && typeof entry.id === 'string' ? entry.id : ''
}

function indexPath(env: AgentEnv): string {
  return join(codexHome(env), 'session_index.jsonl')
}

/** Renaming appends: the last entry counts. */
function parseNames(text: string): Map<string, string> {
  const names = new Map<string, string>()
  for (const line of text.split('\n')) {
    const entry = parseEntry(line)
    if (isObject(entry) && typeof entry.id === 'string' && typeof entry.thread_name === 'string')
      names.set(entry.id, entry.thread_name)
  }
  return names
}

function parseEntry(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined // a torn or foreign line names no thread
  }
}
