// Work trees and meta for snapshots in tests; apart from vitest, which a process of its own must not load.
import { findRepository, type WorkTree } from '../../src/snapshots/repository.ts'
import type { SnapshotRequest } from '../../src/snapshots/take-snapshot.ts'
import { testGit } from './scratch.ts'

export const testMeta: SnapshotRequest['meta'] = {
  agent: 'claude',
  sessionId: 'session-1',
  moment: 'end',
  turnKey: 'turn-1',
  turnId: null,
  turnNumber: 1,
  prompt: 'do it',
  by: 'hook',
  startedAt: 1,
  endedAt: 2,
  startTree: null,
}

export async function openWorkTree(root: string): Promise<WorkTree> {
  const found = await findRepository(testGit(), root)
  if (found.root === null) throw new Error(`no work tree in ${root}`)
  return { ...found, root: found.root }
}
