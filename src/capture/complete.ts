// Finds out which turn a capture is of, and its number, where the hook could not tell: the transcript may not have held the prompt yet. What
// is found goes into the ref too, from which the table is rebuilt.
import { findTurnId } from '../agents/hook-events.ts'
import type { Capture } from '../model/capture.ts'
import type { AgentId, Turn } from '../model/session.ts'
import { readSnapshot } from '../snapshots/read-snapshot.ts'
import { writeMeta } from '../snapshots/write-meta.ts'
import { firstLine } from './brief-prompt.ts'
import type { CaptureContext } from './context.ts'
import { captureMissed } from './missed.ts'

/** A prompt's line is written within moments of the hook being told of it. */
const nearMs = 2000
/** A prompt with the same words: also after it had to wait for its turn. */
const sameWordsMs = 10 * 60_000

export async function completeSession(context: CaptureContext, agent: AgentId, sessionId: string): Promise<void> {
  const store = context.store()
  const captures = store.captures.ofSession(agent, sessionId)
  const [session] = store.sessions.withId(agent, sessionId)
  if (session === undefined) return
  const turns = store.turns.of(session.key)
  for (const capture of captures) {
    const turn = findTurn(captures, turns, capture, session.path)
    if (turn === undefined) continue
    // The hook counts prompts; the transcript knows better. One on a dead branch keeps the number it had.
    const number = turn.number ?? capture.number
    if (turn.id === capture.turnId && number === capture.number) continue
    const snapshot = await amendRef(context, capture, turn)
    store.write(() => {
      // Captured anew meanwhile: then the newer row is completed the next time.
      if (store.captures.get(capture)?.snapshot !== capture.snapshot) return
      // Whose changes are whose is found out by the turn, so again.
      const { shared: _, ...rest } = capture
      store.captures.put({ ...rest, turnId: turn.id, number, snapshot })
    })
  }
  await captureMissed(context, agent, sessionId)
}

function findTurn(captures: readonly Capture[], turns: readonly Turn[], capture: Capture, path: string): Turn | undefined {
  const { agent, turnKey } = capture
  const known = captures.find((each) => each.turnKey === turnKey && each.turnId !== null)?.turnId
  const id = known ?? findTurnId(agent, { turnKey, transcriptPath: path })
  const named = turns.find((turn) => turn.id === id)
  if (named !== undefined || known !== undefined) return named
  const taken = new Set(captures.filter((each) => each.turnKey !== turnKey).map(({ turnId }) => turnId))
  return matchTurn(
    turns.filter((turn) => !taken.has(turn.id)),
    capture,
  )
}

/** By time, and by the words of the prompt where there are any. */
export function matchTurn(turns: readonly Turn[], capture: Pick<Capture, 'startedAt' | 'prompt'>): Turn | undefined {
  const { startedAt, prompt } = capture
  if (startedAt === null) return undefined
  const far = (turn: Turn) => (turn.startedAt === null ? Number.POSITIVE_INFINITY : Math.abs(turn.startedAt - startedAt))
  const nearest = (candidates: readonly Turn[], withinMs: number) =>
    [...candidates].sort((a, b) => far(a) - far(b)).find((turn) => far(turn) <= withinMs)
  const sameWords = prompt === '' ? [] : turns.filter((turn) => firstLine(turn.prompt) === prompt)
  return nearest(sameWords, sameWordsMs) ?? nearest(turns, nearMs)
}

/** The id of the snapshot afterwards. One that was overwritten, or is gone, is left alone. */
async function amendRef(context: CaptureContext, capture: Capture, turn: Turn): Promise<string | null> {
  const { commonDir, ref, snapshot } = capture
  if (commonDir === null || ref === null || snapshot === null) return snapshot
  try {
    const found = await readSnapshot(context.git, commonDir, ref)
    if (found === null || found.id !== snapshot) return snapshot
    const meta = { ...found.meta, turnId: turn.id, turnNumber: turn.number ?? found.meta.turnNumber }
    return (await writeMeta(context.git, commonDir, found, meta)).id
  } catch {
    return snapshot // a read-only or vanished repository: the row knows it all the same
  }
}
