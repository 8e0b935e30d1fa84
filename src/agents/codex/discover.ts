// Finds every Codex thread by the names of its files; nothing is opened. Codex itself finds threads this way too (its
// databases are only derived from the files, and may be missing).
import { statSync } from 'node:fs'
import { errorMessage } from '../../lib/error-message.ts'
import type { OnProblem, SessionFile } from '../agent.ts'
import type { AgentEnv } from '../agent-env.ts'
import { listRollouts, newestFirst, parsePaths, type RolloutName } from './rollout-files.ts'

export function* discover(env: AgentEnv, onProblem?: OnProblem): Generator<SessionFile> {
  const threads = new Map<string, RolloutName[]>()
  for (const rollout of listRollouts(env, onProblem)) {
    const files = threads.get(rollout.threadId)
    if (files === undefined) threads.set(rollout.threadId, [rollout])
    else files.push(rollout)
  }
  for (const [id, files] of threads) {
    const session = describeThread(id, files, onProblem)
    if (session !== undefined) yield session
  }
}

export function arrangeFiles(paths: readonly string[]): Pick<SessionFile, 'path' | 'olderPaths'> {
  const [live, ...older] = newestFirst(parsePaths(paths)).map(({ path }) => path)
  return { path: live ?? paths[0] ?? '', olderPaths: older }
}

function describeThread(id: string, files: RolloutName[], onProblem?: OnProblem): SessionFile | undefined {
  const ordered = files.length === 1 ? files : newestFirst(files)
  for (const [index, { path, archived }] of ordered.entries()) {
    const stat = statFile(path, onProblem)
    if (stat === undefined) continue
    const olderPaths = ordered.slice(index + 1).map((file) => file.path)
    const { size, mtimeMs, ino } = stat
    return { agent: 'codex', id, path, bytes: size, modifiedAt: Math.trunc(mtimeMs), inode: ino, archived, olderPaths }
  }
  return undefined
}

/** `undefined` for what is no file: a folder may be named like a rollout. */
function statFile(path: string, onProblem?: OnProblem) {
  try {
    const stat = statSync(path)
    return stat.isFile() ? stat : undefined
  } catch (error) {
    onProblem?.(path, errorMessage(error))
    return undefined
  }
}
