// A search that brings the index up to date and shows it. The first one of all does not wait for every session: it answers as
// soon as something useful is found among the newest.
import type { App } from '../../app.ts'
import type { SearchAnswer, SearchQuery } from '../../model/search.ts'
import type { Context } from '../context.ts'
import { createIndexMeter } from '../indexing/meter.ts'
import { refreshWithMeter } from '../progress.ts'
import { tellWithoutQmd } from './without-qmd.ts'

const lookMs = 2000
/** For a person the rest is indexed in the background; a program gets this one answer. */
const longestMs = { person: 5000, program: 10_000 }
/** More often right than wrong above this. */
const useful = 0.5

export interface Searched {
  readonly answer: SearchAnswer
  /** Indexing was ended for the sake of the answer: there is more to bring in. */
  readonly isCutOff: boolean
}

export async function searchWhileIndexing(
  context: Context,
  app: Pick<App, 'listSessions' | 'refresh' | 'updateIndex' | 'search'>,
  query: SearchQuery,
  everyMs = lookMs,
): Promise<Searched> {
  // Only where there is nothing yet reading takes long enough to be shown; else this would be one more walk over all folders.
  const { length: known } = await app.listSessions({ limit: 1 }, { refresh: false })
  if (known === 0) await refreshWithMeter(context, app)
  const meter = createIndexMeter(context)
  context.onExit(meter.clear)
  const enough = new AbortController()
  const endAt = context.now() + (context.out.isTerminal ? longestMs.person : longestMs.program)
  const updating = app.updateIndex({ signal: enough.signal, onProgress: meter.show })
  try {
    for (;;) {
      const isDone = await endsWithin(updating, everyMs)
      const answer = await app.search(query, { updateMs: 0 })
      // qmd answers from an index of its own: waiting for ours changes nothing.
      const isEnough = isDone || answer.engine === 'qmd' || context.now() >= endAt
      if (!isEnough && (answer.results[0]?.score ?? 0) < useful) continue
      enough.abort()
      const { stopped } = await updating
      return { answer, isCutOff: stopped }
    }
  } catch (fault) {
    enough.abort()
    await updating.catch(() => undefined) // its fault, if it has one, is the one that is told
    throw tellWithoutQmd(fault, context.now())
  } finally {
    meter.clear()
  }
}

async function endsWithin(work: Promise<unknown>, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), ms)
  })
  try {
    return await Promise.race([work.then(() => true as const), late])
  } finally {
    clearTimeout(timer)
  }
}
