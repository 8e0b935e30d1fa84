// Which sessions the agent will soon delete by itself, and whether we hold a copy.
import type { Agent } from '../../agents/agent.ts'
import type { Check } from '../../model/catalog.ts'
import { archiveAfterMs, findDue } from '../archive.ts'
import type { CatalogContext } from '../context.ts'

const dayMs = 86_400_000

export function checkPurge(context: CatalogContext): Check[] {
  return context.agents.flatMap((agent) => {
    const days = agent.purgeAfterDays?.(context.env) ?? null
    return days === null ? [] : [checkAgentPurge(context, agent, days)]
  })
}

function checkAgentPurge(context: CatalogContext, agent: Agent, days: number): Check {
  const id = `${agent.id}.retention`
  const dueMs = Math.min(archiveAfterMs, (days * dayMs) / 2)
  const due = findDue(context, dueMs).filter((session) => session.agent === agent.id)
  const rule = `${agent.label} deletes sessions untouched for ${days} days`
  if (due.length === 0)
    return { id, state: 'ok', message: `${rule}; every one older than ${Math.round(dueMs / dayMs)} days is archived`, fix: null }
  const near = due.filter(({ modifiedAt }) => modifiedAt <= context.now() - (days - 7) * dayMs).length
  const message = `${rule}; not in our archive: ${due.length}, of which within a week: ${near}`
  return {
    id,
    state: 'warn',
    message,
    fix: 'Run `offshoot doctor --fix` to archive them, or raise cleanupPeriodDays in its settings.',
  }
}
