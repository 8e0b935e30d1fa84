// Sessions typed into Claude Code in a real terminal, each held against what the model saw.
import { runOracle } from './oracle.ts'
import { typedScenarios } from './scenarios.ts'

runOracle('claude in a terminal', typedScenarios)
