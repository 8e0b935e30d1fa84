// Results and answers of a search for tests of what is shown of them.
import type { CatalogSession } from '../../model/catalog.ts'
import type { SearchAnswer, SearchResult } from '../../model/search.ts'

export function makeResult(name: string, changes: Partial<SearchResult> = {}): SearchResult {
  const session = {
    agent: 'claude',
    id: `${name}-1234-5678-9abc-def012345678`,
    title: `Title of ${name}`,
    path: `/sessions/${name}.jsonl`,
    repoRoot: '/home/me/todo',
    cwd: '/home/me/todo',
    updatedAt: 0,
    bytes: 100,
  } as CatalogSession
  return {
    rank: 1,
    score: 0.8,
    session,
    turn: { id: 'turn-2', number: 2 },
    snippet: { text: 'keep the list in a file', marks: [[9, 13]] },
    canFork: true,
    ...changes,
  }
}

export function makeAnswer(query: string, results: readonly SearchResult[], changes: Partial<SearchAnswer> = {}): SearchAnswer {
  return {
    query,
    engine: 'builtin',
    mode: 'hybrid',
    results,
    notes: results.length === 0 ? ['No session is about this.'] : [],
    index: {
      sessions: 4,
      indexedSessions: 4,
      turns: 9,
      chunks: 12,
      complete: true,
      running: false,
      model: 'static',
      embedded: 1,
    },
    ...changes,
  }
}
