import { diskScenarios } from '../codex/scenarios/disk.ts'
import { runCodexForks } from './codex-forks.ts'

runCodexForks('Forks of Codex: disk', diskScenarios)
