// Which snapshot holds the code as at a moment of a turn. Answered from the captures table alone; a fork finds the captures
// of the turns it inherited under its parent's session.
import type { Capture, CodeAtTurn, CodeMoment } from '../model/capture.ts'
import type { CatalogSession } from '../model/catalog.ts'
import type { CaptureContext } from './context.ts'
import { ingest } from './ingest.ts'
import { isKept, type KeptCapture } from './to-capture.ts'

export async function codeAt(
  context: CaptureContext,
  session: CatalogSession,
  { turnId, moment }: CodeMoment,
): Promise<CodeAtTurn | null> {
  await ingest(context)
  if (turnId !== null && moment === 'end') return toCode(findCapture(context, session, turnId, 'end'))
  const turns = await context.catalog.listTurns(session, { refresh: false })
  // Before the first prompt is where the first turn began.
  const id = turnId ?? turns[0]?.id
  return id === undefined ? null : toCode(findStart(context, session, id))
}

/** A start that is just what the turn before left has no snapshot of its own: that turn's is the one. */
function findStart(context: CaptureContext, session: CatalogSession, turnId: string): KeptCapture | null {
  const own = findCapture(context, session, turnId, 'start')
  if (own !== null) return own
  const end = findCapture(context, session, turnId, 'end')
  if (end === null || end.startTree === null) return null
  // By tree, not by number: after a rewind the state a turn found is that of a turn no longer before it.
  const before = context
    .store()
    .captures.statesOf(end.agent, end.sessionId)
    .filter(isKept)
    .filter((each) => each.tree === end.startTree && each.root === end.root)
  return before.findLast((each) => (each.endedAt ?? 0) <= (end.startedAt ?? Number.POSITIVE_INFINITY)) ?? before.at(0) ?? null
}

function findCapture(
  context: CaptureContext,
  { agent, id }: CatalogSession,
  turnId: string,
  moment: Capture['moment'],
): KeptCapture | null {
  const all = context.store().captures.ofTurn(agent, turnId)
  return pickCapture(all.filter(isKept), id, moment)
}

/** Of several captures of one turn: the session's own, then what a hook took at the very moment. */
export function pickCapture<C extends Capture>(captures: readonly C[], sessionId: string, moment: Capture['moment']): C | null {
  const rank = (each: Capture) => (each.sessionId === sessionId ? 0 : 3) + ['hook', 'watcher', 'late'].indexOf(each.by)
  return captures.filter((each) => each.moment === moment).sort((a, b) => rank(a) - rank(b))[0] ?? null
}

function toCode(capture: KeptCapture | null): CodeAtTurn | null {
  if (capture === null) return null
  const { by, commonDir, root, snapshot, tree, commit, head, notCovered } = capture
  const note =
    by === 'late' ? 'The turn ended without a word, so its code was captured later: edits made in between are in it.' : null
  return {
    kind: by === 'late' ? 'late' : 'snapshot',
    commonDir,
    root,
    snapshot,
    tree,
    baseCommit: commit ?? head,
    notCovered,
    note,
  }
}
