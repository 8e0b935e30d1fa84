// The name of a thread: the one a person gave it (session_index.jsonl holds named threads only), else its first prompt.
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { isObject } from '../../lib/jsonl.ts'
import { titleOfPrompt } from '../../lib/prompt-title.ts'
import type { Turn } from '../../model/session.ts'
import type { AgentEnv } from '../agent-env.ts'
import type { SessionSummary } from '../reading.ts'
import { codexHome } from './rollout-files.ts'

export function titleOf(
  id: string,
  env: AgentEnv,
  nameInFile: string | null,
  turns: readonly Turn[],
): Pick<SessionSummary, 'title' | 'titleFrom'> {
  const name = readNames(env).get(id) ?? nameInFile
  if (name !== null && name !== '') return { title: name, titleFrom: 'custom' }
  const title = titleOfPrompt(turns.find((turn) => turn.prompt.trim() !== '')?.prompt ?? '')
  return title === '' ? { title, titleFrom: 'none' } : { title, titleFrom: 'prompt' }
}

interface ReadNames {
  readonly path: string
  readonly changedAt: number
  readonly bytes: number
  readonly names: ReadonlyMap<string, string>
}

/** Of the home read last: thousands of sessions are summarised in a row, and the file is the same for all. */
let lastRead: ReadNames | undefined

function readNames(env: AgentEnv): ReadonlyMap<string, string> {
  const path = join(codexHome(env), 'session_index.jsonl')
  try {
    const { mtimeMs, size } = statSync(path)
    if (lastRead?.path !== path || lastRead.changedAt !== mtimeMs || lastRead.bytes !== size) {
      lastRead = { path, changedAt: mtimeMs, bytes: size, names: parseNames(readFileSync(path, 'utf8')) }
    }
    return lastRead.names
  } catch {
    return new Map() // no index, or an unreadable one, only costs the name: a prompt stands in for it
  }
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
