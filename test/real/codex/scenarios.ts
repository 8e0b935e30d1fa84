// Every real session the tests can make; each runs on both versions unless it says otherwise.

import { agentScenarios } from './scenarios/agents.ts'
import { diskScenarios } from './scenarios/disk.ts'
import { forkScenarios } from './scenarios/forks.ts'
import { hookScenarios } from './scenarios/hooks.ts'
import { plainScenarios } from './scenarios/plain.ts'
import { rewindScenarios } from './scenarios/rewinds.ts'
import type { Scenario } from './scenarios/scenario.ts'
import { terminalScenarios } from './scenarios/terminal.ts'
import { textScenarios } from './scenarios/texts.ts'

export const scenarios: readonly Scenario[] = [
  ...plainScenarios,
  ...forkScenarios,
  ...rewindScenarios,
  ...agentScenarios,
  ...diskScenarios,
  ...hookScenarios,
  ...terminalScenarios,
  ...textScenarios,
]
