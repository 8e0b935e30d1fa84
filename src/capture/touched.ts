// Which paths a session changed after a turn: those of its own captured turns, each against the state its prompt found. What
// another session changed since as well is left out, and said: whose state is wanted there only the person knows.
import { isFolder } from '../lib/is-folder.ts'
import type { Capture, RestorePlan } from '../model/capture.ts'
import { showPath } from '../snapshots/byte-path.ts'
import { listTreeChanges } from '../snapshots/diff-trees.ts'
import type { CodeSide } from './code-side.ts'
import type { CaptureContext } from './context.ts'
import { listRoots } from './moved-repository.ts'
import { keptFiles } from './to-capture.ts'

type Ended = Capture & { readonly tree: string; readonly startTree: string; readonly commonDir: string }

export async function findTouched(
  context: CaptureContext,
  { session, turn, root, commonDir }: CodeSide,
): Promise<{ paths: string[]; refused: RestorePlan['refused'] }> {
  if (session === null || turn === null) return { paths: [], refused: [] }
  const roots = listRoots(context, commonDir, root)
  const all = context
    .store()
    .captures.all()
    .filter(isEnded)
    .filter((each) => each.root !== null && roots.includes(each.root))
    .map((each) => ({ ...each, commonDir: isFolder(each.commonDir) ? each.commonDir : commonDir }))
  const isOwn = (each: Capture) => each.agent === session.agent && each.sessionId === session.id
  const since = all.find((each) => isOwn(each) && each.turnId === turn.id)?.endedAt ?? null
  // The turns of the session itself by their number: the clock may have been set back between two of them.
  const numbers = new Map((await context.catalog.listTurns(session, { refresh: false })).map(({ id, number }) => [id, number]))
  const numberOf = (each: Capture) => (isOwn(each) && each.turnId !== null ? (numbers.get(each.turnId) ?? null) : null)
  const later = all.filter((each) => {
    const number = numberOf(each)
    if (number !== null && turn.number !== null) return number > turn.number
    return since === null || (each.endedAt ?? 0) > since
  })
  const own = await changedIn(context, later.filter(isOwn))
  const first = Math.min(...later.filter(isOwn).map(({ startedAt, endedAt }) => startedAt ?? endedAt ?? 0))
  const others = later.filter((each) => !isOwn(each) && (each.endedAt ?? 0) >= first)
  const claimed = new Map<string, string>()
  for (const other of others) {
    for (const path of await changedIn(context, [other])) claimed.set(path, `${other.agent}:${other.sessionId}`)
  }
  const refused = own.flatMap((path) => {
    const by = claimed.get(path)
    return by === undefined ? [] : { path, reason: `${by} changed it too since; name it to restore it all the same` }
  })
  return { paths: own.filter((path) => !claimed.has(path)), refused }
}

function isEnded(capture: Capture): capture is Ended {
  const { moment, tree, startTree, commonDir } = capture
  return moment === 'end' && tree !== null && startTree !== null && commonDir !== null
}

/** From the trees, not from the recorded names: of a rename those hold only the new one. */
async function changedIn(context: CaptureContext, captures: readonly Ended[]): Promise<string[]> {
  const paths = new Set<string>()
  for (const { commonDir, startTree, tree, files, shared } of captures) {
    // Whose work is what was found out already.
    if (shared != null && files.length < keptFiles) {
      for (const path of [...files, ...shared.files]) paths.add(path)
      continue
    }
    for (const { path } of await listTreeChanges(context.git, commonDir, startTree, tree)) paths.add(showPath(path))
  }
  return [...paths].sort()
}
