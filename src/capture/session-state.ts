// What the hook remembers of a session between two events: `captures/<agent>/<session id>/state.json`, beside the private
// indexes. Losing it loses no capture, only what stands here: the refs are the truth.
import { createHash } from 'node:crypto'
import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isMissing } from '../lib/file-errors.ts'
import { withLockFile } from '../lib/lock-file.ts'
import { makeFolder } from '../lib/make-folder.ts'
import { readRegularText } from '../lib/regular-file.ts'
import type { CapturedBy } from '../model/capture.ts'
import { AppError } from '../model/error.ts'
import type { AgentId } from '../model/session.ts'

/** A turn that has begun. */
export interface OpenTurn {
  readonly turnKey: string
  readonly prompt: string
  readonly startedAt: number | null
  readonly number: number | null
  /** Work tree it began in, and that tree then; `null` outside of git, or when it could not be read. */
  readonly root: string | null
  readonly startTree: string | null
  /** HEAD at that time; `null` before the first commit, absent when nobody looked. */
  readonly startHead?: string | null
  /** A later turn has ended since, and this one has not: what it left was never seen, and cannot be any more. */
  readonly overtaken?: true
  /** Not a turn of this session's own: what the user did behind it stays uncommitted until one of its own begins. */
  readonly inherited?: true
}

export interface EndedTurn extends OpenTurn {
  /** Its id as everywhere else, once the transcript told. */
  readonly turnId?: string
  readonly tree: string | null
}

export interface SessionState {
  readonly version: 1
  /** Prompts so far, inherited ones included; `null` when the session was begun before we looked. */
  readonly count: number | null
  readonly open: OpenTurn | null
  /** The last turn goes on under another key: what a background task reports is no prompt of a person. */
  readonly continued?: { readonly as: string; readonly turnKey: string }
  /** Newest first: one prompt may stop again after another has begun. */
  readonly ended: readonly EndedTurn[]
  /** Counts up when a private index has to be left to a process that may still write it. */
  readonly indexes: number
  /** Who told of the last event: where hooks do, the watcher keeps out. */
  readonly by: CapturedBy
}

export const noState: SessionState = { version: 1, count: null, open: null, ended: [], indexes: 0, by: 'hook' }

const keptEnds = 4

export function capturesFolder(folder: string): string {
  return join(folder, 'captures')
}

export function sessionFolder(folder: string, agent: AgentId, sessionId: string): string {
  return join(capturesFolder(folder), agent, sessionId)
}

/** One event of a session at a time; different sessions never wait for each other. */
export async function withSession<T>(folder: string, work: () => Promise<T>, maxTries: number): Promise<T> {
  makeFolder(folder)
  const onBusy = (pid: string) => new AppError('busy', `another hook (process ${pid}) holds the session`)
  return withLockFile(join(folder, 'lock'), work, { maxTries, onBusy })
}

/** `null` where there is none, or none that can be understood. */
export function readState(folder: string): SessionState | null {
  try {
    const value: unknown = JSON.parse(readRegularText(join(folder, 'state.json')))
    return isState(value) ? value : null
  } catch (error) {
    if (isMissing(error) || error instanceof SyntaxError) return null
    throw error
  }
}

/** Written beside and renamed: a reader never sees half of it. */
export function writeState(folder: string, state: SessionState): void {
  const path = join(folder, 'state.json')
  writeFileSync(`${path}.part`, JSON.stringify({ ...state, ended: state.ended.slice(0, keptEnds) }), { mode: 0o600 })
  renameSync(`${path}.part`, path)
}

/** Absolute path of the index kept for one work tree of the session. */
export function privateIndex(folder: string, root: string, indexes: number): string {
  const name = createHash('sha256').update(root).digest('hex').slice(0, 16)
  return join(folder, `index-${name}${indexes === 0 ? '' : `-${indexes}`}`)
}

function isState(value: unknown): value is SessionState {
  if (typeof value !== 'object' || value === null) return false
  const { version, count, open, ended, indexes } = value as Partial<Record<keyof SessionState, unknown>>
  if (version !== 1 || !Array.isArray(ended) || !Number.isSafeInteger(indexes)) return false
  return (count === null || Number.isSafeInteger(count)) && (open === null || isTurn(open)) && ended.every(isTurn)
}

function isTurn(value: unknown): value is OpenTurn {
  return typeof value === 'object' && value !== null && 'turnKey' in value && typeof value.turnKey === 'string'
}
