// Puts to each turn of a list what was captured of it. Turns a fork inherited were captured under its parent.
import type { Capture, TurnSnapshot } from '../model/capture.ts'
import type { Session, Turn } from '../model/session.ts'
import type { Store } from '../store/store.ts'
import { pickCapture } from './code-at.ts'
import { findKnown } from './moved-repository.ts'

export function withSnapshots(store: Store, { agent, id }: Pick<Session, 'agent' | 'id'>, turns: readonly Turn[]): Turn[] {
  const own = new Map<string, Capture[]>()
  for (const capture of store.captures.ofSession(agent, id)) {
    if (capture.turnId === null) continue
    own.set(capture.turnId, [...(own.get(capture.turnId) ?? []), capture])
  }
  const commonDirs = new Map<string, string>()
  const whereIs = (commonDir: string) => {
    const now = commonDirs.get(commonDir) ?? findKnown(store, commonDir) ?? commonDir
    commonDirs.set(commonDir, now)
    return now
  }
  return turns.map((turn) => {
    const captures = own.get(turn.id) ?? store.captures.ofTurn(agent, turn.id)
    const capture = pickCapture(captures, id, 'end')
    return { ...turn, snapshot: capture === null ? null : toTurnSnapshot(capture, whereIs) }
  })
}

function toTurnSnapshot(capture: Capture, whereIs: (commonDir: string) => string): TurnSnapshot {
  const { commonDir, root, tree, commit, added, removed, files, notCovered, by, startTree, shared = null } = capture
  const unknown = tree !== null && startTree === null ? { changesUnknown: true as const } : {}
  const place = commonDir === null || root === null ? {} : { place: { commonDir: whereIs(commonDir), root } }
  return { tree, commit, added, removed, files, notCovered, by, shared, ...unknown, ...place }
}
