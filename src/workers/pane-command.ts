// What a pane runs: the agent's own command with the flags of hooks, pane and settings, or a command of the person's own in their
// shell. The first prompt stands in argv behind `--`: there it cannot be lost, and nothing in it is taken for a flag.
import type { Agent } from '../agents/agent.ts'
import type { CommandRequest } from '../agents/forking.ts'
import type { AgentRuns } from '../agents/runs.ts'
import type { CommandSpec } from '../model/fork.ts'
import type { WorkerSettings } from '../model/worker.ts'
import type { Begin, WorkerContext } from './context.ts'
import { runPolicy } from './policy.ts'
import type { SessionToRun } from './session.ts'

/** Linux takes no single argument of 128 KiB or more. */
const argumentBytes = 96 << 10

export interface PaneCommand {
  readonly spec: CommandSpec
  /** As it is remembered and shown: without the prompt. */
  readonly shown: CommandSpec
  /** Whether the prompt is part of it, or has to be sent once the agent is ready. */
  readonly hasPrompt: boolean
}

export async function commandForPane(
  context: Pick<WorkerContext, 'env' | 'hookFlags'>,
  agent: Agent,
  runs: AgentRuns,
  session: Pick<SessionToRun, 'begin' | 'cwd' | 'workspace'>,
  settings: WorkerSettings,
  prompt: string | undefined,
): Promise<PaneCommand> {
  const { begin, cwd, workspace } = session
  if (settings.command !== null) {
    // Where it names this very session already, it stays as it was written.
    const isNamed = begin.kind === 'start' && runs.sessionIdIn(settings.command) === begin.sessionId
    const line = isNamed ? settings.command : runs.commandWith(settings.command, begin)
    const spec = { argv: [context.env.vars.SHELL || '/bin/sh', '-c', line], cwd, env: {} }
    return { spec, shown: spec, hasPrompt: false }
  }
  const flags = [
    ...(workspace === null ? [] : await context.hookFlags(agent, workspace.path)),
    ...runs.pane.flags,
    ...(runs.pane.settingFlags?.({ ...settings, policy: runPolicy(settings) }) ?? []),
  ]
  const shown = withFlags(agent.command(requestOf(begin, cwd)), flags)
  if (prompt === undefined || Buffer.byteLength(prompt) >= argumentBytes) return { spec: shown, shown, hasPrompt: false }
  return { spec: withFlags(agent.command({ ...requestOf(begin, cwd), prompt }), flags), shown, hasPrompt: true }
}

function requestOf(begin: Begin, cwd: string): CommandRequest {
  switch (begin.kind) {
    case 'start':
      return { kind: 'start', sessionId: begin.sessionId, cwd }
    case 'resume':
      return { kind: 'resume', sessionId: begin.sessionId, cwd }
    case 'fork':
      return { kind: 'fork', sourceId: begin.sourceId, sessionId: begin.sessionId, cwd }
  }
}

/** Before the first flag, behind the program and its command: Codex 0.142 forgets settings that stand before `resume`. */
function withFlags(command: CommandSpec, flags: readonly string[]): CommandSpec {
  const { argv } = command
  const first = argv.findIndex((word) => word.startsWith('--'))
  const at = first === -1 ? argv.length : first
  const known = new Set(argv)
  return { ...command, argv: [...argv.slice(0, at), ...flags.filter((flag) => !known.has(flag)), ...argv.slice(at)] }
}
