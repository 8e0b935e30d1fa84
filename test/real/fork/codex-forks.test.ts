import { forkScenarios } from '../codex/scenarios/forks.ts'
import { runCodexForks } from './codex-forks.ts'

runCodexForks('Forks of Codex: forks', forkScenarios)
