// The built-in engine: keeps what a process needs between queries and answers from the index as it is.
import type { SearchAnswer, SearchQuery } from '../../model/search.ts'
import type { SearchContext } from '../context.ts'
import { createQueryEmbedder } from '../embed/choose.ts'
import { readState } from '../index/status.ts'
import { answerQuery } from './answer.ts'
import { createViewCache } from './view.ts'

export function createBuiltinEngine(context: SearchContext) {
  const views = createViewCache()
  const embedding = createQueryEmbedder(context.store, context.embedder)
  return {
    async search(query: SearchQuery): Promise<SearchAnswer> {
      return answerQuery(context, views, { query, state: await readState(context), embedding })
    },
  }
}
