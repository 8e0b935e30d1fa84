// What the index should hold and does not: sessions compared by a mark of their file, then turn by turn. A turn that a fork
// inherited is indexed at its origin, as long as its origin still has it.
import { createHash } from 'node:crypto'
import type { CatalogSession } from '../../model/catalog.ts'
import type { Turn } from '../../model/session.ts'
import type { IndexedSession, IndexedTurn } from '../../store/search-index.ts'
import type { StoredFile } from '../../store/sessions.ts'
import type { Store } from '../../store/store.ts'
import { titleId } from './read-turns.ts'
import { indexVersion } from './status.ts'

export interface SessionWork {
  readonly session: CatalogSession
  /** Key in the catalogue. */
  readonly catalogKey: number
  /** Key in the index; `null` when it is not in there yet. */
  readonly indexKey: number | null
  readonly mark: string
}

export interface IndexWork {
  /** Newest first. */
  readonly sessions: readonly SessionWork[]
  readonly moves: readonly { readonly key: number; readonly path: string }[]
  /** Sessions the catalogue does not know any more. */
  readonly gone: readonly IndexedSession[]
}

export function findWork(store: Store, sessions: readonly CatalogSession[]): IndexWork {
  const files = new Map(store.sessions.files().map((file) => [placeOf(file), file]))
  const byId = new Map([...files.values()].map((file) => [`${file.agent}\0${file.id}`, file]))
  const indexed = new Map(store.search.index.sessions().map((row) => [placeOf(row), row]))
  const lost = new Map(
    [...indexed.values()].filter((row) => !files.has(placeOf(row))).map((row) => [`${row.agent}\0${row.id}`, row]),
  )
  const moves: { key: number; path: string }[] = []
  const work: SessionWork[] = []
  for (const session of sessions) {
    const file = files.get(placeOf(session))
    if (file === undefined) continue
    const moved = indexed.has(placeOf(session)) ? undefined : lost.get(`${session.agent}\0${session.id}`)
    if (moved !== undefined) {
      lost.delete(`${session.agent}\0${session.id}`)
      moves.push({ key: moved.key, path: session.path })
    }
    const row = indexed.get(placeOf(session)) ?? moved
    const parent = session.parent === null ? undefined : byId.get(`${session.parent.agent}\0${session.parent.sessionId}`)
    const mark = markSession(session, file, parent)
    if (row?.mark !== mark) work.push({ session, catalogKey: file.key, indexKey: row?.key ?? null, mark })
  }
  const gone = [...indexed.values()].filter((row) => !files.has(placeOf(row)) && !moves.some(({ key }) => key === row.key))
  return { sessions: work, moves, gone }
}

function placeOf({ agent, path }: { readonly agent: string; readonly path: string }): string {
  return `${agent}\0${path}`
}

/** A fork's own turns depend on what its parent still has, so the parent's file is part of its mark. */
function markSession({ ownTurns, turns, parent }: CatalogSession, file: StoredFile, parentFile: StoredFile | undefined): string {
  const named = parent === null ? '' : `${parent.kind} ${markFile(parentFile)}`
  return `${indexVersion} ${markFile(file)} ${ownTurns}/${turns} ${named}`.trimEnd()
}

function markFile(file: StoredFile | undefined): string {
  return file === undefined ? 'none' : `${file.bytes} ${file.modifiedAt} ${file.inode}`
}

export interface TurnWork {
  /** Turns to read and index, by id. */
  readonly add: ReadonlyMap<string, IndexedTurn>
  readonly drop: readonly string[]
  readonly renumber: readonly IndexedTurn[]
}

export function findTurnWork(store: Store, { session, catalogKey, indexKey }: SessionWork): TurnWork {
  const own = ownTurns(store, session, catalogKey).map((turn) => ({ id: turn.id, number: turn.number, mark: markTurn(turn) }))
  const wanted: IndexedTurn[] = hasTitle(session) ? [{ id: titleId, number: null, mark: hash(session.title) }, ...own] : own
  const indexed = new Map(indexKey === null ? [] : store.search.index.turns(indexKey).map((turn) => [turn.id, turn]))
  const wantedIds = new Set(wanted.map(({ id }) => id))
  // A result that comes in late changes a turn without showing in its mark: the last one is always taken again.
  const last = own.filter(({ id }) => indexed.has(id)).at(-1)?.id
  const changed = wanted.filter((turn) => turn.id === last || indexed.get(turn.id)?.mark !== turn.mark)
  return {
    add: new Map(changed.map((turn) => [turn.id, turn])),
    drop: [...indexed.keys()].filter((id) => !wantedIds.has(id)),
    renumber: wanted.filter((turn) => indexed.has(turn.id) && indexed.get(turn.id)?.number !== turn.number),
  }
}

/** One made from the first prompt stands in the index already. */
function hasTitle({ title, titleFrom }: CatalogSession): boolean {
  return (titleFrom === 'custom' || titleFrom === 'ai') && title !== ''
}

/** The mark must not repeat the title: it may hold a secret. */
function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16)
}

/** Changes when the turn does, and when the same turn gives other chunks. */
function markTurn({ messages, lastMessageId, endedAt, state }: Turn): string {
  return [indexVersion, messages, lastMessageId ?? '', endedAt ?? '', state].join(' ')
}

function ownTurns(store: Store, session: CatalogSession, catalogKey: number): Turn[] {
  const live = store.turns.of(catalogKey).filter(({ number }) => number !== null)
  const { parent } = session
  if (parent === null) return live
  // The first prompt of a seeded session is the transcript of its parent.
  if (parent.kind === 'seed') return live.slice(1)
  const origin = store.sessions.withId(parent.agent, parent.sessionId)[0]
  if (origin === undefined) return live
  const theirs = store.turns.of(origin.key).filter(({ number }) => number !== null)
  const ids = new Set(theirs.map(({ id }) => id))
  const inherited = session.turns - session.ownTurns
  return live.filter((turn, at) => at >= inherited || !(ids.has(turn.id) || theirs[at]?.prompt === turn.prompt))
}
