// A worker's own folder, `$OFFSHOOT_HOME/workers/<id>/`: the values of its environment, which may be secrets (0600), what it was given
// and what went wrong last (0600, redacted), and with `history` on a log of what was sent and answered (0600: it holds text of the
// transcript as it is).
import { appendFileSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { errorMessage } from '../lib/error-message.ts'
import { isMissing } from '../lib/file-errors.ts'
import { isObject } from '../lib/jsonl.ts'
import { readRegularText } from '../lib/regular-file.ts'
import { AppError } from '../model/error.ts'

const envFile = 'env.json'
const historyFile = 'history.jsonl'
const lastFile = 'last.json'

export function workerFolder(home: string, id: string): string {
  return join(home, 'workers', id)
}

function makeFolder(home: string, id: string): string {
  const folder = workerFolder(home, id)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  return folder
}

export function removeWorkerFolder(home: string, id: string): void {
  rmSync(workerFolder(home, id), { recursive: true, force: true })
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
    const value: unknown = JSON.parse(readRegularText(path))
    if (!isObject(value)) throw new SyntaxError('not an object')
    return Object.fromEntries(names.map((name) => [name, String(value[name] ?? '')]))
  } catch (error) {
    const why = isMissing(error) ? 'it is gone' : errorMessage(error)
    throw new AppError('unreadable', `The environment of this worker (${path}) cannot be read: ${why}.`, { cause: error })
  }
}

/** What is remembered of its last turn. */
export interface LastTurn {
  readonly input: string | null
  readonly error: string | null
  /** The session's file as it was when `error` was read from it; `null`: it comes from elsewhere, or from no file yet. */
  readonly readFrom: { readonly path: string; readonly bytes: number } | null
}

const nothingYet: LastTurn = { input: null, error: null, readFrom: null }

export function readLast(home: string, id: string): LastTurn {
  try {
    const value: unknown = JSON.parse(readRegularText(join(workerFolder(home, id), lastFile)))
    const { input, error, readFrom } = isObject(value) ? value : {}
    const { path, bytes } = isObject(readFrom) ? readFrom : {}
    const from = typeof path === 'string' && typeof bytes === 'number' ? { path, bytes } : null
    return { input: textOrNull(input), error: textOrNull(error), readFrom: from }
  } catch {
    return nothingYet // none yet, or a full disk cut it short: it is only shown
  }
}

/** It is only shown: a full disk must not cost the turn. */
export function noteLast(home: string, id: string, change: Partial<LastTurn>): void {
  const file = join(workerFolder(home, id), lastFile)
  try {
    makeFolder(home, id)
    writeFileSync(`${file}.part`, JSON.stringify({ ...readLast(home, id), ...change }), { mode: 0o600 })
    renameSync(`${file}.part`, file)
  } catch {
    // the next one is noted again
  }
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}

export type HistoryLine =
  | { readonly type: 'sent'; readonly at: string | null; readonly text: string }
  | {
      readonly type: 'answered'
      readonly at: string | null
      readonly text: string | null
      readonly outcome: string
      readonly turn_id: string | null
    }

export function historyPath(home: string, id: string): string {
  return join(workerFolder(home, id), historyFile)
}

export function noteHistory(home: string, id: string, line: HistoryLine): void {
  makeFolder(home, id)
  appendFileSync(historyPath(home, id), `${JSON.stringify(line)}\n`, { mode: 0o600 })
}
