// The qmd engine: qmd ranks the documents, the catalogue says which sessions they are and what can be forked.
import { existsSync } from 'node:fs'
import { qmdNotAvailable } from '../../model/qmd.ts'
import type { IndexState, SearchAnswer, SearchQuery, SearchResult } from '../../model/search.ts'
import type { SearchContext } from '../context.ts'
import { createQueryEmbedder } from '../embed/choose.ts'
import { narrowState, readState } from '../index/status.ts'
import { type Filters, parseQuery } from '../query/parse-query.ts'
import { createViewCache } from '../query/view.ts'
import { askQmd } from './ask.ts'
import { findBestTurns, type Passing } from './best-turns.ts'
import { chooseCollections, createProbe, guide } from './collections.ts'
import { findModels } from './models.ts'
import { createQmd } from './program.ts'
import { findSessions } from './sessions.ts'

const defaultLimit = 10
const defaultSnippet = 300
/** Filters are applied to what qmd gives, which knows none of them. */
const filteredCount = 200
/** Most of what a machine holds may be of projects that may not be seen. */
const amongCount = 1000

export interface QmdEngine {
  /** Throws `qmd_not_available` where qmd cannot answer. */
  search(query: SearchQuery, signal?: AbortSignal): Promise<SearchAnswer>
}

export function createQmdEngine(context: SearchContext): QmdEngine {
  const qmd = createQmd(context)
  const probing = createProbe(qmd, context.now)
  const tools = { views: createViewCache(), embedding: createQueryEmbedder(context.store, context.embedder) }

  return {
    async search(query, signal) {
      const parsed = parseQuery(query.text, context.now())
      const agent = query.agent ?? parsed.filters.agent
      const { agent: _, ...rest } = parsed.filters
      const filters: Filters = {
        ...rest,
        files: query.file === undefined ? parsed.filters.files : [...parsed.filters.files, query.file],
      }
      const asked = { ...query, ...(agent === undefined ? {} : { agent }) }
      const chosen = await chooseCollections(context, { qmd, probing }, asked, signal)
      const limit = query.limit ?? defaultLimit
      const isFiltered = query.repo !== undefined || parsed.phrases.length > 0 || hasFilter(filters)
      const { mode, rows, error } = await askQmd(qmd, {
        words: parsed.words,
        collections: chosen.collections,
        index: chosen.index,
        models: findModels(context.env, chosen.configFile),
        count: query.among !== undefined ? amongCount : isFiltered ? filteredCount : Math.max(20, limit * 2),
        full: chosen.index === 'theirs',
        signal,
      })
      signal?.throwIfAborted()
      if (mode === null) {
        probing.forget()
        throw qmdNotAvailable(`qmd gave no answer. ${error}`, await guide(context, asked, failedSteps))
      }
      const repoId = query.repo === undefined ? null : ((await context.catalog.repositoryOf(query.repo))?.id ?? 'none')
      const found = findSessions(context, rows, chosen.index, agent).filter(
        ({ known, session }) =>
          // qmd ranks complete sessions: one with turns that may not be seen cannot be judged by it.
          query.turnsOf?.has(`${session.agent}:${session.path}`) !== true &&
          (query.among === undefined || (known && query.among.has(`${session.agent}:${session.path}`))),
      )
      const snippetLength = query.snippetLength ?? defaultSnippet
      const passing = await findBestTurns(context, tools, found, { parsed, filters, repoId, snippetLength })
      const results = passing
        .filter(({ found: { row } }) => row.score >= (query.minScore ?? 0))
        .slice(0, limit)
        .map((each, at) => toResult(each, at + 1, snippetLength))
      const state = await readState(context)
      return {
        query: query.text,
        engine: 'qmd',
        mode,
        results,
        index: narrowState(context.store(), state, query),
        notes: [...parsed.notes, ...chosen.notes, ...tellAbsence(results.length, state)],
        ...(error === null ? {} : { qmdError: error }),
      }
    },
  }
}

const failedSteps = [
  'Run `qmd doctor` to see what is wrong with it.',
  'Search with the built-in engine: `--engine builtin`, without a collection.',
]

function hasFilter({ files, ...metadata }: Filters): boolean {
  return files.length > 0 || Object.keys(metadata).length > 0
}

function toResult({ found, best }: Passing, rank: number, snippetLength: number): SearchResult {
  const { row, session, known, sourcePath } = found
  const isThere = known && (session.state === 'gone' || existsSync(session.path))
  const warning = isThere ? warningOf(session) : 'The session file is gone and there is no copy in the archive.'
  return {
    rank,
    score: row.score,
    session,
    turn: best?.turn ?? null,
    snippet: best?.snippet ?? { text: row.snippet.slice(0, snippetLength), marks: [] },
    sourcePath,
    canFork: isThere,
    ...(warning === null ? {} : { warning }),
  }
}

function warningOf({ state, broken }: SearchResult['session']): string | null {
  if (state === 'gone') return 'The agent has deleted this session; it is put back from the archive when it is forked.'
  return broken
}

function tellAbsence(count: number, { complete }: IndexState): string[] {
  if (count > 0) return []
  return [complete ? 'No session fits.' : 'No session fits so far: indexing is not done.']
}
