// A remembered fork in the shape every face shows.
import type { Fork, ForkEntry } from '../model/fork.ts'
import type { ForkRecord } from '../store/forks.ts'
import type { Store } from '../store/store.ts'

export function toFork(store: Store, record: ForkRecord): Fork {
  const workspace = record.workspaceId === null ? null : store.workspaces.get(record.workspaceId)
  const { id, agent, strategy, title, file, parent, command } = record
  return {
    id,
    agent,
    sessionId: record.sessionId ?? '',
    strategy,
    title,
    file,
    parent,
    workspace: workspace === null ? null : { path: workspace.path, branch: workspace.branch, baseCommit: workspace.baseCommit },
    command,
  }
}

export function toEntry(store: Store, record: ForkRecord): ForkEntry {
  return { fork: toFork(store, record), proof: record.proof, state: record.state, createdAt: record.createdAt }
}
