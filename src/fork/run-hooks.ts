// The command of a session in a workspace of ours, with hooks for that run where none are installed.
import { agentOf } from '../agents/agent-of.ts'
import { fileErrorCode } from '../lib/file-errors.ts'
import { AppError } from '../model/error.ts'
import type { CommandSpec } from '../model/fork.ts'
import type { AgentId } from '../model/session.ts'
import type { ForkContext } from './context.ts'

/**
 * Before the first flag, behind the program and its command: Codex 0.142 forgets settings that stand before `resume` when
 * others follow it.
 */
export async function withRunHooks(
  context: ForkContext,
  agentId: AgentId,
  root: string,
  command: CommandSpec,
): Promise<CommandSpec> {
  const flags = await findFlags(context, agentId, root)
  const { argv } = command
  const first = argv.findIndex((word) => word.startsWith('--'))
  const at = first === -1 ? argv.length : first
  return { ...command, argv: [...argv.slice(0, at), ...flags, ...argv.slice(at)] }
}

/** The session is made by now: settings that cannot be read or written cost the capture, not the session. */
async function findFlags(context: ForkContext, agentId: AgentId, root: string): Promise<readonly string[]> {
  try {
    return (await context.hookFlags?.(agentOf(context, agentId), root)) ?? []
  } catch (error) {
    if (error instanceof AppError || fileErrorCode(error) !== undefined) return []
    throw error
  }
}
