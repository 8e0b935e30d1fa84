// A search that shows its indexing. The first one of all does not wait for every session: it answers as soon as something useful
// is found among the newest.
import type { App } from '../../app.ts'
import type { SearchAnswer, SearchQuery } from '../../model/search.ts'
import type { Context } from '../context.ts'
import { createIndexMeter } from '../indexing/meter.ts'
import { refreshWithMeter } from '../progress.ts'
import { tellWithoutQmd } from './without-qmd.ts'

const roundMs = 2000
const rounds = 5
/** More often right than wrong above this. */
const useful = 0.5

export async function searchInRounds(context: Context, app: App, query: SearchQuery): Promise<SearchAnswer> {
  // Only where there is nothing yet reading takes long enough to be shown; else this would be one more walk over all folders.
  const { length: known } = await app.listSessions({ limit: 1 }, { refresh: false })
  if (known === 0) await refreshWithMeter(context, app)
  const meter = createIndexMeter(context)
  try {
    for (let round = 1; ; round += 1) {
      const startedAt = context.now()
      const answer = await app.search(query, { updateMs: roundMs, onProgress: meter.show })
      const isDone = answer.index.complete || answer.engine !== 'builtin' || context.now() - startedAt < roundMs
      if (isDone || round === rounds || (answer.results[0]?.score ?? 0) >= useful) return answer
    }
  } catch (fault) {
    throw tellWithoutQmd(fault, context.now())
  } finally {
    meter.clear()
  }
}
