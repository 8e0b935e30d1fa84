// Hands out a thread as entries in order. Two passes: the first learns how every turn ends, what was rolled back and where the
// context was compacted; the second parses and yields, holding back only what waits for a tool's output.
import { AppError } from '../../model/error.ts'
import type { AgentEnv, Entry, ReadOptions, SessionFile } from '../agent.ts'
import { type Branch, emitBranch } from './emit.ts'
import { resolveHistory } from './history.ts'
import { Nearest } from './nearest.ts'
import { type Place, pathTo, surveyHistory } from './survey.ts'

export async function* read(file: SessionFile, env: AgentEnv, options: ReadOptions = {}): AsyncGenerator<Entry> {
  const { view = 'all', upTo } = options
  const branch = await findBranch(file, env, upTo)
  yield* emitBranch(branch, view)
}

async function findBranch(file: SessionFile, env: AgentEnv, upTo: ReadOptions['upTo']): Promise<Branch> {
  const nearest = new Nearest(upTo === undefined ? '' : 'turnId' in upTo ? upTo.turnId : upTo.messageId)
  for (const path of upTo === undefined ? [file.path] : [file.path, ...file.olderPaths]) {
    const branch = await surveyBranch(path, env, upTo, nearest)
    if (branch !== undefined) return branch
  }
  const kind = upTo !== undefined && 'turnId' in upTo ? 'turn' : 'message'
  const candidates = nearest.candidates()
  const hint = candidates.length === 0 ? {} : { hint: `Nearest: ${candidates.join(', ')}` }
  throw new AppError(`${kind}_not_found`, `codex:${file.id} has no ${kind} ${nearest.wanted}`, {
    ...hint,
    details: { candidates },
  })
}

async function surveyBranch(
  path: string,
  env: AgentEnv,
  upTo: ReadOptions['upTo'],
  nearest: Nearest,
): Promise<Branch | undefined> {
  const history = resolveHistory(path, env)
  const compactions: Place[] = []
  let found: Place | undefined
  const wanted = upTo !== undefined && 'messageId' in upTo ? upTo.messageId : undefined
  const message = (id: string, place: Place) => {
    nearest.offer(id)
    if (id === wanted) found ??= place
  }
  const survey = await surveyHistory(history, {
    compaction: (place) => compactions.push(place),
    ...(wanted === undefined ? {} : { message }),
  })
  const { state } = survey
  let end = state.top
  if (upTo !== undefined && 'turnId' in upTo) {
    end = state.rows.findIndex((row) => row.id === upTo.turnId)
    for (const row of state.rows) nearest.offer(row.id)
    if (end === -1) return undefined
  } else if (wanted !== undefined) {
    if (found === undefined) return undefined
    end = found.row
  }
  const rows = pathTo(state.rows, end)
  const onPath = compactions.filter((place) => place.row === -1 || rows.includes(place.row))
  const compaction = onPath.findLast((place) => found === undefined || isBefore(place, found))
  return {
    history,
    state,
    path: rows,
    compaction,
    untilMessage: wanted,
    to: survey.usedTorn ? Number.POSITIVE_INFINITY : survey.offset,
  }
}

function isBefore(a: Place, b: Place): boolean {
  return a.part < b.part || (a.part === b.part && a.offset <= b.offset)
}
