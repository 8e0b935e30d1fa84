import { printScenarios } from '../claude/scenarios.ts'
import { runClaudeForks } from './claude-forks.ts'

runClaudeForks('Forks of Claude Code', printScenarios)
