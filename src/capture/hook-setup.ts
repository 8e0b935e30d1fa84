// Installing, removing and examining the hooks of all agents: one agent whose settings cannot be changed does not keep the others
// from it.
import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Agent } from '../agents/agent.ts'
import type { AgentEnv } from '../agents/agent-env.ts'
import type { HookChange, HookCommand, HookScope } from '../agents/hooks.ts'
import type { HookOutcome, HookRequest, HookStatus } from '../model/capture.ts'
import type { Check } from '../model/catalog.ts'
import { AppError } from '../model/error.ts'
import type { AgentId } from '../model/session.ts'
import type { Git } from '../snapshots/git.ts'
import { findRepositoryIfAny } from '../snapshots/repository.ts'

export interface HookContext {
  readonly agents: readonly Agent[]
  readonly env: AgentEnv
  readonly cwd: string
  readonly git: Git
  readonly command: HookCommand
}

export async function installHooks(context: HookContext, request: HookRequest = {}): Promise<HookOutcome[]> {
  const agents = request.agents === undefined ? await presentAgents(context) : named(context, request)
  if (agents.length === 0) {
    throw new AppError('tool_missing', 'No agent is installed here.', {
      hint: 'Install Claude Code or Codex first, or name one with `--agent`.',
    })
  }
  return changeHooks(context, request, agents, ({ hooks }, scope) => hooks.install(context.env, scope, context.command))
}

export async function uninstallHooks(context: HookContext, request: HookRequest = {}): Promise<HookOutcome[]> {
  return changeHooks(context, request, named(context, request), ({ hooks }, scope) => hooks.uninstall(context.env, scope))
}

export async function hookStatus(context: HookContext, request: HookRequest = {}): Promise<HookStatus[]> {
  const scope = await scopeOf(context, request)
  return Promise.all(named(context, request).map(({ hooks }) => hooks.status(context.env, scope, context.command)))
}

/** For everything, or for the project one stands in. */
export async function hasHooks(context: HookContext, id: AgentId): Promise<boolean> {
  for (const { hooks } of named(context, { agents: [id] })) {
    const user = await hooks.status(context.env, await scopeOf(context, {}), context.command)
    if (user.state === 'installed' || (await projectStatus(context, hooks))?.state === 'installed') return true
  }
  return false
}

/** For `doctor`: of agents that are here, are their turns captured. */
export async function checkHooks(context: HookContext): Promise<Check[]> {
  const agents = await presentAgents(context)
  return Promise.all(agents.map((agent) => checkAgentHooks(context, agent)))
}

async function checkAgentHooks(context: HookContext, { hooks, id, label }: Agent): Promise<Check> {
  const user = await hooks.status(context.env, await scopeOf(context, {}), context.command)
  const project = user.state === 'installed' ? null : await projectStatus(context, hooks)
  const best = project === null || project.state === 'absent' ? user : project
  const where = `${best.scope === 'project' ? 'in this project' : 'everywhere'}, by ${best.way} in ${best.file}`
  const message = `${label}: ${best.message} (${best.state === 'installed' ? where : best.file})`
  if (best.state === 'installed') return { id: `${id}.hooks`, state: 'ok', message, fix: null }
  if (best.state === 'not_run') {
    return { id: `${id}.hooks`, state: 'warn', message, fix: 'Change what it says: installing again does not.' }
  }
  const flags = `--agent ${id}${best.scope === 'project' ? ' --project' : ''}`
  return { id: `${id}.hooks`, state: 'warn', message, fix: `Run \`offshoot hooks install ${flags}\`.` }
}

/** `null` where it cannot be told what the project is: without git, say, which has a check of its own. */
async function projectStatus(context: HookContext, hooks: Agent['hooks']): Promise<HookStatus | null> {
  try {
    return await hooks.status(context.env, await scopeOf(context, { project: true }), context.command)
  } catch (error) {
    if (error instanceof AppError) return null
    throw error
  }
}

async function changeHooks(
  context: HookContext,
  request: HookRequest,
  agents: readonly Agent[],
  change: (agent: Agent, scope: HookScope) => Promise<HookChange>,
): Promise<HookOutcome[]> {
  const scope = await scopeOf(context, request)
  const outcomes: HookOutcome[] = []
  for (const agent of agents) {
    const [done, error] = await attempt(() => change(agent, scope))
    const status = await agent.hooks.status(context.env, scope, context.command)
    outcomes.push({ status, ...(done ?? { changed: false, files: [], notes: [] }), error })
  }
  return outcomes
}

async function attempt<T>(work: () => Promise<T>): Promise<[T | null, AppError | null]> {
  try {
    return [await work(), null]
  } catch (error) {
    if (error instanceof AppError) return [null, error]
    throw error
  }
}

/** Installed, or used before: its folder is there. */
async function presentAgents({ agents, env }: HookContext): Promise<Agent[]> {
  const present = await Promise.all(
    agents.map(async (agent) => existsSync(dirname(agent.sessionsFolder(env))) || (await agent.abilities(env)).installed),
  )
  return agents.filter((_, index) => present[index])
}

function named({ agents }: HookContext, { agents: ids }: HookRequest): Agent[] {
  return agents.filter(({ id }) => ids === undefined || ids.includes(id))
}

/** A project is the work tree one stands in; without git the folder itself. */
async function scopeOf({ git, cwd }: HookContext, { project }: HookRequest): Promise<HookScope> {
  const [repository, error] = await attempt(() => findRepositoryIfAny(git, cwd))
  if (project !== true) return { kind: 'user', root: repository?.root ?? cwd }
  if (error !== null) throw error
  return { kind: 'project', root: repository?.root ?? cwd }
}
