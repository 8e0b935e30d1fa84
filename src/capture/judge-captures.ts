// Whose work is what changed during a turn, where other sessions worked in the same folder meanwhile. Snapshots cut the time into
// stretches: what changed while no other session ran is the turn's. In the others the transcripts tell whose edit tools changed a
// file; what nobody's did may be the shell's of any of them, and is called shared rather than given to one.
import type { Capture, SharedWork } from '../model/capture.ts'
import { AppError } from '../model/error.ts'
import { showPath } from '../snapshots/byte-path.ts'
import { listTreeChanges, type TreeChange } from '../snapshots/diff-trees.ts'
import type { CaptureContext } from './context.ts'
import {
  canBeJudged,
  createWorkBook,
  type JudgedCapture,
  nameOf,
  type OtherTurn,
  type ToolWork,
  type WorkBook,
} from './other-work.ts'
import { keptFiles, withChanges } from './to-capture.ts'

/** A transcript is read moments after a turn's end; one that is not known by then will never be. */
const patienceMs = 60 * 60_000

/** Judges what is new, and with it again what it overlaps: of both more is known now. */
export async function judgeCaptures(context: CaptureContext): Promise<void> {
  const store = context.store()
  if (!store.captures.hasUnjudged()) return
  const queue = new Map<string, Capture>()
  for (const fresh of store.captures.unjudged()) {
    queue.set(keyOf(fresh), fresh)
    if (!canBeJudged(fresh)) continue
    for (const other of store.captures.during(fresh.root, fresh.startedAt, fresh.endedAt)) {
      if (!queue.has(keyOf(other))) queue.set(keyOf(other), other)
    }
  }
  const book = createWorkBook(context)
  for (const capture of queue.values()) {
    if (!canBeJudged(capture)) continue
    const judged = await judge(context, book, capture)
    if (judged === null) continue
    store.write(() => {
      // Captured again meanwhile: then the newer row is judged the next time.
      if (store.captures.get(capture)?.snapshot === capture.snapshot) store.captures.put(judged)
    })
  }
}

function keyOf({ agent, sessionId, turnKey, moment }: Capture): string {
  return `${agent} ${sessionId} ${turnKey} ${moment}`
}

/** `null`: not yet, the catalogue does not know the turns well enough. */
async function judge(context: CaptureContext, book: WorkBook, capture: JudgedCapture): Promise<Capture | null> {
  const others = await book.othersDuring(capture)
  if (others.length === 0) return { ...(await withChanges(context.git, capture)), shared: null }
  const captured = context.store().captures.during(capture.root, capture.startedAt, capture.endedAt)
  const isKnown = [capture, ...captured].every((each) => each.moment === 'start' || book.knows(each))
  if (!isKnown && Math.abs(context.now() - capture.endedAt) < patienceMs) return null
  try {
    return await divide(context, book, capture, others)
  } catch (error) {
    // Trees that are gone: the row still says that the turn was captured, and with whom it shared its folder.
    if (!(error instanceof AppError)) throw error
    return { ...capture, files: [], added: 0, removed: 0, shared: describe(others, []) }
  }
}

type Fate = 'own' | 'other' | 'shared'

async function divide(
  context: CaptureContext,
  book: WorkBook,
  capture: JudgedCapture,
  others: readonly OtherTurn[],
): Promise<Capture> {
  const { git } = context
  const { commonDir, startTree, tree } = capture
  const tools = createToolTable(book, capture)
  const fates = new Map<string, Set<Fate>>()
  /** Lines of the stretches in which a file was the turn's. */
  const lines = new Map<string, Lines>()
  for (const stretch of listStretches(context, capture)) {
    const running = others.filter(({ from, to }) => from < stretch.to && to > stretch.from)
    const changes = await listTreeChanges(git, commonDir, stretch.before, stretch.after, [], { counts: true })
    for (const change of changes) {
      const path = showPath(change.path)
      const fate = running.length === 0 ? 'own' : await fateOf(path, running, tools)
      fates.set(path, (fates.get(path) ?? new Set()).add(fate))
      if (fate === 'own') lines.set(path, addLines(lines.get(path), change))
    }
  }
  const whole = await listTreeChanges(git, commonDir, startTree, tree, [], { counts: true })
  const net = new Map(whole.map((change) => [showPath(change.path), addLines(undefined, change)]))
  const withFate = (fate: Fate) => [...fates].filter(([, found]) => found.has(fate)).map(([path]) => path)
  const shared = withFate('shared').sort()
  const own = withFate('own').filter((path) => {
    const found = fates.get(path)
    // Undone by the turn itself, it is no change of it.
    return found?.has('shared') !== true && (found?.has('other') === true || net.has(path))
  })
  const counts = own.map((path) => (fates.get(path)?.has('other') === true ? lines.get(path) : net.get(path)))
  const foreign = withFate('other')
  return {
    ...capture,
    files: own.sort().slice(0, keptFiles),
    added: counts.reduce((total, count) => total + (count?.added ?? 0), 0),
    removed: counts.reduce((total, count) => total + (count?.removed ?? 0), 0),
    shared: shared.length === 0 && foreign.length === 0 ? null : describe(others, shared),
  }
}

function describe(others: readonly OtherTurn[], files: readonly string[]): SharedWork {
  const sessions = [...new Set(others.map(({ session }) => session))].sort()
  const open = others.some((other) => other.open) ? { open: true as const } : {}
  return { with: sessions, files: files.slice(0, keptFiles), ...open }
}

interface Stretch {
  readonly from: number
  readonly to: number
  readonly before: string
  readonly after: string
}

/** From one snapshot of the work tree to the next, whoever's, while the turn ran. */
function listStretches({ store }: CaptureContext, capture: JudgedCapture): Stretch[] {
  const { root, commonDir, startedAt: from, endedAt: to, startTree, tree } = capture
  const others = store()
    .captures.during(root, from, to)
    .filter((each) => each.sessionId !== capture.sessionId && each.commonDir === commonDir)
  const seen = others.flatMap((each) => [
    ...(each.startedAt !== null && each.startTree !== null ? [{ at: each.startedAt, tree: each.startTree }] : []),
    ...(each.moment === 'start' && each.startedAt !== null && each.tree !== null
      ? [{ at: each.startedAt, tree: each.tree }]
      : []),
    ...(each.moment === 'end' && each.endedAt !== null && each.tree !== null ? [{ at: each.endedAt, tree: each.tree }] : []),
  ])
  const between = seen.filter(({ at }) => at > from && at < to).sort((a, b) => a.at - b.at)
  const points = [{ at: from, tree: startTree }, ...between, { at: to, tree }]
  return points.flatMap((point, number) => {
    const next = points[number + 1]
    if (next === undefined || next.tree === point.tree) return []
    return [{ from: point.at, to: next.at, before: point.tree, after: next.tree }]
  })
}

interface ToolTable {
  own(): Promise<ToolWork>
  of(session: string, turns: readonly OtherTurn[]): Promise<ToolWork>
}

/** What is asked once for each file is found out once. */
function createToolTable(book: WorkBook, capture: JudgedCapture): ToolTable {
  const { turnId, root } = capture
  const known = new Map<string, Promise<ToolWork>>()
  const ask = (session: string, turnIds: readonly (string | null)[]) => {
    const key = [session, ...turnIds].join(' ')
    const found = known.get(key) ?? book.toolsOf(session, turnIds, root)
    known.set(key, found)
    return found
  }
  return {
    own: () => ask(nameOf(capture), [turnId]),
    of: (session, turns) =>
      ask(
        session,
        turns.map((turn) => turn.turnId),
      ),
  }
}

async function fateOf(path: string, running: readonly OtherTurn[], tools: ToolTable): Promise<Fate> {
  const own = await tools.own()
  const others = await Promise.all(
    [...new Set(running.map(({ session }) => session))].map(async (session) => {
      const turns = running.filter((each) => each.session === session)
      return { ...(await tools.of(session, turns)), open: turns.some(({ open }) => open) }
    }),
  )
  const editedByOthers = others.some(({ edited }) => edited.has(path))
  if (own.edited.has(path)) return editedByOthers ? 'shared' : 'own'
  if (editedByOthers) return 'other'
  // A transcript that is still being written may lack its last lines.
  const mayBeOthers = others.some(({ unrecorded, open }) => unrecorded || open)
  if (own.unrecorded && !mayBeOthers) return 'own'
  return !own.unrecorded && mayBeOthers ? 'other' : 'shared'
}

interface Lines {
  readonly added: number
  readonly removed: number
}

function addLines(before: Lines | undefined, { added, removed }: TreeChange): Lines {
  return { added: (before?.added ?? 0) + (added ?? 0), removed: (before?.removed ?? 0) + (removed ?? 0) }
}
