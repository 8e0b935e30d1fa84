// How Claude Code is run by workers: headless, in a pane, and by a command of the person's own.
import type { AgentRuns } from '../runs.ts'
import { baseCommand, commandWith, sessionIdIn } from './base-command.ts'
import { converse } from './headless.ts'
import { pane } from './pane.ts'

export const claudeRuns: AgentRuns = { converse, pane, baseCommand, sessionIdIn, commandWith }
