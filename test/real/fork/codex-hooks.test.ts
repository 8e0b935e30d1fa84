import { hookScenarios } from '../codex/scenarios/hooks.ts'
import { runCodexForks } from './codex-forks.ts'

runCodexForks('Forks of Codex: hooks', hookScenarios)
