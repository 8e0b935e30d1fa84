// The command of a session in a workspace of ours, with hooks for that run where none are installed.
import type { CommandSpec } from '../model/fork.ts'
import type { AgentId } from '../model/session.ts'
import { agentOf, type ForkContext } from './context.ts'

/** Right behind the program's name: there both agents take them, whatever follows. */
export async function withRunHooks(
  context: ForkContext,
  agentId: AgentId,
  root: string,
  command: CommandSpec,
): Promise<CommandSpec> {
  const flags = (await context.hookFlags?.(agentOf(context, agentId), root)) ?? []
  const [program = '', ...words] = command.argv
  return { ...command, argv: [program, ...flags, ...words] }
}
