// Moving in a transcript, folding, and what was read of it. `scroll` counts rows below the window: 0 follows the end.
import type { Message } from '../../model/session.ts'
import type { ActionId } from '../keys.ts'
import type { TuiState } from '../state.ts'
import type { Tab, Transcript } from '../state-tab.ts'
import { changeTranscript, lastTurn } from './change-transcript.ts'
import { changeTab, type Step, say, stay } from './step.ts'
import { earlierTurns, toEnd } from './window.ts'

const stopsAhead = 6

export function updateTranscript(state: TuiState, tab: Tab, action: ActionId): Step {
  const page = Math.max(1, state.size.rows - 8)
  const scroll = (by: number) => scrollBy(state, tab, by)
  switch (action) {
    case 'up':
      return scroll(1)
    case 'down':
      return scroll(-1)
    case 'page_up':
      return scroll(page)
    case 'page_down':
      return scroll(-page)
    case 'first':
      return scroll(Number.MAX_SAFE_INTEGER)
    case 'last':
      return toEnd(state, tab.id)
    case 'unfold_all':
      return stay(changeTranscript(state, tab.id, foldAll))
    case 'unfold':
      return foldCursor(state, tab)
    case 'next_fold':
      return moveCursor(state, tab, 1)
    case 'previous_fold':
      return moveCursor(state, tab, -1)
    default:
      return stay(state)
  }
}

/** How far one can scroll is known to who draws: it answers with `scrolled` when this was too far. */
export function scrollBy(state: TuiState, tab: Tab, by: number): Step {
  const scroll = Math.max(0, Math.min(Number.MAX_SAFE_INTEGER, tab.transcript.scroll + by))
  return stay(changeTranscript(state, tab.id, (transcript) => ({ ...transcript, scroll, anchor: null, reveal: false })))
}

/** The message that Space folds: where the cursor is, else the newest that can be. */
export function cursorOf({ messages, cursor }: Transcript): string | null {
  const known = messages.some(({ id }) => id === cursor)
  if (known) return cursor
  // Hooks and reminders follow the last call, but are seldom what one wants to see.
  const newest = messages.findLast((each) => each.role !== 'system' && isFoldable(each)) ?? messages.findLast(isFoldable)
  return newest?.id ?? null
}

function foldCursor(state: TuiState, tab: Tab): Step {
  const cursor = cursorOf(tab.transcript)
  if (cursor === null) return stay(say(state, 'There is nothing to unfold here.'))
  return stay(changeTranscript(toggleFold(state, tab.id, cursor), tab.id, (each) => ({ ...each, cursor, reveal: true })))
}

function moveCursor(state: TuiState, tab: Tab, by: 1 | -1): Step {
  const folds = tab.transcript.messages.filter(isFoldable)
  const at = folds.findIndex(({ id }) => id === tab.transcript.cursor)
  const first = folds.findIndex(({ id }) => id === cursorOf(tab.transcript))
  const next = folds[at === -1 ? first : at + by]
  if (next === undefined)
    return stay(say(state, folds.length === 0 ? 'There is nothing to unfold here.' : 'There is no other one.'))
  return stay(changeTranscript(state, tab.id, (each) => ({ ...each, cursor: next.id, reveal: true })))
}

/** Earlier turns are read before one gets to the oldest that is here. */
export function putBacktrack(state: TuiState, tab: Tab, backtrack: Tab['backtrack']): Step {
  const next = changeTab(state, tab.id, (each) => ({ ...each, backtrack }))
  const more = backtrack !== null && backtrack.at < stopsAhead ? earlierTurns(tab) : null
  if (more !== null) {
    return stay(
      changeTranscript(next, tab.id, (transcript) => ({ ...transcript, loading: true })),
      more,
    )
  }
  const isWaiting = backtrack?.at === 0 && tab.backtrack?.at === 0 && tab.transcript.from > 1
  return stay(isWaiting ? say(next, 'Earlier messages are being read.') : next)
}

export function toggleFold(state: TuiState, tabId: string, messageId: string): TuiState {
  return changeTranscript(state, tabId, (transcript) => {
    if (!transcript.messages.some((message) => message.id === messageId && isFoldable(message))) return transcript
    const unfolded = new Set(transcript.unfolded)
    if (!unfolded.delete(messageId)) unfolded.add(messageId)
    return { ...transcript, unfolded }
  })
}

function foldAll(transcript: Transcript): Transcript {
  if (transcript.unfolded.size > 0) return { ...transcript, unfolded: new Set() }
  return { ...transcript, unfolded: new Set(transcript.messages.filter(isFoldable).map(({ id }) => id)) }
}

function isFoldable({ role, text, thinking }: Message): boolean {
  const isNote = role === 'system' && text.trim() !== ''
  return role === 'tool' || role === 'summary' || isNote || isSeed({ role, text }) || (thinking !== undefined && thinking !== '')
}

/** A whole transcript that offshoot handed over as a prompt (IN3): nobody wants to scroll through it twice. */
export function isSeed({ role, text }: Pick<Message, 'role' | 'text'>): boolean {
  return role === 'user' && text.startsWith('[OFFSHOOT_FORK_SEED ')
}

/** How many are behind those that are here. */
export function turnsBelow(transcript: Transcript): number {
  return transcript.to === null ? 0 : Math.max(0, lastTurn(transcript) - transcript.to)
}

/** Whether there are turns between those that are here and this one that are not. */
export function isBehindGap({ to }: Transcript, from: number): boolean {
  return to !== null && from > to + 1
}

/** Turns from `from` on, anew: what was read before them stays, unless there is a gap between. */
export function withGrowth(
  transcript: Transcript,
  from: number,
  messages: readonly Message[],
  turns: Transcript['turns'],
): Transcript {
  const known = new Set(turns.filter(({ number }) => number !== null && number < from).map(({ id }) => id))
  const kept =
    from <= 1 || isBehindGap(transcript, from)
      ? []
      : transcript.messages.filter(({ turnId }) => turnId === '' || known.has(turnId))
  return {
    ...transcript,
    loading: false,
    turns,
    // Where nothing was kept, there is nothing before `from` either.
    from: kept.length === 0 ? from : Math.min(transcript.from, from),
    to: null,
    messages: [...kept, ...messages],
    problem: null,
  }
}
