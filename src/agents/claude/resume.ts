// Reading on where the last summary stopped. Of what was read only the last live turn is kept row by row; the rest is kept as
// sums. That is exact as long as everything new hangs below that turn; anything else, and the file is read from the start.
import { isObject } from '../../lib/jsonl.ts'
import type { ParentLink, Usage } from '../../model/session.ts'
import type { SessionSummary } from '../reading.ts'
import { preservedRows } from './chain.ts'
import type { Ancestry } from './dead-turns.ts'
import type { Facts } from './facts.ts'
import { type Checkpoint, LineIndex } from './line-index.ts'
import { loadTree } from './loaded-tree.ts'
import { PromptQueue, type QueueState } from './queue.ts'
import { type Group, noRow, type Row } from './row.ts'

/** Raised whenever the meaning of anything below changes: an older state is then not read on from. */
const stateVersion = 4
/** A turn of more rows is cheaper to read again than to keep. */
const maxRows = 20_000

/** What stands before the rows of an index. */
export interface Past {
  readonly turns: number
  readonly messages: number
  readonly usage: Usage
  readonly inheritedTurns: number
  readonly parent: ParentLink | null
  readonly compacted: boolean
  /** Names lines of the past may be called by: looked up once, when all rows were at hand. */
  readonly absentLeaf: string | null
  readonly titleLeaf: string | null
  /** To the first prompt, where the title takes it from there. */
  readonly answer: string | null
}

export const noPast: Past = {
  turns: 0,
  messages: 0,
  usage: { inputTokens: 0, cachedInputTokens: 0, outputTokens: 0 },
  inheritedTurns: 0,
  parent: null,
  compacted: false,
  absentLeaf: null,
  titleLeaf: null,
  answer: null,
}

/** Places in a file mean nothing to what is read on from it. */
type Place = 'line' | 'lineBytes' | 'idAt' | 'offset' | 'bytes'
type KeptRow = Omit<Row, Place | 'exitCode'>
type KeptGroup = Omit<Group, 'rows' | 'results'> & { readonly messageId: string | null }

interface State {
  readonly version: typeof stateVersion
  readonly past: Past
  readonly facts: Facts
  readonly checkpoint: Checkpoint
  /** The last compaction kept messages besides its summary. */
  readonly preserved: boolean
  readonly missing: readonly string[]
  readonly cutOffAt: number | null
  readonly lastUuid: string
  readonly rows: readonly KeptRow[]
  readonly groups: readonly KeptGroup[]
  readonly queue: QueueState
}

/** What to go on from later: the rows of the turn that begins with `prompt`, and the past before it. */
export function keepState(index: LineIndex, ancestry: Ancestry, prompt: number, past: Past): State | null {
  const { rows, checkpoint } = index
  const kept = rowsOfTurn(ancestry, prompt)
  if (kept[0] !== prompt || kept.length > maxRows) return null
  const places = new Map(kept.map((at, i) => [at, i]))
  if (!places.has(index.lastRow) || hasTurnBelow(index, places)) return null
  const groups = [...new Set(kept.filter((at) => rows.kind(at) === 'assistant').map((at) => rows.group(at)))]
  const groupPlaces = new Map(groups.map((at, i) => [at, i]))
  const named = checkpoint.leafUuid === null ? undefined : rows.byUuid.get(checkpoint.leafUuid)
  return {
    version: stateVersion,
    past,
    facts: index.facts,
    // A line of the past that is named stands above all that is kept, so it decides nothing any more.
    checkpoint: named === undefined || places.has(named) ? checkpoint : { ...checkpoint, leafUuid: null },
    preserved: loadTree(index).keepsMessages,
    missing: [...index.missing],
    cutOffAt: Number.isFinite(index.cutOffAt) ? index.cutOffAt : null,
    lastUuid: rows.uuid(index.lastRow),
    rows: kept.map((at) => ({
      ...keptRow(index, at),
      parent: at === prompt ? noRow : (places.get(rows.parent(at)) ?? noRow),
      group: groupPlaces.get(rows.group(at)) ?? noRow,
    })),
    groups: keptGroups(index, groups),
    queue: index.queue.state(
      index.queue.used
        .filter(({ before }) => before === noRow || places.has(before))
        .map((prompt) => ({ ...prompt, before: places.get(prompt.before) ?? noRow })),
    ),
  }
}

function rowsOfTurn({ prompt: promptOf }: Ancestry, prompt: number): number[] {
  const own: number[] = []
  for (const [at, above] of promptOf.entries()) if (above === prompt) own.push(at)
  return own
}

/** A dead branch hangs below the turn: which row is the leaf then depends on rows that are not kept. */
function hasTurnBelow({ rows }: LineIndex, kept: ReadonlyMap<number, number>): boolean {
  for (let at = 0; at < rows.count; at += 1) if (!kept.has(at) && kept.has(rows.parent(at))) return true
  return false
}

function keptRow({ rows }: LineIndex, at: number): KeptRow {
  const row = rows.get(at)
  if (row === undefined) throw new Error(`no row ${at}`)
  const { line: _1, lineBytes: _2, idAt: _3, offset: _4, bytes: _5, exitCode: _6, ...kept } = row
  return kept
}

function keptGroups({ groups, groupOf }: LineIndex, wanted: readonly number[]): KeptGroup[] {
  const kept = new Set(wanted)
  const messageIds = new Map<number, string>()
  for (const [messageId, at] of groupOf) if (kept.has(at)) messageIds.set(at, messageId)
  return wanted.map((at) => {
    const group = groups.get(at)
    if (group === undefined) throw new Error(`no group ${at}`)
    const { rows: _rows, results: _results, ...facts } = group
    return { ...facts, messageId: messageIds.get(at) ?? null }
  })
}

const noPlace: Pick<Row, Place> = { line: 0, lineBytes: 0, idAt: noRow, offset: 0, bytes: 0 }

/** An index that holds what was kept, ready to take the lines that follow; `undefined` when there is nothing to go on from. */
export function restoreIndex(previous: SessionSummary): { readonly index: LineIndex; readonly past: Past } | undefined {
  const state = previous.resume
  if (!isState(state)) return undefined
  const index = new LineIndex()
  for (const [at, row] of state.rows.entries()) {
    const isLine = row.kind === 'assistant'
    index.rows.set(at, { ...row, ...noPlace, exitCode: null, group: isLine ? row.group : noRow })
    if (row.kind === 'boundary') index.boundaries.set(at, { preserved: null, lastBefore: noRow, summarised: null })
  }
  for (const [at, { messageId, ...group }] of state.groups.entries()) {
    index.groups.add()
    index.groups.set(at, group)
    if (messageId !== null) index.groupOf.set(messageId, at)
  }
  for (const [at, row] of state.rows.entries()) if (row.kind === 'assistant') index.groups.addRow(row.group, at)
  index.queue = new PromptQueue(state.queue)
  index.facts = { ...state.facts }
  index.checkpoint = { ...state.checkpoint }
  index.preservedBefore = state.preserved
  for (const uuid of state.missing) index.missing.add(uuid)
  index.cutOffAt = state.cutOffAt ?? Number.NEGATIVE_INFINITY
  index.lastRow = index.rows.byUuid.get(state.lastUuid) ?? noRow
  Object.assign(index.skipped, previous.skipped)
  return { index, past: state.past }
}

/** Whether what was read on fits below the kept turn, so that nothing of the past has changed its meaning. */
export function fitsBelow(index: LineIndex, past: Past, keptRows: number): boolean {
  const { rows, checkpoint, facts } = index
  for (let at = keptRows; at < rows.count; at += 1) if (!hangsBelow(index, at)) return false
  for (const uuid of index.missing) if (rows.byUuid.has(uuid)) return false
  if (rows.parent(0) !== noRow || rows.kind(0) !== 'prompt' || checkpoint.cleared) return false
  const named = checkpoint.leafUuid === null ? undefined : rows.byUuid.get(checkpoint.leafUuid)
  if (named === undefined && checkpoint.leafUuid !== null && checkpoint.leafUuid !== past.absentLeaf) return false
  if (named !== undefined && [...index.boundaries.keys()].some((boundary) => boundary > named)) return false
  return facts.oldTitle === null || facts.oldTitle.leafUuid === past.titleLeaf
}

/**
 * What a compaction kept must be at hand, nothing new may hang on what stood before one, and a row that is older than a gap of the
 * past might fill it.
 */
function hangsBelow(index: LineIndex, at: number): boolean {
  const { rows, boundaries, cutOffAt } = index
  const parent = rows.parent(at)
  if (parent < 0 || (rows.time(at) ?? Number.POSITIVE_INFINITY) <= cutOffAt) return false
  if (boundaries.has(at)) return !boundaries.get(at)?.preserved || preservedRows(index, at) !== null
  return [...boundaries.keys()].every((boundary) => boundary > at || boundary <= parent)
}

function isState(value: unknown): value is State {
  return isObject(value) && value.version === stateVersion && Array.isArray(value.rows) && Array.isArray(value.groups)
}
