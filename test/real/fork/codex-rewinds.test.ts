import { rewindScenarios } from '../codex/scenarios/rewinds.ts'
import { runCodexForks } from './codex-forks.ts'

runCodexForks('Forks of Codex: rewinds', rewindScenarios)
