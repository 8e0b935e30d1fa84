// Which session and turn hold what somebody is after.
import type { Check } from '../model/catalog.ts'
import type { QmdReport } from '../model/qmd.ts'
import type { IndexReport, IndexState, SearchAnswer, SearchQuery } from '../model/search.ts'
import type { QmdUpdateOptions, SearchOptions, UpdateOptions } from '../search/search.ts'

export interface SearchVerbs {
  /** Sessions that fit, each with its best turn; brings the index up to date first, for a bounded time. */
  search(query: SearchQuery, options?: SearchOptions): Promise<SearchAnswer>
  /** Indexes what is new or changed, newest first. Search answers meanwhile. */
  updateIndex(options?: UpdateOptions): Promise<IndexReport>
  /** With `among`: the counts of these sessions alone, and of those in `turnsOf` of these turns alone. */
  indexStatus(only?: Pick<SearchQuery, 'among' | 'turnsOf'>): Promise<IndexState>
  /** Empties the index and builds it anew. */
  rebuildIndex(options?: UpdateOptions): Promise<IndexReport>
  /** Brings the exports and qmd's index up to date, for `search.engine = qmd`; throws `qmd_not_available` where qmd cannot be used. */
  updateQmd(options?: QmdUpdateOptions): Promise<QmdReport>
  /** What must hold before a server keeps qmd's index (SF10). */
  checkQmdPipeline(signal?: AbortSignal): Promise<readonly Check[]>
}
