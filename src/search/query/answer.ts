// One search, from the text a person typed to sessions with the turn that fits best. Reads the index in one transaction, so an
// update that runs meanwhile neither waits nor shows half of itself.
import { existsSync } from 'node:fs'
import type { CatalogSession } from '../../model/catalog.ts'
import type { IndexState, SearchAnswer, SearchQuery, SearchResult, Snippet } from '../../model/search.ts'
import type { FileRow } from '../../store/search-lookup.ts'
import type { StoredSession } from '../../store/sessions.ts'
import type { Store } from '../../store/store.ts'
import type { SearchContext } from '../context.ts'
import type { QueryEmbedder } from '../embed/choose.ts'
import { narrowState } from '../index/status.ts'
import { termsOfText } from '../text/terms.ts'
import { findAllowed } from './allowed.ts'
import { withoutHidden } from './hidden-turns.ts'
import { type Filters, type ParsedQuery, parseQuery } from './parse-query.ts'
import { type Preference, prefer } from './prefer.ts'
import { type Ranked, rankSessions } from './rank.ts'
import { leaveOutNoise, toScore } from './score.ts'
import { makeSnippet } from './snippet.ts'
import type { ViewCache } from './view.ts'

const defaultLimit = 10
const defaultSnippet = 300

/** A session on its way to the list. */
interface Found {
  readonly row: StoredSession
  readonly turn: { readonly id: string; readonly number: number | null } | null
  /** What it is ranked by. */
  readonly total: number
  readonly score: number
  readonly preference: Preference
  /** Made only of those that are shown. */
  readonly snippet: () => Snippet
  readonly touched?: FileRow
  readonly ranked?: Ranked
}

export interface Asked {
  readonly query: SearchQuery
  readonly state: IndexState
  readonly embedding: QueryEmbedder
  readonly repositoryId: (folder: string) => Promise<string | null>
}

export async function answerQuery(context: SearchContext, views: ViewCache, asked: Asked): Promise<SearchAnswer> {
  const { query, state, embedding } = asked
  const parsed = parseQuery(query.text, context.now())
  const filters: Filters = {
    ...parsed.filters,
    ...(query.agent === undefined ? {} : { agent: query.agent }),
    files: query.file === undefined ? parsed.filters.files : [...parsed.filters.files, query.file],
  }
  const repoId = query.repo === undefined ? null : ((await asked.repositoryId(query.repo)) ?? 'none')
  const hereId = await asked.repositoryId(context.cwd)
  const embedded = parsed.words === '' ? { vector: null, notes: [] } : await embedding.embedQuery(parsed.words)
  const store = context.store()
  const preferring = { hereId, now: context.now(), hasVector: embedded.vector !== null }
  const { found, isAbout } = store.read(() => {
    const view = withoutHidden(store, views.look(store), query.turnsOf)
    const allowed = findAllowed(store, view, parsed, filters, repoId, query)
    if (parsed.words === '') {
      return { found: listAllowed(store, view.sessions, allowed.sessions, allowed.touched, preferring), isAbout: true }
    }
    const vector =
      embedded.vector === null ? null : { ...embedded.vector, codes: views.lookAtCodes(store, embedded.vector.model) }
    const ranking = rankSessions(store, {
      view,
      terms: parsed.terms,
      sequence: termsOfText(parsed.words),
      vector,
      allowed: allowed.sessions,
      required: allowed.required,
    })
    const idfs = new Map(ranking.terms.map(({ term, idf }) => [term, idf]))
    const length = query.snippetLength ?? defaultSnippet
    const listed = leaveOutNoise(ranking.ranked, ranking.terms, vector !== null)
    const rows = listed.flatMap((ranked) =>
      toFound(store, ranked, allowed.touched, preferring, () => makeSnippet(ranked.chunk, idfs, length)),
    )
    return { found: rows, isAbout: listed.length > 0 || ranking.ranked.length === 0 }
  })
  const minScore = query.minScore ?? 0
  const best = found
    .filter(({ score }) => score >= minScore)
    .sort(byRank)
    .slice(0, query.limit ?? defaultLimit)
  const sessions = context.catalog.describeSessions(best.map(({ row }) => row))
  return {
    query: query.text,
    engine: 'builtin',
    mode: modeOf(parsed, filters, embedded.vector !== null),
    results: best.flatMap((each, at) => toResult(each, sessions[at], at + 1, query.explain === true)),
    index: narrowState(store, state, query),
    notes: [...parsed.notes, ...embedded.notes, ...tellAbsence(best.length, isAbout, state)],
  }
}

function modeOf({ words }: ParsedQuery, { files }: Filters, hasVector: boolean): string {
  if (words === '') return files.length > 0 ? 'files' : 'recent'
  return hasVector ? 'hybrid' : 'words'
}

function tellAbsence(count: number, isAbout: boolean, { complete, chunks }: IndexState): string[] {
  if (count > 0) return []
  if (chunks === 0) return ['Nothing is indexed yet.']
  const soFar = complete ? '' : ' so far: indexing is not done'
  return [isAbout ? `No session fits${soFar}.` : `No session is about this${soFar}.`]
}

interface Preferring {
  readonly hereId: string | null
  readonly now: number
  readonly hasVector: boolean
}

function toFound(
  store: Store,
  ranked: Ranked,
  touched: ReadonlyMap<number, FileRow> | null,
  preferring: Preferring,
  snippet: () => Snippet,
): Found[] {
  const row = rowOf(store, ranked.sessionKey)
  if (row === null) return []
  const preference = prefer(row, preferring)
  const file = touched?.get(ranked.sessionKey)
  const { turnId, turnNumber } = ranked.chunk
  // The chunk of a title belongs to no turn: then the session is forked where it ended.
  const turn = turnId === '' ? lastTurn(store, row, ranked.sessionKey) : { id: turnId, number: turnNumber }
  const total = ranked.total + preference.total
  const score = toScore(total, preferring.hasVector)
  return [{ row, turn, total, score, preference, snippet, ranked, ...(file === undefined ? {} : { touched: file }) }]
}

/** The index may still have a session that was deleted. */
function rowOf({ search, sessions }: Store, sessionKey: number): StoredSession | null {
  const place = search.lookup.place(sessionKey)
  if (place === null) return null
  const agent = place.agent as StoredSession['agent']
  return sessions.at(agent, place.path) ?? sessions.lostAt(agent, place.path)
}

/** A fork that has not gone on has no turn of its own in the index: it ends where its parent was forked. */
function lastTurn({ search, turns }: Store, { key }: StoredSession, sessionKey: number): Found['turn'] {
  const indexed = search.lookup.lastTurn(sessionKey)
  if (indexed !== null) return indexed
  const last = turns.live(key).at(-1)
  return last === undefined ? null : { id: last.id, number: last.number }
}

/** Without words: what touched the file, edits first; else simply the sessions that pass. Newest first. */
function listAllowed(
  store: Store,
  sessionOfChunk: Int32Array,
  allowed: Uint8Array | null,
  touched: ReadonlyMap<number, FileRow> | null,
  preferring: Preferring,
): Found[] {
  const keys = touched === null ? new Set(sessionOfChunk) : new Set(touched.keys())
  keys.delete(0)
  const wanted = [...keys].filter((key) => allowed === null || allowed[key] === 1)
  return wanted.flatMap((key) => {
    const row = rowOf(store, key)
    if (row === null) return []
    const file = touched?.get(key)
    const turn = file === undefined ? lastTurn(store, row, key) : { id: file.turnId, number: file.turnNumber }
    const snippet = () => ({ text: file?.path ?? row.title, marks: [] })
    const score = file === undefined ? 0.5 : file.edited === 1 ? 1 : 0.5
    return [
      {
        row,
        turn,
        total: score,
        score,
        preference: prefer(row, preferring),
        snippet,
        ...(file === undefined ? {} : { touched: file }),
      },
    ]
  })
}

function byRank(a: Found, b: Found): number {
  const newer = (b.row.updatedAt ?? b.row.modifiedAt) - (a.row.updatedAt ?? a.row.modifiedAt)
  return b.total - a.total || newer || (a.row.path < b.row.path ? -1 : 1)
}

function toResult(found: Found, session: CatalogSession | undefined, rank: number, explain: boolean): SearchResult[] {
  if (session === undefined) return []
  const { score, turn, snippet, touched, ranked, preference } = found
  const isThere = session.state === 'gone' || existsSync(session.path)
  const warning = isThere ? warningOf(session) : 'The session file is gone and there is no copy in the archive.'
  return [
    {
      rank,
      score,
      session,
      turn,
      snippet: snippet(),
      canFork: isThere,
      ...(touched === undefined ? {} : { touched: touched.edited === 1 ? ('edited' as const) : ('read' as const) }),
      ...(warning === null ? {} : { warning }),
      ...(explain ? { explain: explainScore(ranked, preference) } : {}),
    },
  ]
}

function warningOf({ state, broken }: CatalogSession): string | null {
  if (state === 'gone') return 'The agent has deleted this session; it is put back from the archive when it is forked.'
  return broken
}

function explainScore(ranked: Ranked | undefined, { repository, recent }: Preference) {
  const parts = { ...ranked?.parts, repository, recent }
  const rounded = Object.entries(parts).map(([name, value]) => [name, Math.round(value * 1000) / 1000] as const)
  return { parts: Object.fromEntries(rounded), matched: ranked?.matched.map(({ term }) => term) ?? [] }
}
