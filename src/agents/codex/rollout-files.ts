// Names and places of Codex's rollout files. A thread is one file until it is reverted; every revert adds a segment file
// `rollout-<time>-<thread>_<segment>.jsonl`, and the newest segment is the live one (measured on 0.166.0).
import { readdirSync } from 'node:fs'
import { basename, dirname, join, sep } from 'node:path'
import { errorMessage } from '../../lib/error-message.ts'
import { isMissing } from '../../lib/file-errors.ts'
import type { OnProblem } from '../agent.ts'
import type { AgentEnv } from '../agent-env.ts'

const namePattern = /^rollout-(\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d)-([0-9a-f-]{36})(?:_([0-9a-f-]{36}))?\.jsonl(\.zst)?$/

export interface RolloutName {
  readonly path: string
  /** Where Codex kept it, when `path` is that of a copy. */
  readonly origin?: string
  readonly stamp: string
  readonly threadId: string
  /** `null` for the first file of a thread. */
  readonly segmentId: string | null
  readonly packed: boolean
  readonly archived: boolean
}

export function codexHome(env: AgentEnv): string {
  return env.vars.CODEX_HOME || join(env.home, '.codex')
}

export function sessionsFolder(env: AgentEnv): string {
  return join(codexHome(env), 'sessions')
}

export function archiveFolder(env: AgentEnv): string {
  return join(codexHome(env), 'archived_sessions')
}

export function parseRolloutName(folder: string, name: string, archived: boolean): RolloutName | undefined {
  const match = namePattern.exec(name)
  if (match === null) return undefined
  const [, stamp = '', threadId = '', segmentId, packed] = match
  return { path: `${folder}${sep}${name}`, stamp, threadId, segmentId: segmentId ?? null, packed: packed !== undefined, archived }
}

/** Every rollout by name, in no order. */
export function* listRollouts(env: AgentEnv, onProblem?: OnProblem): Generator<RolloutName> {
  for (const day of listDays(sessionsFolder(env), onProblem)) yield* listFolder(day, false, onProblem)
  yield* listFolder(archiveFolder(env), true, onProblem)
}

function* listDays(root: string, onProblem?: OnProblem): Generator<string> {
  for (const year of listNumbered(root, fourDigits, onProblem)) {
    for (const month of listNumbered(year, twoDigits, onProblem)) yield* listNumbered(month, twoDigits, onProblem)
  }
}

const fourDigits = /^\d{4}$/
const twoDigits = /^\d\d$/

function listNumbered(folder: string, digits: RegExp, onProblem?: OnProblem): string[] {
  const names = readFolder(folder, onProblem).filter((name) => digits.test(name))
  return names.map((name) => `${folder}${sep}${name}`)
}

function* listFolder(folder: string, archived: boolean, onProblem?: OnProblem): Generator<RolloutName> {
  for (const name of readFolder(folder, onProblem)) {
    const rollout = parseRolloutName(folder, name, archived)
    if (rollout !== undefined) yield rollout
  }
}

function readFolder(folder: string, onProblem?: OnProblem): string[] {
  try {
    return readdirSync(folder)
  } catch (error) {
    if (!isMissing(error)) onProblem?.(folder, errorMessage(error))
    return []
  }
}

/** Paths that are named like rollouts. */
export function parsePaths(paths: readonly string[]): RolloutName[] {
  return paths.flatMap((path) => parseRolloutName(dirname(path), basename(path), false) ?? [])
}

/**
 * The file that `history_base.thread_id` names: the first file of a thread, or a segment. Ids are UUIDv7, so the day they were
 * made tells the folder (a day either way for the time zone); only a file that was moved costs a walk over everything. A copy
 * stands in for one that is nowhere.
 */
export function findRollout(id: string, env: AgentEnv, onProblem?: OnProblem): RolloutName | undefined {
  for (const folder of likelyFolders(id, env)) {
    const found = pick(id, listFolder(folder, false, onProblem))
    if (found !== undefined) return found
  }
  return pick(id, listRollouts(env, onProblem)) ?? pick(id, standIns(env))
}

function* standIns(env: AgentEnv): Generator<RolloutName> {
  for (const { path, copy } of env.standIns ?? []) {
    const [rollout] = parsePaths([path])
    if (rollout !== undefined) yield { ...rollout, path: copy, origin: path }
  }
}

/** Which of these a thread or a segment is in. */
export function pickPath(id: string, paths: readonly string[]): string | undefined {
  return pick(id, parsePaths(paths))?.path
}

/** Newest first; where a file is there packed and plain, the plain one is the one Codex writes to. */
export function newestFirst(files: readonly RolloutName[]): RolloutName[] {
  const sorted = [...files].sort(byAge)
  return sorted.filter(({ stamp, segmentId }, index) => {
    const before = sorted[index - 1]
    return before === undefined || before.stamp !== stamp || before.segmentId !== segmentId
  })
}

function byAge(a: RolloutName, b: RolloutName): number {
  return (
    compare(b.stamp, a.stamp) ||
    compare(b.segmentId ?? '', a.segmentId ?? '') ||
    Number(a.packed) - Number(b.packed) ||
    compare(a.path, b.path)
  )
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

/** The live file of a thread: the newest of its segments. Those lie in the folder of the day they were made, most on the same. */
export function findNewest(threadId: string, env: AgentEnv): RolloutName | undefined {
  const now = env.now?.()
  const folders = [...likelyFolders(threadId, env), ...(now === undefined ? [] : foldersAround(now, env))]
  const found = [...new Set(folders)].flatMap((folder) =>
    [...listFolder(folder, false)].filter((one) => one.threadId === threadId),
  )
  return newestFirst(found)[0]
}

function pick(id: string, rollouts: Iterable<RolloutName>): RolloutName | undefined {
  let found: RolloutName | undefined
  for (const rollout of rollouts) {
    if ((rollout.segmentId ?? rollout.threadId) !== id) continue
    if (!rollout.packed) return rollout
    found ??= rollout
  }
  return found
}

const dayMs = 86_400_000

function likelyFolders(id: string, env: AgentEnv): string[] {
  const madeAt = timeOfId(id)
  if (madeAt === null) return []
  return [...foldersAround(madeAt, env), archiveFolder(env)]
}

function foldersAround(time: number, env: AgentEnv): string[] {
  const root = sessionsFolder(env)
  return [0, -dayMs, dayMs].map((shift) => {
    const [year = '', month = '', day = ''] = new Date(time + shift).toISOString().slice(0, 10).split('-')
    return join(root, year, month, day)
  })
}

/** When a UUIDv7 was made; `null` for any other id. */
export function timeOfId(id: string): number | null {
  if (!/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-/.test(id)) return null
  return Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16)
}
