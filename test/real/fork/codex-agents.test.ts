import { agentScenarios } from '../codex/scenarios/agents.ts'
import { runCodexForks } from './codex-forks.ts'

runCodexForks('Forks of Codex: agents', agentScenarios)
