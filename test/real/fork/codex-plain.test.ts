import { plainScenarios } from '../codex/scenarios/plain.ts'
import { runCodexForks } from './codex-forks.ts'

runCodexForks('Forks of Codex: plain', plainScenarios)
