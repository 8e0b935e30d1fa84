// The agent of an id, among those an app was made with.
import type { AgentId } from '../model/session.ts'
import type { Agent } from './agent.ts'

export function agentOf({ agents }: { readonly agents: readonly Agent[] }, id: AgentId): Agent {
  const agent = agents.find((each) => each.id === id)
  if (agent === undefined) throw new Error(`no agent ${id}`)
  return agent
}
