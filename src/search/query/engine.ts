// The built-in engine: keeps what a process needs between queries and answers from the index as it is.
import type { IndexState, SearchAnswer, SearchQuery } from '../../model/search.ts'
import type { Store } from '../../store/store.ts'
import type { SearchContext } from '../context.ts'
import { createQueryEmbedder } from '../embed/choose.ts'
import { isIndexing, readState } from '../index/status.ts'
import { answerQuery } from './answer.ts'
import { createViewCache } from './view.ts'

/** How far an index that is being made has come may be told this late: to find it out took 3 to 12 ms of every search. */
const runningMs = 500

export function createBuiltinEngine(context: SearchContext) {
  const views = createViewCache()
  const embedding = createQueryEmbedder(context.store, context.embedder)
  const repositories = new Map<string, Promise<string | null>>()
  let known: { readonly store: Store; readonly version: string; readonly at: number; readonly state: IndexState } | undefined

  /** Only when something was written. */
  async function state(): Promise<IndexState> {
    const store = context.store()
    const [version, at] = [store.version(), performance.now()]
    const isKnown =
      known?.store === store &&
      (known.state.running ? at - known.at < runningMs && isIndexing(context.folder) : known.version === version)
    if (known === undefined || !isKnown) known = { store, version, at, state: await readState(context) }
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
