// qmd on the benchmark's sessions, each one document: as its `search` command answers (all words wanted), and as offshoot's qmd
// engine asks it without models (any word). All queries are asked at once, a process for each would take minutes.
import { createQmdPeer } from '../peers-qmd.ts'
import type { System } from './baselines.ts'
import type { BenchQuery, BenchSession } from './data.ts'

export async function createQmdSystems(sessions: readonly BenchSession[], queries: readonly BenchQuery[]) {
  const texts = sessions.map(({ session_id: id, messages }) => ({
    id,
    text: messages
      .filter(({ role }) => role !== 'tool')
      .map(({ text }) => text)
      .join('\n\n'),
  }))
  const peer = await createQmdPeer(texts)
  try {
    const asked = queries.map(({ query }) => query)
    const system = async (how: 'search' | 'lex'): Promise<System> => {
      const answers = await peer.rank(asked, how)
      const byQuery = new Map(asked.map((query, at) => [query, [...(answers[at] ?? [])]]))
      return async (query) => byQuery.get(query) ?? []
    }
    return { 'qmd search': await system('search'), 'qmd, any word': await system('lex') }
  } finally {
    peer.close()
  }
}
