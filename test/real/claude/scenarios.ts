// Every way a real Claude Code session comes about that the harness covers.
import { forkedScenarios } from './scenarios/forked.ts'
import { interruptedScenarios } from './scenarios/interrupted.ts'
import type { Scenario } from './scenarios/scenario.ts'
import { talkScenarios } from './scenarios/talk.ts'
import { wordScenarios } from './scenarios/words.ts'

export { typedScenarios } from './scenarios/typed.ts'

export const printScenarios: readonly Scenario[] = [
  ...talkScenarios,
  ...wordScenarios,
  ...interruptedScenarios,
  ...forkedScenarios,
]
