// Turns nobody told of, though hooks are there: Codex compacting, or hooks that never ran. Where the very next turn's beginning was seen, that
// is the state such a turn left, with whatever the person did in between: captured late, under a ref of its own like any other.
import type { Capture } from '../model/capture.ts'
import type { AgentId, Turn } from '../model/session.ts'
import { readSnapshot } from '../snapshots/read-snapshot.ts'
import { isSafeId, type Snapshot, snapshotRef } from '../snapshots/snapshot.ts'
import { writeMeta } from '../snapshots/write-meta.ts'
import { briefPrompt } from './brief-prompt.ts'
import type { CaptureContext } from './context.ts'
import { isKept, type KeptCapture, toCapture, withChanges } from './to-capture.ts'

export interface Missed {
  readonly turn: Turn
  /** Holds the code as the turn left it. */
  readonly seen: KeptCapture
  /** When that was. */
  readonly seenAt: number
  readonly startTree: string | null
}

export async function captureMissed(context: CaptureContext, agent: AgentId, sessionId: string): Promise<void> {
  const store = context.store()
  const [session] = store.sessions.withId(agent, sessionId)
  if (session === undefined) return
  for (const missed of findMissed(store.turns.of(session.key), store.captures.ofSession(agent, sessionId))) {
    const { commonDir } = missed.seen
    const snapshot = await nameMissed(context, missed)
    if (snapshot === null) continue
    const capture = await withChanges(context.git, toCapture(snapshot.meta, { commonDir, ...snapshot }))
    store.write(() => store.captures.put(capture))
  }
}

export function findMissed(turns: readonly Turn[], captures: readonly Capture[]): Missed[] {
  // One whose turn is not known yet may be of the very turn that seems to have none.
  if (captures.some(({ turnId }) => turnId === null)) return []
  const of = (turn: Turn, moment: Capture['moment']) =>
    captures.filter(isKept).find((each) => each.turnId === turn.id && each.moment === moment)
  const live = turns.filter(({ number }) => number !== null).sort((a, b) => (a.number ?? 0) - (b.number ?? 0))
  return live.flatMap((turn, at) => {
    const next = live[at + 1]
    if (next === undefined || !isSafeId(turn.id) || captures.some(({ turnId }) => turnId === turn.id)) return []
    // From before there were hooks: what stood there then is anyone's guess.
    if (!live.slice(0, at).some((each) => of(each, 'end') !== undefined)) return []
    const seenAt = next.startedAt
    if (seenAt === null || !isNextInTime(turns, turn, next)) return []
    const last = live[at - 1]
    const before = last && of(last, 'end')
    // A beginning without a snapshot may only be taken to be what the turn before left: enough where no agent was at work.
    const same = turn.prompt === '' && before?.tree === of(next, 'end')?.startTree ? before : undefined
    const seen = of(next, 'start') ?? same
    if (seen === undefined) return []
    return [{ turn, seen, seenAt, startTree: before?.root === seen.root ? before.tree : null }]
  })
}

/** After a rewind, a turn finds what turns on a dead branch left. */
function isNextInTime(turns: readonly Turn[], turn: Turn, next: Turn): boolean {
  const [from, to] = [turn.startedAt, next.startedAt]
  if (from === null || to === null) return false
  return turns.every(({ startedAt }) => startedAt === null || startedAt <= from || startedAt >= to)
}

/** `null` where what was seen is gone, or the repository cannot be written. */
async function nameMissed({ git }: CaptureContext, { turn, seen, seenAt, startTree }: Missed): Promise<Snapshot | null> {
  const { agent, sessionId, commonDir } = seen
  const name = { agent, sessionId, turnKey: turn.id, moment: 'end' } as const
  const ref = snapshotRef(name)
  try {
    const earlier = await readSnapshot(git, commonDir, ref) // cut off before the row was stored
    const found = seen.ref === null ? null : await readSnapshot(git, commonDir, seen.ref)
    if (earlier !== null || found === null) return earlier
    const prompt = await briefPrompt(turn.prompt)
    const told = { turnId: turn.id, turnNumber: turn.number, prompt, by: 'late', startedAt: turn.startedAt } as const
    return await writeMeta(git, commonDir, found, { ...found.meta, ...name, ...told, endedAt: seenAt, startTree }, ref)
  } catch {
    return null
  }
}
