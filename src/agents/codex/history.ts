// A paginated fork or reverted thread does not copy what it inherits: its first line refers to another file and an ordinal.
// history(file) = history(base file, ordinals below the cut) + its own lines.
import { basename, dirname } from 'node:path'
import { errorMessage } from '../../lib/error-message.ts'
import { isObject } from '../../lib/jsonl.ts'
import { AppError } from '../../model/error.ts'
import type { SessionFile } from '../agent.ts'
import type { AgentEnv } from '../agent-env.ts'
import type { Base } from '../reading.ts'
import { type Body, pause, type RecordsEnd, type RolloutRecord, scanRecords, textOrNull } from './lines.ts'
import { knownTypes } from './record-types.ts'
import { findRollout, parseRolloutName, pickPath } from './rollout-files.ts'

export interface HistoryPart {
  readonly path: string
  /** Where Codex kept it, when `path` is that of a copy. */
  readonly origin?: string
  /** Lines with this ordinal and above do not belong to the history. */
  readonly end: number
  /** Where the first of those stands, as the file that builds on this one says. */
  readonly endBytes?: number
  /** Lines of another thread: inherited. */
  readonly inherited: boolean
  /** Where to begin in it, for who wants no more. */
  readonly from?: number
}

export interface History {
  /** From the root to the file itself, which is the last one. */
  readonly parts: readonly HistoryPart[]
  /** Payload of the file's own session_meta. */
  readonly meta: Body | null
  /** That of the thread's first file: another one where the thread was reverted. */
  readonly firstMeta: Body | null
  readonly broken: string | null
  /** Id of the file that is missing. */
  readonly missing: string | null
  /** A file or folder could not be read: what seems to be missing may be there. */
  readonly isUnsure?: boolean
}

/** Throws AppError when the file itself cannot be read; what it builds on may be missing. */
export function resolveHistory(path: string, env: AgentEnv): History {
  const own = readOwnMeta(path)
  const ownThread = threadOf(path) ?? textOrNull(own?.id)
  const parts: HistoryPart[] = [{ path, end: Number.POSITIVE_INFINITY, inherited: false }]
  const seen = new Set([path])
  let broken: string | null = null
  let missing: string | null = null
  let isUnsure = false
  const onProblem = () => {
    isUnsure = true
  }
  let end = Number.POSITIVE_INFINITY
  let firstMeta = own
  for (let base = baseOf(own); base !== null; ) {
    const file = findRollout(base.id, env, onProblem)
    if (file === undefined) {
      broken = `the file of ${base.id}, which its history builds on, is missing`
      missing = base.id
      break
    }
    if (seen.has(file.path)) {
      broken = `its history refers back to itself through ${base.id}`
      break
    }
    seen.add(file.path)
    end = Math.min(end, base.end)
    const { path: at, origin } = file
    const where = origin === undefined ? { path: at } : { path: at, origin }
    parts.unshift({ ...where, end, endBytes: base.endBytes, inherited: file.threadId !== ownThread })
    try {
      const meta = peekMeta(file.path)
      if (file.threadId === ownThread) firstMeta = meta
      base = baseOf(meta)
    } catch (error) {
      parts.shift()
      isUnsure = true
      broken = `${file.path}, which its history builds on, cannot be read: ${errorMessage(error)}`
      break
    }
  }
  return { parts, meta: own, firstMeta, broken, missing, isUnsure: isUnsure && broken !== null }
}

/** Of these paths, those of the files that the session's own ones build on and do not find. */
export function missingFiles({ path, olderPaths }: SessionFile, env: AgentEnv, paths: readonly string[]): readonly string[] {
  const found = [path, ...olderPaths].flatMap((each) => {
    const missing = missingBase(each, env)
    return missing === null ? [] : (pickPath(missing, paths) ?? [])
  })
  return [...new Set(found)]
}

function missingBase(path: string, env: AgentEnv): string | null {
  try {
    return resolveHistory(path, env).missing
  } catch (error) {
    if (error instanceof AppError) return null // a file that cannot be read names no other
    throw error
  }
}

/** The files a history builds on. */
export function basesOf({ parts }: History): Base[] {
  return parts.slice(0, -1).map(({ path, origin }) => ({ path: origin ?? path, isCopy: origin !== undefined }))
}

function readOwnMeta(path: string): Body | null {
  try {
    return peekMeta(path)
  } catch (error) {
    throw new AppError('unreadable', `${path} cannot be read: ${errorMessage(error)}`, {
      cause: error,
    })
  }
}

function threadOf(path: string): string | null {
  return parseRolloutName(dirname(path), basename(path), false)?.threadId ?? null
}

function baseOf(meta: Body | null): { id: string; end: number; endBytes: number } | null {
  const base = meta?.history_base
  if (!isObject(base)) return null
  const { thread_id: id, end_ordinal_exclusive: end, end_byte_offset: bytes } = base
  const endBytes = typeof bytes === 'number' ? bytes : Number.POSITIVE_INFINITY
  return typeof id === 'string' && typeof end === 'number' ? { id, end, endBytes } : null
}

const peekBytes = 1 << 17

/** The first session_meta; lines in front of it that are no records are passed over. */
function peekMeta(path: string): Body | null {
  for (const to of [peekBytes, Number.POSITIVE_INFINITY]) {
    for (const record of scanRecords(path, { to })) {
      if (record === pause || (!knownTypes.has(record.type) && !record.torn)) continue
      if (record.torn && to === peekBytes) break
      return record.type === 'session_meta' ? (record.payload ?? null) : null
    }
  }
  return null
}

export interface HistoryScan {
  /** Where to go on in the last part. */
  readonly from?: number
  /** Where to stop in the last part: a second reading must not see what was appended since the first. */
  readonly to?: number
  readonly onDamage?: (path: string, problem: string) => void
}

/** All records of a history in order. With `from`, only the last part from there on. */
export function* scanHistory(history: History, scan: HistoryScan = {}): Generator<RolloutRecord | typeof pause, RecordsEnd> {
  const { from, to, onDamage } = scan
  const last = history.parts.length - 1
  let done: RecordsEnd = { offset: 0 }
  for (const [part, { path, end, from: begin }] of history.parts.entries()) {
    if (from !== undefined && part < last) continue
    const damaged = onDamage === undefined ? {} : { onDamage: (problem: string) => onDamage(path, problem) }
    const start = part < last ? begin : (from ?? begin)
    const bounds = { ...(start !== undefined && { from: start }), ...(part === last && to !== undefined && { to }) }
    const records = scanRecords(path, { ...bounds, ...damaged })
    try {
      for (let position = 0; ; position += 1) {
        const next = records.next()
        if (next.done) {
          done = next.value
          break
        }
        if (next.value === pause) {
          position -= 1
          yield pause
          continue
        }
        if ((next.value.ordinal ?? position) >= end) break
        next.value.part = part
        yield next.value
      }
    } finally {
      records.return({ offset: 0 })
    }
  }
  return done
}
