// A remembered fork in the shape every face shows.
import type { Fork, ForkEntry } from '../model/fork.ts'
import type { Started } from '../model/start.ts'
import type { ForkRecord } from '../store/forks.ts'
import type { Store } from '../store/store.ts'

/** A record with a parent: not of a session that was started afresh. */
export type ForkedRecord = ForkRecord & { readonly strategy: Fork['strategy']; readonly parent: Fork['parent'] }

export function isForked(record: ForkRecord): record is ForkedRecord {
  return record.parent !== null && record.strategy !== 'start'
}

export function toFork(store: Store, record: ForkedRecord): Fork {
  const { strategy, parent } = record
  return { ...toStarted(store, record), strategy, parent }
}

export function toStarted(store: Store, { id, agent, sessionId, title, file, command, workspaceId }: ForkRecord): Started {
  const found = workspaceId === null ? null : store.workspaces.get(workspaceId)
  const workspace = found === null ? null : { path: found.path, branch: found.branch, baseCommit: found.baseCommit }
  return { id, agent, sessionId: sessionId ?? '', title, file, workspace, command }
}

export function toEntry(store: Store, record: ForkedRecord): ForkEntry {
  return { fork: toFork(store, record), proof: record.proof, state: record.state, createdAt: record.createdAt }
}
