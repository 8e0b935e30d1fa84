// Is each agent's CLI there, which version, and what can it do.
import type { Agent } from '../../agents/agent.ts'
import { isFolder } from '../../lib/is-folder.ts'
import type { Check } from '../../model/catalog.ts'
import type { CatalogContext } from '../context.ts'

export async function checkAgents(context: CatalogContext): Promise<Check[]> {
  return Promise.all(context.agents.map((agent) => checkAgent(context, agent)))
}

async function checkAgent({ env }: CatalogContext, agent: Agent): Promise<Check> {
  const { installed, version, path, fork, forkAtTurn, hooks, problem } = await agent.abilities(env)
  const folder = agent.sessionsFolder(env)
  const hasFolder = isFolder(folder)
  if (!installed) {
    const where = hasFolder ? `its sessions in ${folder} can be read, but not resumed` : `${folder} does not exist`
    return {
      id: agent.id,
      state: hasFolder ? 'warn' : 'ok',
      message: `${agent.label} is not installed; ${where}`,
      fix: hasFolder ? `Install ${agent.label}, or put it on PATH.` : null,
    }
  }
  const abilities = [fork && 'fork', forkAtTurn && 'fork at a turn', hooks && 'hooks'].filter(Boolean).join(', ') || 'none'
  const message = `${agent.label} ${version ?? '(version unknown)'} at ${path ?? '?'}; can: ${abilities}`
  if (problem !== null)
    return { id: agent.id, state: 'warn', message: `${message}; ${problem}`, fix: `Run \`${agent.id} --version\` yourself.` }
  if (!fork)
    return { id: agent.id, state: 'warn', message, fix: `Update ${agent.label}: this version cannot fork a session itself.` }
  return { id: agent.id, state: 'ok', message, fix: null }
}
