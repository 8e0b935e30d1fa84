// The step that makes the child's session, by whichever way the plan chose.
import { randomUUID } from 'node:crypto'
import { existsSync, statSync } from 'node:fs'
import type { Agent, SessionFile } from '../agents/agent.ts'
import { agentOf } from '../agents/agent-of.ts'
import type { ForkedFile } from '../agents/forking.ts'
import type { CommandSpec, Cut, Plan } from '../model/fork.ts'
import type { AgentId } from '../model/session.ts'
import type { ForkContext } from './context.ts'
import { fitsArgument } from './notices.ts'
import { seenOf } from './seen.ts'
import type { SessionUndo } from './take-back.ts'

export interface SessionWish {
  readonly forkId: string
  readonly plan: Plan
  readonly cut: Cut
  readonly source: SessionFile
  readonly cwd: string
  readonly title: string
  /** `null` where the agent chooses it. */
  readonly sessionId: string | null
}

export interface MadeSession {
  readonly file: ForkedFile
  readonly details: readonly string[]
}

/** Where the agent takes the id we give it, it is known before anything is made. */
export function chooseSessionId({ agents }: ForkContext, plan: Plan): string | null {
  return agentOf({ agents }, plan.agent).choosesIds ? null : (seenOf(plan).sessionId ?? randomUUID())
}

export async function makeSession(
  context: ForkContext,
  wish: SessionWish,
  undo: SessionUndo,
  amend: (undo: SessionUndo) => void,
): Promise<MadeSession> {
  const { plan, cut, source, cwd, title } = wish
  const agent = agentOf(context, plan.agent)
  if (plan.strategy === 'seed') return (await import('./plant-seed.ts')).plantSeed(context, wish, undo, amend)
  const paths: string[] = []
  const target = {
    sessionId: wish.sessionId ?? randomUUID(),
    cwd,
    title,
    forkedAt: context.now(),
    onCreate(path: string) {
      paths.push(path)
      amend({ ...undo, paths })
      context.onStep?.('session announced')
    },
  }
  const file = await fork(context, agent, plan, source, cut, target)
  amend({ ...undo, find: null, sessionId: file.sessionId, paths: [...paths, ...file.created] })
  return { file, details: [] }
}

async function fork(
  context: ForkContext,
  agent: Agent,
  plan: Plan,
  source: SessionFile,
  cut: Cut,
  target: Parameters<Agent['writePrefix']>[3],
): Promise<ForkedFile> {
  if (plan.strategy === 'prefix') return agent.writePrefix(source, context.env, cut, target)
  if (agent.forkNatively !== undefined) return agent.forkNatively(source, context.env, cut, target)
  // The agent forks when it is launched, under the id it is told.
  return { sessionId: target.sessionId, path: null, created: [] }
}

/** How the child is opened; `withPrompt` only in what is shown now, prompts are not kept. */
export function commandOf(context: ForkContext, plan: Plan, file: ForkedFile, cwd: string, withPrompt: boolean): CommandSpec {
  const agent = agentOf(context, plan.agent)
  const { sessionId, path } = file
  const model = seedModel(plan)
  const opening = {
    ...{ sessionId, cwd },
    ...(model === null ? {} : { model }),
    ...(withPrompt ? promptFor(plan, agent) : {}),
  }
  if (path !== null) return agent.command({ kind: 'resume', ...opening })
  if (plan.strategy === 'native') return agent.command({ kind: 'fork', sourceId: plan.parent.sessionId, ...opening })
  return agent.command({ kind: 'start', ...opening })
}

/** Sent by the command, or waiting in the composer where the user watches the agent open. */
function promptFor(plan: Plan, { prefills = false }: Agent): { readonly prompt?: string; readonly prefill?: string } {
  const { pendingPrompt } = plan
  if (pendingPrompt === undefined || !fitsArgument(pendingPrompt)) return {}
  if (plan.send) return { prompt: pendingPrompt }
  return prefills && plan.terminal === 'here' ? { prefill: pendingPrompt } : {}
}

/** Whether the command sends the pending prompt. */
export function isSentByCommand(plan: Plan): boolean {
  return plan.send && plan.pendingPrompt !== undefined && fitsArgument(plan.pendingPrompt)
}

/** The model a seed is given to: within one agent the parent's; `null`: not a seed, or the agent's default. */
export function seedModel({ agent, parent, model, strategy }: Plan): string | null {
  return strategy === 'seed' && agent === parent.agent ? model : null
}

/** The file as the readers take it. */
export function toSessionFile(agent: AgentId, id: string, path: string): SessionFile {
  const { size: bytes, mtimeMs, ino: inode } = statSync(path)
  return { agent, id, path, bytes, modifiedAt: mtimeMs, inode, archived: false, olderPaths: [] }
}

export function fileBytes(path: string | null): number | null {
  return path === null || !existsSync(path) ? null : statSync(path).size
}
