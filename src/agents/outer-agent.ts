// Variables that an agent sets for what it runs: an agent that offshoot starts from inside another one must not take them for its
// own. (Seen in the shells and MCP servers of Claude Code 2.1.197 to 2.1.325 and Codex 0.142 to 0.166.)
import type { AgentEnv } from './agent-env.ts'

export const outerAgentVars: readonly string[] = [
  'CLAUDECODE',
  'CLAUDE_CODE_CHILD_SESSION',
  'CLAUDE_CODE_ENTRYPOINT',
  'CLAUDE_CODE_MESSAGING_SOCKET',
  'CLAUDE_CODE_MESSAGING_TOKEN',
  'CLAUDE_CODE_SESSION_ID',
  'CLAUDE_CODE_SSE_PORT',
  'CLAUDE_EFFORT',
  'CLAUDE_ENV_FILE',
  'CLAUDE_PID',
  'CLAUDE_PROJECT_DIR',
  'CODEX_THREAD_ID',
  'CODEX_SESSION_ID',
  'CODEX_TOOL_CALL_ID',
  'CODEX_SANDBOX',
  'CODEX_SANDBOX_NETWORK_DISABLED',
  'CODEX_CI',
  'OFFSHOOT_INTERNAL',
]

/** The environment of an agent's own process: without those, with what is asked for in addition. */
export function innerVars(vars: AgentEnv['vars'], additions: Readonly<Record<string, string>>): AgentEnv['vars'] {
  const kept = Object.entries(vars).filter(([name]) => !outerAgentVars.includes(name))
  return { ...Object.fromEntries(kept), ...additions }
}
