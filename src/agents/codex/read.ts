// Reads a thread, or one branch of it, as entries in order. Chooses how: in one pass where all there is counts, else after a
// survey that tells which turns were rolled back, where the context was compacted and where the branch asked for ends.
import { statSync } from 'node:fs'
import { AppError } from '../../model/error.ts'
import type { SessionFile } from '../agent.ts'
import type { AgentEnv } from '../agent-env.ts'
import type { Entry, ReadOptions } from '../reading.ts'
import { type Branch, emitBranch, type SurveyedBranch } from './emit.ts'
import { type History, resolveHistory, scanHistory } from './history.ts'
import { breathe, pause } from './lines.ts'
import { Nearest } from './nearest.ts'
import { type Place, pathTo, surveyHistory } from './survey.ts'

export async function* read(file: SessionFile, env: AgentEnv, options: ReadOptions = {}): AsyncGenerator<Entry> {
  const { view = 'all', upTo } = options
  if (upTo !== undefined) {
    yield* emitBranch(await findBranch(file, env, upTo), view)
    return
  }
  const thread = openThread(file.path, env)
  const plain = view === 'all' && !(await hasRollback(thread))
  const branch = plain ? thread : await surveyBranch(thread, undefined, new Nearest(''))
  if (branch !== undefined) yield* emitBranch(branch, view)
}

export function openThread(path: string, env: AgentEnv): Branch {
  return { history: resolveHistory(path, env), to: path.endsWith('.zst') ? Number.POSITIVE_INFINITY : statSync(path).size }
}

/** Only legacy threads are ever rolled back in place (a paginated one gets a new file instead). */
async function hasRollback({ history, to }: Branch): Promise<boolean> {
  if (isPaginated(history)) return false
  for (const record of scanHistory(history, { to })) {
    if (record === pause) await breathe()
    else if (record.subtype === 'thread_rolled_back' && record.type === 'event_msg') return true
  }
  return false
}

export function isPaginated({ meta }: History): boolean {
  return meta?.history_mode === 'paginated'
}

/** The branch that ends as asked: the live one first, then those that older files hold. */
export async function findBranch(
  file: SessionFile,
  env: AgentEnv,
  upTo: NonNullable<ReadOptions['upTo']>,
): Promise<SurveyedBranch> {
  const kind = 'turnId' in upTo ? 'turn' : 'message'
  const nearest = new Nearest('turnId' in upTo ? upTo.turnId : upTo.messageId)
  for (const path of [file.path, ...file.olderPaths]) {
    const branch = await surveyBranch(openThread(path, env), upTo, nearest)
    if (branch !== undefined) return branch
  }
  const candidates = nearest.candidates()
  const hint = candidates.length === 0 ? {} : { hint: `Nearest: ${candidates.join(', ')}` }
  throw new AppError(`${kind}_not_found`, `codex:${file.id} has no ${kind} ${nearest.wanted}`, {
    ...hint,
    details: { candidates },
  })
}

/** The live branch, or the one that ends as asked; `undefined` when that is not in this file's history. */
export async function surveyBranch(
  thread: Branch,
  upTo: ReadOptions['upTo'],
  nearest: Nearest,
): Promise<SurveyedBranch | undefined> {
  const compactions: Place[] = []
  let found: Place | undefined
  const wanted = upTo !== undefined && 'messageId' in upTo ? upTo.messageId : undefined
  const message = (id: string, place: Place) => {
    nearest.offer(id)
    if (id === wanted) found ??= place
  }
  const compaction = (place: Place) => compactions.push(place)
  const loose = new Set<number>()
  const watch = { compaction, loose: (row: number) => loose.add(row), ...(wanted === undefined ? {} : { message }) }
  const { state } = await surveyHistory(thread.history, watch, { to: thread.to })
  let end = state.top
  if (upTo !== undefined && 'turnId' in upTo) {
    for (const row of state.rows) nearest.offer(row.id)
    end = state.rows.findIndex((row) => row.id === upTo.turnId)
    if (end === -1) return undefined
  } else if (wanted !== undefined) {
    if (found === undefined) return undefined
    end = found.row
  }
  const path = pathTo(state.rows, end)
  const onPath = new Set([-1, ...path])
  const newest = compactions.findLast((place) => onPath.has(place.row) && (found === undefined || isBefore(place, found)))
  const branch = { ...thread, surveyed: { state, path, compaction: newest, loose } }
  return wanted === undefined ? branch : { ...branch, untilMessage: wanted }
}

function isBefore(a: Place, b: Place): boolean {
  return a.part < b.part || (a.part === b.part && a.offset <= b.offset)
}
