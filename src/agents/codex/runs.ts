// How Codex is run by workers: headless, in a pane, and by a command of the person's own.
import type { AgentRuns } from '../runs.ts'
import { baseCommand, commandWith } from './base-command.ts'
import { converse } from './headless.ts'
import { createServers } from './headless-servers.ts'
import { pane } from './pane.ts'

/** Of this process: conversations that ask for the same share one. */
const servers = createServers()

export const codexRuns: AgentRuns = {
  converse: (env, request) => converse(servers, env, request),
  pane,
  baseCommand,
  sessionIdIn: () => null, // Codex names its sessions itself
  commandWith,
}
