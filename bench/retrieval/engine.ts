// Our engine on the benchmark's sessions: indexed the way anyone's are, asked with the whole of its ranking or a part left out.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { createApp } from '../../src/app.ts'
import { loadStaticModel } from '../../src/search/embed/static-model.ts'
import { type ReadBudget, readBudget } from '../../src/search/query/bm25.ts'
import { parseQuery } from '../../src/search/query/parse-query.ts'
import { rankSessions } from '../../src/search/query/rank.ts'
import { createViewCache } from '../../src/search/query/view.ts'
import { termsOfText } from '../../src/search/text/terms.ts'
import { openStore } from '../../src/store/store.ts'
import { createBenchAgent } from './agent.ts'
import type { System } from './baselines.ts'
import type { BenchSession } from './data.ts'

export interface Engine {
  /** The whole of it, as `app.search` answers. */
  readonly whole: System
  readonly withoutVectors: System
  /** Common words read to the last occurrence. */
  readonly withoutCutoff: System
  /** As little read as in an index of 250,000 chunks, where the same words have fifty times the occurrences. */
  readonly asInLarge: System
  close(): void
}

export async function createEngine(sessions: readonly BenchSession[]): Promise<Engine> {
  const home = mkdtempSync(join(tmpdir(), 'offshoot-retrieval-'))
  const now = () => 86_400_000
  const app = createApp({
    home,
    vars: { PATH: process.env.PATH },
    cwd: home,
    now,
    agents: [createBenchAgent(sessions, join(home, 'sessions'))],
  })
  await app.updateIndex()
  const store = openStore({ folder: join(home, '.offshoot'), now })
  const views = createViewCache()
  const model = await loadStaticModel()
  const share = store.search.index.totals().chunks / 250_000

  const rank = async (query: string, { vectors, budget }: { vectors: boolean; budget?: ReadBudget }): Promise<string[]> => {
    const { words, terms } = parseQuery(query, 0)
    const [vector] = await model.embed([words])
    const view = views.look(store)
    const stored = store.search.vectors.findModel(model.id)
    const { ranked } = rankSessions(store, {
      view,
      terms,
      sequence: termsOfText(words),
      vector:
        vectors && vector !== undefined && stored !== null
          ? { model: stored, codes: views.lookAtCodes(store, stored), vector }
          : null,
      allowed: null,
      required: null,
      ...(budget === undefined ? {} : { budget }),
    })
    return ranked.map(({ sessionKey }) => basename(store.search.lookup.place(sessionKey)?.path ?? '', '.jsonl'))
  }

  return {
    async whole(query) {
      const { results } = await app.search({ text: query, limit: 50 }, { updateMs: 0 })
      return results.map(({ session }) => session.id)
    },
    withoutVectors: (query) => rank(query, { vectors: false }),
    withoutCutoff: (query) => rank(query, { vectors: true, budget: { places: Number.POSITIVE_INFINITY, chunks: 0 } }),
    asInLarge: (query) =>
      rank(query, { vectors: true, budget: { places: readBudget.places * share, chunks: readBudget.chunks * share } }),
    close() {
      store.close()
      app.close()
      rmSync(home, { recursive: true, force: true })
    },
  }
}
