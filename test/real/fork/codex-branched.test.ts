import { forkScenarios } from '../codex/scenarios/forks.ts'
import { rewindScenarios } from '../codex/scenarios/rewinds.ts'
import { runCodexForks } from './codex-forks.ts'

runCodexForks('Forks of branched Codex threads', [...forkScenarios, ...rewindScenarios])
