// Cuts a chain of rows into turns, with counts and states, from pass 1 alone; pass 2 yields exactly the messages counted here.
import type { Turn, TurnState, Usage } from '../../model/session.ts'
import type { LineIndex } from './line-index.ts'
import { type Group, noRow, type Row } from './row.ts'

/** One thing to tell, in order: a row by itself, or an assistant message with its tool calls and their results. */
export interface Step {
  readonly at: number
  /** The row of the chain it is told with: of parallel results only one is on the chain itself. */
  readonly on: number
  readonly row: Row
  readonly group: Group | null
}

/**
 * A message is told complete where its first line stands, with all its results. What the user wrote beside a result (in the
 * dialog that asks for permission) follows them, as in the requests of the CLI.
 */
export function* stepsOf(index: LineIndex, chain: Iterable<number>): Generator<Step> {
  const { rows, groups } = index
  const told = new Set<number>()
  for (const on of chain) {
    const number = rows.group(on)
    const row = told.has(number) ? undefined : rows.get(on)
    if (row === undefined) continue
    const group = groups.get(number) ?? null
    yield { at: on, on, row, group }
    if (group === null) continue
    told.add(number)
    for (const at of group.results) {
      const result = rows.messages(at) === 0 ? undefined : rows.get(at)
      if (result !== undefined) yield { at, on, row: result, group: null }
    }
  }
}

export function messagesOf({ row, group }: Step): number {
  return group === null ? row.messages : group.tools + (group.text ? 1 : 0)
}

export interface TurnDraft {
  id: string
  prompt: string
  startedAt: number | null
  endedAt: number | null
  messages: number
  lastMessageId: string | null
  /**
   * `stopped`: interrupted, and nothing was said to the model since. `queued`: open, and nothing came since the prompt, which was typed
   * ahead. `held`: then an interruption came, which is that of the turn before if an answer follows.
   */
  state: TurnState | 'open' | 'stopped' | 'queued' | 'held'
  afterCompaction: boolean
  usage: Usage
  contextTokens?: number
  /** Of the prompt's own line: where the agent goes during the turn changes nothing. */
  cwd?: string
}

export interface Outline {
  readonly turns: TurnDraft[]
  /** Messages of the chain, those before the first prompt included. */
  readonly messages: number
}

export function outline(index: LineIndex, chain: Iterable<number>, compacted = false): Outline {
  const turns: TurnDraft[] = []
  let messages = 0
  let afterCompaction = compacted
  for (const step of stepsOf(index, chain)) {
    const { row } = step
    if (row.kind === 'boundary') afterCompaction = true
    if (row.kind === 'prompt') turns.push(draftTurn(row, afterCompaction))
    messages += messagesOf(step)
    const turn = turns.at(-1)
    if (turn) extendTurn(index, turn, step)
  }
  return { turns, messages }
}

function draftTurn(row: Row, afterCompaction: boolean): TurnDraft {
  return {
    id: row.uuid,
    prompt: row.text,
    startedAt: row.at,
    endedAt: null,
    messages: 0,
    lastMessageId: null,
    state: row.sign === 'queued' ? 'queued' : 'open',
    afterCompaction,
    usage: { inputTokens: 0, cachedInputTokens: 0, outputTokens: 0 },
    ...(row.cwd === null ? {} : { cwd: row.cwd }),
  }
}

function extendTurn(index: LineIndex, turn: TurnDraft, step: Step): void {
  const { row, group } = step
  const count = messagesOf(step)
  turn.messages += count
  if (count > 0) turn.lastMessageId = group === null ? row.uuid : lastIdOf(index, group)
  for (const at of [row.at, ...(group === null ? [] : timesOf(index, group))]) {
    if (at !== null) turn.endedAt = Math.max(turn.endedAt ?? at, at)
  }
  if (group !== null) turn.usage = addUsage(turn.usage, group)
  noteContext(turn, step)
  if (group !== null) turn.state = stateAfter(turn.state, group)
  else if (row.sign === 'interrupted') turn.state = turn.state === 'queued' ? 'held' : 'stopped'
  else if (isStopped(turn.state) && count > 0) turn.state = 'interrupted'
  else if (row.sign === 'ended' && isOpen(turn.state)) turn.state = 'complete'
}

function isStopped(state: TurnDraft['state']): boolean {
  return state === 'stopped' || state === 'held'
}

function isOpen(state: TurnDraft['state']): boolean {
  return state === 'open' || state === 'queued'
}

/** What the newest request held; a compaction makes it something smaller that no one has counted yet. */
function noteContext(turn: TurnDraft, { row, group }: Step): void {
  if (row.kind === 'boundary') delete turn.contextTokens
  const tokens = group === null ? 0 : group.inputTokens + group.outputTokens
  if (tokens > 0) turn.contextTokens = tokens
}

function addUsage(sum: Usage, { inputTokens, cachedInputTokens, outputTokens }: Usage): Usage {
  return {
    inputTokens: sum.inputTokens + inputTokens,
    cachedInputTokens: sum.cachedInputTokens + cachedInputTokens,
    outputTokens: sum.outputTokens + outputTokens,
  }
}

function stateAfter(state: TurnDraft['state'], group: Group): TurnDraft['state'] {
  // It answers a prompt that was typed ahead: 2.1.325 hangs that prompt's line beside the interrupted call, off the chain.
  if (state === 'stopped') return state
  if (group.error) return 'failed'
  if (group.tools > 0 || group.wantsTool) return 'open'
  // "No response requested.", put in on resume where an answer is missing, and by 2.1.197 behind local commands.
  if (group.synthetic) return isOpen(state) ? 'interrupted' : state
  return 'complete'
}

function timesOf(index: LineIndex, group: Group): (number | null)[] {
  return [...group.rows, ...group.results].map((at) => index.rows.time(at))
}

function lastIdOf(index: LineIndex, group: Group): string | null {
  return group.tools > 0 ? group.lastTool : groupId(index, group)
}

/** A message is named by its last line. */
export function groupId(index: LineIndex, group: Group): string {
  return index.rows.uuid(group.rows.at(-1) ?? noRow)
}

export function finishTurn(draft: TurnDraft, number: number | null, isLast: boolean): Turn {
  return { ...draft, number, state: finalState(draft.state, isLast) }
}

function finalState(state: TurnDraft['state'], isLast: boolean): TurnState {
  switch (state) {
    case 'open':
    case 'queued':
      return isLast ? 'running' : 'interrupted'
    case 'stopped':
    case 'held':
      return 'interrupted'
    default:
      return state
  }
}
