// qmd finds documents; which turn of a session fits best, and which sessions pass the filters of the query, the built-in index
// tells.
import type { Snippet } from '../../model/search.ts'
import type { SearchContext } from '../context.ts'
import type { QueryEmbedder } from '../embed/choose.ts'
import { findAllowed } from '../query/allowed.ts'
import type { Filters, ParsedQuery } from '../query/parse-query.ts'
import { rankSessions } from '../query/rank.ts'
import { makeSnippet } from '../query/snippet.ts'
import type { ViewCache } from '../query/view.ts'
import { termsOfText } from '../text/terms.ts'
import type { FoundSession } from './sessions.ts'

export interface BestTurn {
  readonly turn: { readonly id: string; readonly number: number | null } | null
  readonly snippet: Snippet
}

export interface TurnQuestion {
  readonly parsed: ParsedQuery
  readonly filters: Filters
  readonly repoId: string | null
  readonly snippetLength: number
}

export interface Passing {
  readonly found: FoundSession
  /** `null`: the built-in index has no turn that fits. */
  readonly best: BestTurn | null
}

/** Those that pass, in their order. */
export async function findBestTurns(
  context: SearchContext,
  tools: { readonly views: ViewCache; readonly embedding: QueryEmbedder },
  found: readonly FoundSession[],
  { parsed, filters, repoId, snippetLength }: TurnQuestion,
): Promise<Passing[]> {
  const embedded = await tools.embedding.embedQuery(parsed.words)
  const store = context.store()
  return store.read(() => {
    const view = tools.views.look(store)
    const { sessions: allowed, required } = findAllowed(store, view, parsed, filters, repoId)
    const keys = new Map(store.search.index.sessions().map(({ agent, path, key }) => [`${agent}:${path}`, key]))
    const keyOf = ({ session }: FoundSession) => keys.get(`${session.agent}:${session.path}`) ?? 0
    const passing = found.filter((each) => allowed === null || allowed[keyOf(each)] === 1)
    const among = new Uint8Array(view.sessionsSize)
    for (const each of passing) among[keyOf(each)] = 1
    among[0] = 0 // what is not in the index has no key
    const { vector } = embedded
    const ranking = rankSessions(store, {
      view,
      terms: parsed.terms,
      sequence: termsOfText(parsed.words),
      vector: vector === null ? null : { ...vector, codes: tools.views.lookAtCodes(store, vector.model) },
      allowed: among,
      required,
    })
    const idfs = new Map(ranking.terms.map(({ term, idf }) => [term, idf]))
    const chunks = new Map(ranking.ranked.map(({ sessionKey, chunk }) => [sessionKey, chunk]))
    return passing.map((each) => {
      const chunk = chunks.get(keyOf(each))
      if (chunk === undefined) return { found: each, best: null }
      // The chunk of a title belongs to no turn: then the session is forked where it ended.
      const { turnId: id, turnNumber: number } = chunk
      const turn = id === '' ? store.search.lookup.lastTurn(keyOf(each)) : { id, number }
      return { found: each, best: { turn, snippet: makeSnippet(chunk, idfs, snippetLength) } }
    })
  })
}
