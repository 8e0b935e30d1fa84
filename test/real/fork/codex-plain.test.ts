import { agentScenarios } from '../codex/scenarios/agents.ts'
import { hookScenarios } from '../codex/scenarios/hooks.ts'
import { plainScenarios } from '../codex/scenarios/plain.ts'
import { runCodexForks } from './codex-forks.ts'

runCodexForks('Forks of Codex threads', [...plainScenarios, ...agentScenarios, ...hookScenarios])
