import { diskScenarios } from '../codex/scenarios/disk.ts'
import { terminalScenarios } from '../codex/scenarios/terminal.ts'
import { textScenarios } from '../codex/scenarios/texts.ts'
import { runCodexForks } from './codex-forks.ts'

runCodexForks('Forks of other Codex threads', [...diskScenarios, ...terminalScenarios, ...textScenarios])
