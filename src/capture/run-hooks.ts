// Hooks for one run that offshoot itself opens: given along with the command where none are installed, so that a workspace is
// captured without any set-up.
import type { Agent } from '../agents/agent.ts'
import type { HookScope } from '../agents/hooks.ts'
import type { HookContext } from './hook-setup.ts'

export async function flagsForRun(
  { env, command }: Pick<HookContext, 'env' | 'command'>,
  folder: string,
  agent: Agent,
  root: string,
): Promise<readonly string[]> {
  const scopes: readonly HookScope[] = [{ kind: 'user' }, { kind: 'project', root }]
  for (const scope of scopes) {
    if ((await agent.hooks.status(env, scope, command)).state === 'installed') return []
  }
  return agent.hooks.forRun(env, command, folder)
}
