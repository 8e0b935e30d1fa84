// What `doctor` examines beyond offshoot's own folder: the agents, their sessions, git, the index, what is about to be purged.
import type { Check } from '../../model/catalog.ts'
import type { CatalogContext } from '../context.ts'
import type { RefreshOutcome } from '../refresh.ts'
import { checkAgents } from './agents.ts'
import { checkIndex } from './index-check.ts'
import { checkPurge } from './purge.ts'
import { checkSessions } from './sessions.ts'
import { checkGit } from './tools.ts'

export async function runChecks(context: CatalogContext, refresh: () => Promise<RefreshOutcome>): Promise<Check[]> {
  const [agents, git] = await Promise.all([checkAgents(context), checkGit(context)])
  const { checks, outcome } = await checkIndex(context, refresh)
  const rest = outcome === null ? [] : [...checkSessions(context, outcome), ...checkPurge(context)]
  return [...agents, git, ...checks, ...rest]
}
