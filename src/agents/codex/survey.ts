// The first pass over a history: every turn with its end, where it was compacted, what was skipped, and where a message asked
// for stands. Only lines that matter for this are parsed.
import { isObject } from '../../lib/jsonl.ts'
import { type History, type HistoryScan, scanHistory } from './history.ts'
import { breathe, pause, type RolloutRecord, textOrNull } from './lines.ts'
import { timeOfId } from './rollout-files.ts'
import type { TrackState, TurnRow } from './turn-state.ts'
import { TurnTracker } from './turns.ts'

export interface Place {
  readonly row: number
  readonly part: number
  readonly offset: number
}

export interface Survey {
  readonly state: TrackState
  /** Where reading on has to start in the last part. */
  readonly offset: number
  /** Lines that come may change what is said of the last ones: the state cannot be gone on from. */
  readonly unsettled: boolean
  readonly damage: string | null
}

export interface SurveyWatch {
  record?(record: RolloutRecord, own: boolean): void
  compaction?(place: Place): void
  message?(id: string, place: Place): void
  skipped?(reason: string): void
  /** An item that stands behind the end of the turn it belongs to. */
  loose?(row: number): void
}

export async function surveyHistory(
  history: History,
  watch: SurveyWatch,
  scan: HistoryScan & { readonly state?: TrackState } = {},
): Promise<Survey> {
  const tracker = new TurnTracker(scan.state)
  const { state } = tracker
  let unsettled = false
  let damage: string | null = null
  let turns = state.rows.length
  /** The part in which the newest turn started. Going on from a state, a copied turn can only have started in the only part. */
  let openedIn = history.parts.length === 1 ? 0 : -1
  const records = scanHistory(history, { ...scan, onDamage: (path, problem) => (damage = `${path} is damaged: ${problem}`) })
  const copy = copyOf(history, state)
  for (;;) {
    const next = records.next()
    if (next.done) {
      const { waits } = tracker
      const { made = [] } = waits ? tracker.finish() : {}
      for (const { id, row } of made) watch.message?.(id, { row, part: history.parts.length - 1, offset: next.value.offset })
      return { state, offset: next.value.offset, unsettled: unsettled || waits, damage }
    }
    if (next.value === pause) {
      await breathe()
      continue
    }
    const record = next.value
    const { part } = record
    const inherited = history.parts[part]?.inherited ?? false
    tracker.isInherited = inherited ? always : copy.isTurn
    copy.see(record)
    const step = tracker.step(record)
    const row = state.rows[state.top]
    if (state.rows.length > turns) openedIn = part
    turns = state.rows.length
    // What copied lines say of folders and times is the parent's; so it is before the first turn, where a client may put items in.
    const isCopied = row === undefined ? copy.isLead(record) : row.inherited && openedIn === part
    watch.record?.(record, !inherited && !isCopied)
    if (step.skipped !== undefined) watch.skipped?.(step.skipped)
    else if (record.torn) unsettled = true
    const { offset } = record
    if (record.type === 'response_item' && state.open === null && state.top !== -1) watch.loose?.(state.top)
    if (step.compaction) watch.compaction?.({ row: state.top, part, offset })
    if (watch.message === undefined) continue
    for (const { id, row } of step.settled ?? []) watch.message(id, { row, part, offset })
    for (const { id, row } of step.made ?? []) watch.message(id, { row, part, offset })
  }
}

const always = () => true
const burstMs = 100

interface Copy {
  /** Does this turn come from the parent? */
  readonly isTurn: TurnTracker['isInherited']
  /** Does this line, which stands before the first turn? Its own line 0 does not. */
  isLead(record: RolloutRecord): boolean
  /** Has to be told of every line, in order. */
  see(record: RolloutRecord): void
}

const noCopy: Copy = { isTurn: () => false, isLead: () => false, see: () => undefined }

/**
 * A legacy fork is a copy, and so is one of ours: only its line 0 is its own, then the parent's lines follow with the time of the copy. Turn ids are
 * UUIDv7 and tell when a turn really started; without them the copied lines are those written in one burst, with the parent's own line 0
 * at its head where Codex made the copy.
 */
function copyOf({ firstMeta: meta }: History, state: TrackState): Copy {
  const forkedAt = Date.parse(textOrNull(meta?.timestamp) ?? '')
  if (typeof meta?.forked_from_id !== 'string' || isObject(meta.history_base) || Number.isNaN(forkedAt)) return noCopy
  let heads = 0
  let burstAt = forkedAt
  const isOfBurst = (at: number | null) => at !== null && at - burstAt <= burstMs
  return {
    isTurn(turnId, _startedAt, at) {
      const before = state.rows.at(-1)
      if (before !== undefined && !before.inherited) return false
      const madeAt = timeOfId(turnId)
      return madeAt === null ? isOfBurst(at) : madeAt < forkedAt
    },
    isLead: ({ type, time }) => type !== 'session_meta' && isOfBurst(time),
    see({ type, time }) {
      if (type !== 'session_meta') return
      heads += 1
      if (heads === 2 && time !== null) burstAt = Math.max(burstAt, time)
    },
  }
}

/** Indexes from the first turn to the given one. */
export function pathTo(rows: readonly TurnRow[], row: number): number[] {
  const path: number[] = []
  for (let at = row; at >= 0; at = rows[at]?.parent ?? -1) path.push(at)
  return path.reverse()
}
