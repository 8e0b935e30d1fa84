// Nothing fits: says so, and the next thing to try. Never just silence.
import type { App } from '../../app.ts'
import type { SearchAnswer, SearchQuery } from '../../model/search.ts'
import type { Context } from '../context.ts'

export async function explainNothing(context: Context, app: App, query: SearchQuery, answer: SearchAnswer): Promise<void> {
  const { out } = context
  if (answer.index.sessions === 0) return (await import('../empty.ts')).explainNoSessions(context, {})
  for (const line of await suggest(app, query)) out.note(line)
}

async function suggest(app: App, query: SearchQuery): Promise<string[]> {
  const { repo, minScore, agent, ...rest } = query
  const tries = [
    { without: { repo, agent, ...rest }, is: minScore !== undefined && minScore > 0, flag: 'a lower --min-score' },
    { without: { minScore, agent, ...rest }, is: repo !== undefined, flag: '--all' },
    { without: { repo, minScore, ...rest }, is: agent !== undefined, flag: 'both agents (without --agent)' },
  ]
  for (const { without, is, flag } of tries) {
    if (!is || query.engine === 'qmd') continue
    const given = Object.fromEntries(Object.entries(without).filter(([, value]) => value !== undefined))
    const { results } = await app.search({ ...given, text: query.text }, { updateMs: 0 })
    const best = results[0]
    if (best !== undefined) return [`With ${flag}: ${results.length} found, the best with a score of ${best.score.toFixed(2)}.`]
  }
  if (query.file !== undefined)
    return ['Files are those that sessions read or edited; the end of a path is enough: --file app.ts']
  return ['Try other words (each may match, not all must), fewer quotes or filters, or look through: offshoot sessions']
}
