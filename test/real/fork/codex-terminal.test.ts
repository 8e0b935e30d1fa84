import { terminalScenarios } from '../codex/scenarios/terminal.ts'
import { runCodexForks } from './codex-forks.ts'

runCodexForks('Forks of Codex: terminal', terminalScenarios)
