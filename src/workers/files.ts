// A worker's own folder, `$OFFSHOOT_HOME/workers/<id>/`: the values of its environment, which may be secrets (0600), and with
// `history` on a log of what was sent and answered (0600: it holds text of the transcript as it is).
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { errorMessage } from '../lib/error-message.ts'
import { isMissing } from '../lib/file-errors.ts'
import { isObject } from '../lib/jsonl.ts'
import { AppError } from '../model/error.ts'

const envFile = 'env.json'
const historyFile = 'history.jsonl'

export function workerFolder(home: string, id: string): string {
  return join(home, 'workers', id)
}

function makeFolder(home: string, id: string): string {
  const folder = workerFolder(home, id)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  return folder
}

export function keepEnv(home: string, id: string, env: Readonly<Record<string, string>>): void {
  const folder = makeFolder(home, id)
  if (Object.keys(env).length === 0) return
  writeFileSync(join(folder, envFile), JSON.stringify(env), { mode: 0o600 })
}

/** A worker that was started with variables must not run without them. */
export function readEnv(home: string, id: string, names: readonly string[]): Record<string, string> {
  if (names.length === 0) return {}
  const path = join(workerFolder(home, id), envFile)
  try {
    const value: unknown = JSON.parse(readFileSync(path, 'utf8'))
    if (!isObject(value)) throw new SyntaxError('not an object')
    return Object.fromEntries(names.map((name) => [name, String(value[name] ?? '')]))
  } catch (error) {
    const why = isMissing(error) ? 'it is gone' : errorMessage(error)
    throw new AppError('unreadable', `The environment of this worker (${path}) cannot be read: ${why}.`, { cause: error })
  }
}

export type HistoryLine =
  | { readonly type: 'sent'; readonly at: string | null; readonly text: string }
  | { readonly type: 'answered'; readonly at: string | null; readonly text: string | null; readonly outcome: string }

export function noteHistory(home: string, id: string, line: HistoryLine): void {
  appendFileSync(join(makeFolder(home, id), historyFile), `${JSON.stringify(line)}\n`, { mode: 0o600 })
}
