// Moving in a transcript, folding, and what was read of it. `scroll` counts rows below the window: 0 follows the end.
import type { Message } from '../../model/session.ts'
import type { Effect } from '../effects.ts'
import type { ActionId } from '../keys.ts'
import type { Tab, Transcript, TuiState } from '../state.ts'
import { changeTab, type Step, stay } from './step.ts'
import { nameOf } from './tabs.ts'

const moreTurns = 20

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
      return scroll(-Number.MAX_SAFE_INTEGER)
    case 'unfold_all':
      return stay(changeTranscript(state, tab.id, foldAll))
    default:
      return stay(state)
  }
}

/** How far one can scroll is known to who draws: it answers with `scrolled` when this was too far. */
export function scrollBy(state: TuiState, tab: Tab, by: number): Step {
  const scroll = Math.max(0, Math.min(Number.MAX_SAFE_INTEGER, tab.transcript.scroll + by))
  return stay(changeTranscript(state, tab.id, (transcript) => ({ ...transcript, scroll })))
}

/** The top was reached: the turns before, unless they are on their way. */
export function readMore(tab: Tab): Effect | null {
  const { from, loading } = tab.transcript
  if (from <= 1 || loading) return null
  return { kind: 'read_turns', tabId: tab.id, session: nameOf(tab), from: Math.max(1, from - moreTurns), to: from - 1 }
}

export function toggleFold(state: TuiState, tabId: string, messageId: string): TuiState {
  return changeTranscript(state, tabId, (transcript) => {
    const unfolded = new Set(transcript.unfolded)
    if (!unfolded.delete(messageId)) unfolded.add(messageId)
    return { ...transcript, unfolded }
  })
}

function foldAll(transcript: Transcript): Transcript {
  if (transcript.unfolded.size > 0) return { ...transcript, unfolded: new Set() }
  return { ...transcript, unfolded: new Set(transcript.messages.filter(isFoldable).map(({ id }) => id)) }
}

export function isFoldable({ role, thinking }: Message): boolean {
  return role === 'tool' || role === 'summary' || (thinking !== undefined && thinking !== '')
}

/** Turns from `from` on, anew: what was read before them stays. */
export function withGrowth(
  transcript: Transcript,
  from: number,
  messages: readonly Message[],
  turns: Transcript['turns'],
): Transcript {
  const known = new Set(turns.filter(({ number }) => number !== null && number < from).map(({ id }) => id))
  const kept = transcript.messages.filter(({ turnId }) => turnId === '' || known.has(turnId))
  return {
    ...transcript,
    loading: false,
    turns,
    from: Math.min(transcript.from, from),
    messages: [...kept, ...messages],
    problem: null,
  }
}

export function changeTranscript(state: TuiState, tabId: string, change: (transcript: Transcript) => Transcript): TuiState {
  return changeTab(state, tabId, (tab) => ({ ...tab, transcript: change(tab.transcript) }))
}
