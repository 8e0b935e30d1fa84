// Sessions made by Claude Code in print mode, each held against what the model saw.
import { runOracle } from './oracle.ts'
import { printScenarios } from './scenarios.ts'

runOracle('claude', printScenarios)
