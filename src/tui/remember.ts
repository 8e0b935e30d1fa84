// Tabs and layout, to be there again next time. Only names of sessions: what is in them comes from the agents' files (IN7).
import writeFileAtomic from 'write-file-atomic'
import { loadRegularText } from '../lib/regular-file.ts'
import { modelNameProblem } from '../model/model-name.ts'
import { type AgentId, agentIds } from '../model/session.ts'
import type { TuiState } from './state.ts'

export interface Remembered {
  readonly shown: string
  readonly scope: 'repository' | 'all'
  readonly agent: AgentId | null
  readonly tabs: readonly {
    readonly agent: AgentId
    readonly sessionId: string
    readonly title: string
    readonly cwd: string
    readonly branch: string | null
    readonly model: { readonly name: string | null } | null
  }[]
}

const mostTabs = 30

export async function rememberLayout(path: string, { shown, sessions, tabs }: TuiState): Promise<void> {
  const layout: Remembered = {
    shown,
    scope: sessions.scope,
    agent: sessions.agent,
    tabs: tabs.slice(-mostTabs).map(({ agent, sessionId, title, cwd, branch, model }) => ({
      agent,
      sessionId,
      title,
      cwd,
      branch,
      model,
    })),
  }
  await writeFileAtomic(path, JSON.stringify(layout), { mode: 0o600 })
}

/** `null`: none, or one that cannot be read: then it begins anew. */
export async function recallLayout(path: string): Promise<Remembered | null> {
  const text = await loadRegularText(path).catch(() => null)
  if (text === null) return null
  try {
    return checkLayout(JSON.parse(text))
  } catch (error) {
    if (error instanceof SyntaxError) return null
    throw error
  }
}

function checkLayout(given: unknown): Remembered | null {
  if (typeof given !== 'object' || given === null || !('tabs' in given) || !Array.isArray(given.tabs)) return null
  const { shown, scope, agent, tabs } = given as Partial<Remembered>
  const isTab = (tab: unknown): tab is Remembered['tabs'][number] => {
    if (typeof tab !== 'object' || tab === null) return false
    const fields = tab as Record<string, unknown>
    return (
      agentIds.includes(fields.agent as AgentId) &&
      ['sessionId', 'title', 'cwd'].every((name) => typeof fields[name] === 'string')
    )
  }
  return {
    shown: typeof shown === 'string' ? shown : 'sessions',
    scope: scope === 'all' ? 'all' : 'repository',
    agent: agent !== undefined && agentIds.includes(agent as AgentId) ? agent : null,
    tabs: (tabs ?? []).filter(isTab).map((tab) => ({
      ...tab,
      branch: typeof tab.branch === 'string' ? tab.branch : null,
      model: checkModel(tab.model),
    })),
  }
}

/** What was chosen for the tab; what cannot be a model is forgotten. */
function checkModel(given: unknown): Remembered['tabs'][number]['model'] {
  if (typeof given !== 'object' || given === null || !('name' in given)) return null
  const { name } = given
  if (name === null) return { name }
  return typeof name === 'string' && modelNameProblem(name) === null ? { name } : null
}
