// Where Claude Code keeps its files: `$CLAUDE_CONFIG_DIR`, else `.claude` in the home folder.
import { join } from 'node:path'
import type { AgentEnv } from '../agent-env.ts'

export function configFolder(env: AgentEnv): string {
  return env.vars.CLAUDE_CONFIG_DIR || join(env.home, '.claude')
}

export function projectsFolder(env: AgentEnv): string {
  return join(configFolder(env), 'projects')
}
