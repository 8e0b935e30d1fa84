// Finds every Codex thread by the names of its files; nothing is opened. Codex itself finds threads this way too (its
// databases are only derived from the files, and may be missing).
import { statSync } from 'node:fs'
import { errorMessage } from '../../lib/error-message.ts'
import type { OnProblem, SessionFile } from '../agent.ts'
import type { AgentEnv } from '../agent-env.ts'
import { listRollouts, type RolloutName } from './rollout-files.ts'

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

function describeThread(id: string, files: RolloutName[], onProblem?: OnProblem): SessionFile | undefined {
  const newestFirst = files.length === 1 ? files : withoutTwins(files.sort(byAge))
  for (const [index, { path, archived }] of newestFirst.entries()) {
    const stat = statFile(path, onProblem)
    if (stat === undefined) continue
    const olderPaths = newestFirst.slice(index + 1).map((file) => file.path)
    const { size, mtimeMs, ino } = stat
    return { agent: 'codex', id, path, bytes: size, modifiedAt: Math.trunc(mtimeMs), inode: ino, archived, olderPaths }
  }
  return undefined
}

/** Newest first; where a file is there packed and plain, the plain one is the one Codex writes to. */
function byAge(a: RolloutName, b: RolloutName): number {
  return (
    compare(b.stamp, a.stamp) ||
    compare(b.segmentId ?? '', a.segmentId ?? '') ||
    Number(a.packed) - Number(b.packed) ||
    compare(a.path, b.path)
  )
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

function withoutTwins(files: RolloutName[]): RolloutName[] {
  return files.filter(({ stamp, segmentId }, index) => {
    const before = files[index - 1]
    return before === undefined || before.stamp !== stamp || before.segmentId !== segmentId
  })
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
