import { typedScenarios } from '../claude/scenarios.ts'
import { runClaudeForks } from './claude-forks.ts'

runClaudeForks('Forks of typed Claude Code', typedScenarios)
