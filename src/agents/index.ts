// The one list of agents: adding an agent is one folder and one line here.
import type { Agent } from './agent.ts'
import { claude } from './claude/index.ts'
import { codex } from './codex/index.ts'

export const builtinAgents: readonly Agent[] = [claude, codex]
