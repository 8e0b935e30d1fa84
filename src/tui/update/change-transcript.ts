// What a tab holds of its session, changed as one: where one steps back to goes along with what was read.
import type { Turn } from '../../model/session.ts'
import type { TuiState } from '../state.ts'
import type { Tab, Transcript } from '../state-tab.ts'
import { stopsOf } from './backtrack.ts'
import { changeTab } from './step.ts'

export function changeTranscript(state: TuiState, tabId: string, change: (transcript: Transcript) => Transcript): TuiState {
  return changeTab(state, tabId, (tab) => withTranscript(tab, change(tab.transcript)))
}

/** What one can step back to goes along with what was read; the place stays at its message. */
export function withTranscript(tab: Tab, transcript: Transcript): Tab {
  const next = { ...tab, transcript }
  if (tab.backtrack === null || transcript.messages === tab.transcript.messages) return next
  const stops = stopsOf(next)
  const at = stops.indexOf(tab.backtrack.stops[tab.backtrack.at] ?? '')
  return { ...next, backtrack: at === -1 ? null : { ...tab.backtrack, stops, at } }
}

/** The number to read on from: the last turn of the live chain, which may have grown. */
export function lastTurn(transcript: Transcript): number {
  return Math.max(1, lastLive(transcript)?.number ?? 1)
}

export function lastLive({ turns }: Pick<Transcript, 'turns'>): Turn | undefined {
  return turns.findLast(({ number }) => number !== null)
}
