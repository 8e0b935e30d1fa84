// Which threads build on another one's file: a paginated fork refers to its parent's lines instead of copying them.
import { AppError } from '../../model/error.ts'
import type { SessionFile } from '../agent.ts'
import type { AgentEnv } from '../agent-env.ts'
import { discover } from './discover.ts'
import { resolveHistory } from './history.ts'
import { timeOfId } from './rollout-files.ts'

export function listDependents(file: SessionFile, env: AgentEnv): SessionFile[] {
  const own = new Set([file.path, ...file.olderPaths])
  return [...discover(env)].filter((each) => each.id !== file.id && isYounger(each.id, file.id) && buildsOn(each, own, env))
}

/** Ids begin with their time: whatever is older cannot refer to this one, and its file need not be opened. */
function isYounger(id: string, other: string): boolean {
  const [one, two] = [timeOfId(id), timeOfId(other)]
  return one === null || two === null || one >= two
}

function buildsOn({ path }: SessionFile, paths: ReadonlySet<string>, env: AgentEnv): boolean {
  try {
    return resolveHistory(path, env).parts.some((part) => paths.has(part.path))
  } catch (error) {
    if (error instanceof AppError && error.code === 'unreadable') return false
    throw error
  }
}
