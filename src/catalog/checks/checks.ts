// What `doctor` examines beyond offshoot's own folder: the agents, their sessions, git, the index, what is about to be purged.
import { runChecksApart } from '../../lib/checks-apart.ts'
import type { Check } from '../../model/catalog.ts'
import type { CatalogContext } from '../context.ts'
import type { RefreshOutcome } from '../refresh.ts'
import { checkAgents } from './agents.ts'
import { checkIndex } from './index-check.ts'
import { checkPurge } from './purge.ts'
import { checkSessions } from './sessions.ts'
import { checkGit } from './tools.ts'

export function runChecks(
  context: CatalogContext,
  refresh: () => Promise<RefreshOutcome>,
  guarded: <T>(work: () => Promise<T>) => Promise<T>,
): Promise<readonly Check[]> {
  return runChecksApart({
    agents: () => checkAgents(context),
    git: () => checkGit(context),
    index: () => guarded(() => checkStored(context, refresh)),
  })
}

async function checkStored(context: CatalogContext, refresh: () => Promise<RefreshOutcome>): Promise<readonly Check[]> {
  const { checks, outcome } = await checkIndex(context, refresh)
  return outcome === null ? checks : [...checks, ...checkSessions(context, outcome), ...checkPurge(context)]
}
