import { textScenarios } from '../codex/scenarios/texts.ts'
import { runCodexForks } from './codex-forks.ts'

runCodexForks('Forks of Codex: texts', textScenarios)
