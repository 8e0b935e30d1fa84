// Every real session the tests can make; each runs on both versions unless it says otherwise.
import type { Scenario } from './scenario.ts'
import { agentScenarios } from './scenarios-agents.ts'
import { branchScenarios } from './scenarios-branch.ts'
import { diskScenarios } from './scenarios-disk.ts'
import { hookScenarios } from './scenarios-hooks.ts'
import { plainScenarios } from './scenarios-plain.ts'
import { terminalScenarios } from './scenarios-terminal.ts'
import { textScenarios } from './scenarios-texts.ts'

export const scenarios: readonly Scenario[] = [
  ...plainScenarios,
  ...branchScenarios,
  ...agentScenarios,
  ...diskScenarios,
  ...hookScenarios,
  ...terminalScenarios,
  ...textScenarios,
]
