// The built-in engine: keeps what a process needs between queries and answers from the index as it is.
import type { IndexState, SearchAnswer, SearchQuery } from '../../model/search.ts'
import type { Store } from '../../store/store.ts'
import type { SearchContext } from '../context.ts'
import { createQueryEmbedder } from '../embed/choose.ts'
import { readState } from '../index/status.ts'
import { answerQuery } from './answer.ts'
import { createViewCache } from './view.ts'

export function createBuiltinEngine(context: SearchContext) {
  const views = createViewCache()
  const embedding = createQueryEmbedder(context.store, context.embedder)
  const repositories = new Map<string, Promise<string | null>>()
  let known: { readonly store: Store; readonly at: string; readonly state: IndexState } | undefined

  /** Counting a quarter of a million chunks takes longer than a search: only when something was written. */
  async function state(): Promise<IndexState> {
    const store = context.store()
    const at = store.version()
    if (known?.store !== store || known.at !== at || known.state.running) known = { store, at, state: await readState(context) }
    return known.state
  }

  /** To look a folder up may take git: once in the life of a process. */
  function repositoryId(folder: string): Promise<string | null> {
    const before = repositories.get(folder)
    if (before !== undefined) return before
    const found = context.catalog.repositoryOf(folder).then((repository) => repository?.id ?? null)
    repositories.set(folder, found)
    found.catch(() => repositories.delete(folder))
    return found
  }

  return {
    async search(query: SearchQuery): Promise<SearchAnswer> {
      return answerQuery(context, views, { query, state: await state(), embedding, repositoryId })
    },
  }
}
