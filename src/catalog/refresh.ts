// Brings the catalogue up to date: discover, compare, read what changed, store in batches, work out lineage. Safe to run in
// many processes at once and to be killed anywhere: what was stored stays right, the rest is done by the next refresh.
import type { SessionFile } from '../agents/agent.ts'
import type { RefreshProgress, RefreshReport } from '../model/catalog.ts'
import { compare, idOf, type Work } from './compare.ts'
import type { CatalogContext } from './context.ts'
import { forgetSeen, isSeen, setSeen, stampOf } from './seen.ts'

export type Problem = RefreshReport['problems'][number]

export interface RefreshOutcome extends RefreshReport {
  /** Every session file there is now. */
  readonly files: readonly SessionFile[]
}

export async function refresh(
  context: CatalogContext,
  onProgress?: (progress: RefreshProgress) => void,
): Promise<RefreshOutcome> {
  const store = context.store()
  if (store.meta.get('archive_indexed') === null) (await import('./archive-index.ts')).recoverArchiveIndex(context)
  if (store.meta.get('repositories_checked') === null) await (await import('./check-repositories.ts')).checkRepositories(context)
  const stamp = stampOf(store)
  const names = stampNames(context)
  const seen = discoverAll(context)
  if (isSeen(store, stamp, seen.files, names.join(' ')))
    return { sessions: store.sessions.count(), changed: 0, removed: 0, ...seen }
  // Stored before found: a session that another process adds in between is then never mistaken for a deleted one.
  const stored = store.sessions.files()
  const { files, problems } = stampOf(store) === stamp ? seen : discoverAll(context)
  const archived = store.archive.all()
  const work = compare({ stored, found: files, archived, agents: context.agents, renamed: findRenamed(context) })
  applyMoves(context, work)
  // What a listing of unchanged sessions does not need is loaded only here.
  if (work.readings.length > 0) await (await import('./read-changed.ts')).readChanged(context, work, problems, onProgress)
  const removed = applyRemovals(context, work)
  if (work.readings.length > 0 || stored.some(({ linked }) => linked === 0)) (await import('./link.ts')).linkSessions(context)
  const changed = work.readings.length + work.moves.length + work.states.length
  if (rememberNames(context, names) || changed + removed > 0) rememberSeen(context, files, names)
  return { sessions: store.sessions.count(), changed, removed, problems, files }
}

function discoverAll(context: CatalogContext): { readonly files: SessionFile[]; readonly problems: Problem[] } {
  const problems: Problem[] = []
  const onProblem = (path: string, problem: string) => problems.push({ path, problem })
  const files = context.agents.flatMap((agent) => [...agent.discover(context.env, onProblem)].map(inWholeMs))
  return { files, problems }
}

/** One per agent that keeps names apart from its sessions. */
function stampNames({ agents, env }: CatalogContext): string[] {
  return agents.flatMap((agent) => agent.namesStamp?.(env) ?? [])
}

function namesKey({ id }: { readonly id: string }): string {
  return `names_${id}`
}

function findRenamed({ agents, env, store }: CatalogContext): Set<string> {
  const renamed = agents.flatMap((agent) => {
    const before = store().meta.get(namesKey(agent))
    if (agent.namesStamp === undefined || agent.namesStamp(env) === before) return []
    return (agent.namedSince?.(env, before) ?? []).map((id) => idOf({ agent: agent.id, id }))
  })
  return new Set(renamed)
}

/** True when one had changed. */
function rememberNames({ agents, store: open }: CatalogContext, names: readonly string[]): boolean {
  const store = open()
  const keeping = agents.filter((agent) => agent.namesStamp !== undefined)
  const changed = keeping.flatMap((agent, at) => {
    const stamp = names[at] ?? ''
    return store.meta.get(namesKey(agent)) === stamp ? [] : { key: namesKey(agent), stamp }
  })
  if (changed.length === 0) return false
  store.write(() => {
    for (const { key, stamp } of changed) store.meta.set(key, stamp)
  })
  return true
}

/** Only what compares as equal: a file may have grown while it was read, or could not be read at all. */
function rememberSeen({ store: open, agents }: CatalogContext, files: readonly SessionFile[], names: readonly string[]): void {
  const store = open()
  store.write(() => {
    const stored = store.sessions.files()
    const archived = store.archive.all()
    const { readings, moves, states, removals } = compare({ stored, found: files, archived, agents })
    const left = readings.length + moves.length + states.length + removals.length
    if (left === 0 && stored.every(({ linked }) => linked === 1)) setSeen(store, files, names.join(' '))
  })
}

/** Copying a file or putting it back keeps no more than milliseconds of its time. */
function inWholeMs(file: SessionFile): SessionFile {
  return Number.isInteger(file.modifiedAt) ? file : { ...file, modifiedAt: Math.floor(file.modifiedAt) }
}

/** Before what was read is stored, so that a session that goes on in another file keeps its row. */
function applyMoves(context: CatalogContext, { moves }: Work): void {
  if (moves.length === 0) return
  const store = context.store()
  store.write(() => {
    forgetSeen(store)
    for (const { key, path, state } of moves) store.sessions.move(key, path, state)
  })
}

function applyRemovals(context: CatalogContext, { states, removals }: Work): number {
  if (states.length + removals.length === 0) return 0
  const store = context.store()
  store.write(() => {
    forgetSeen(store)
    for (const { key, state } of states) store.sessions.setState(key, state)
    for (const { key } of removals) store.sessions.remove(key)
  })
  return removals.length
}
