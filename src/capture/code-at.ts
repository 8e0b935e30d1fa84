// Which snapshot holds the code as at a moment of a turn, and in which repository, also where that was moved since. A fork finds the
// captures of the turns it inherited under its parent's session.
import { findCommandBehind } from '../agents/hook-events.ts'
import type { Capture, CodeAtTurn, CodeMoment, IsOpen } from '../model/capture.ts'
import type { CatalogSession } from '../model/catalog.ts'
import type { CaptureContext } from './context.ts'
import { ingest } from './ingest.ts'
import { findCommonDir } from './moved-repository.ts'
import { isKept, type KeptCapture } from './to-capture.ts'

/** Code that `isOpen` refuses counts as not captured. */
export async function codeAt(
  context: CaptureContext,
  session: CatalogSession,
  { turnId, moment }: CodeMoment,
  isOpen?: IsOpen,
): Promise<CodeAtTurn | null> {
  await ingest(context)
  if (turnId !== null && moment === 'end') {
    const end = await findCapture(context, session, { turnId, moment: 'end' }, isOpen)
    if (end === null) return null
    const code = await toCode(context, session, end)
    return (await hasCommandBehind(session, end)) ? { ...code, kind: 'late', note: commandNote } : code
  }
  const turns = await context.catalog.listTurns(session, { refresh: false })
  // Before the first prompt is where the first turn began.
  const id = turnId ?? turns[0]?.id
  const start = id === undefined ? null : await findStart(context, session, id, isOpen)
  return start === null ? null : toCode(context, session, start)
}

/** A start that is just what the turn before left has no snapshot of its own: that turn's is the one. */
async function findStart(
  context: CaptureContext,
  session: CatalogSession,
  turnId: string,
  isOpen?: IsOpen,
): Promise<KeptCapture | null> {
  const own = await findCapture(context, session, { turnId, moment: 'start' }, isOpen)
  if (own !== null) return own
  const end = await findCapture(context, session, { turnId, moment: 'end' }, isOpen)
  if (end === null || end.startTree === null) return null
  // By tree, not by number: after a rewind the state a turn found is that of a turn no longer before it.
  const before = context
    .store()
    .captures.statesOf(end.agent, end.sessionId)
    .filter(isKept)
    .filter((each) => each.tree === end.startTree && each.root === end.root)
  return before.findLast((each) => (each.endedAt ?? 0) <= (end.startedAt ?? Number.POSITIVE_INFINITY)) ?? before.at(0) ?? null
}

export async function findCapture(
  context: CaptureContext,
  { agent, id, cwd }: CatalogSession,
  { turnId, moment }: { readonly turnId: string; readonly moment: Capture['moment'] },
  isOpen?: IsOpen,
): Promise<KeptCapture | null> {
  const kept = context.store().captures.ofTurn(agent, turnId).filter(isKept)
  if (isOpen === undefined) return pickCapture(kept, id, moment)
  const verdicts = kept.map(async (capture) => isOpen({ commonDir: await whereIs(context, cwd, capture), root: capture.root }))
  const open = await Promise.all(verdicts)
  return pickCapture(
    kept.filter((_, at) => open[at]),
    id,
    moment,
  )
}

function whereIs(context: CaptureContext, cwd: string | null, { commonDir, root, snapshot }: KeptCapture): Promise<string> {
  return findCommonDir(context, { commonDir, root, holds: snapshot, cwd })
}

const commandNote =
  'A command was run by hand (`!`) behind the turn, and its code was not captured since: what the command changed is not in it.'

/** Until the next event of the session captures the turn again. */
async function hasCommandBehind(
  { agent, id, path }: CatalogSession,
  { by, sessionId, turnId, endedAt }: Capture,
): Promise<boolean> {
  if (by === 'watcher' || sessionId !== id) return false
  const command = await findCommandBehind(agent, path, false)
  return command !== null && command.turn.id === turnId && (command.writtenAt ?? 0) > (endedAt ?? 0)
}

/** Of several captures of one turn: the session's own, then what a hook took at the very moment, then the newest. */
export function pickCapture<C extends Capture>(captures: readonly C[], sessionId: string, moment: Capture['moment']): C | null {
  const rank = (each: Capture) => (each.sessionId === sessionId ? 0 : 3) + ['hook', 'watcher', 'late'].indexOf(each.by)
  return (
    captures
      .filter((each) => each.moment === moment)
      .sort((a, b) => rank(a) - rank(b) || (b.endedAt ?? 0) - (a.endedAt ?? 0))[0] ?? null
  )
}

async function toCode(context: CaptureContext, { cwd }: CatalogSession, capture: KeptCapture): Promise<CodeAtTurn> {
  const { by, root, snapshot, tree, commit, head, notCovered } = capture
  const note = by === 'late' ? 'The code was captured some time after the turn ended: edits made in between are in it.' : null
  return {
    kind: by === 'late' ? 'late' : 'snapshot',
    commonDir: await whereIs(context, cwd, capture),
    root,
    snapshot,
    tree,
    baseCommit: commit ?? head,
    notCovered,
    note,
  }
}
