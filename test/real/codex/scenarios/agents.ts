// Scenarios with subagents. Their tools are deferred behind tool search; both versions can be driven to them offline.
import { execNew, execResume } from '../exec.ts'
import type { CodexHome } from '../home.ts'
import { execTurns } from './plain.ts'
import type { Scenario } from './scenario.ts'

/** The subagent's own requests name its parent. */
function subagentOf(home: CodexHome, parentId: string): string {
  const request = home.api.requests.find(({ headers }) => headers['x-codex-parent-thread-id'] === parentId)
  if (!request) throw new Error(`no subagent of ${parentId} has asked the API anything`)
  return request.threadId
}

export const agentScenarios: readonly Scenario[] = [
  {
    name: 'tool search and a subagent',
    always: ['0.142.0'],
    make: (home) => execTurns(home, ['Which tools? [[tools: spawn agent]]', 'Delegate [[agent: Count the files]]', 'And now?']),
  },
  {
    name: 'subagent itself',
    always: ['0.166.0'],
    make: async (home) => {
      const parentId = await execNew(home, 'Delegate [[agent: Count the files]]')
      return { threadId: subagentOf(home, parentId), turns: [{ prompt: 'Count the files' }] }
    },
  },
  {
    // Both versions copy the parent's prompts into the subagent's file, but not its answers; 0.166 does not list those turns.
    name: 'subagent that knows its parent',
    always: ['0.166.0'],
    make: async (home) => {
      const parentId = await execNew(home, 'First this')
      await execResume(home, parentId, 'Delegate [[heir: Count the files]]')
      const delegated = home.api.requestsOf(parentId).at(-1)?.turnId ?? null
      return {
        threadId: subagentOf(home, parentId),
        turns: [
          { prompt: 'First this' },
          { prompt: 'Delegate [[heir: Count the files]]', state: 'interrupted' },
          { prompt: 'Count the files' },
        ],
        parent: { threadId: parentId, turnId: delegated, inherited: 2 },
        copiesPart: true,
        ...(home.version === '0.166.0' && { unlisted: 2 }),
      }
    },
  },
]
