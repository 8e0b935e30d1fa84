// Where the window of the shown tab stands, which only who lays it out can tell: measured before and after what a person does.
import { shownTab } from './context.ts'
import type { Paint } from './draw.ts'
import type { TuiEvent } from './events.ts'
import { measureScroll, revealedScroll, transcriptLimit } from './screens/tab.ts'
import type { TuiState } from './state.ts'

export type Scrolled = Omit<Extract<TuiEvent, { kind: 'scrolled' }>, 'at'>

/** Rows are counted from where the window is by now: the end may have grown since it was moved. */
export function syncScroll(state: TuiState, paint: Paint, tell: (event: Scrolled) => void): void {
  const tab = shownTab(state)
  if (tab === null || tab.transcript.anchor === null) return
  const place = measureScroll(state, tab, paint)
  if (place !== null && place.scroll !== tab.transcript.scroll)
    tell({ kind: 'scrolled', tabId: tab.id, ...place, atTop: false, atBottom: false })
}

/** How far one can scroll, and at which row the window stands, is known once it is laid out. */
export function boundScroll(state: TuiState, paint: Paint, tell: (event: Scrolled) => void): void {
  const tab = shownTab(state)
  if (tab === null) return
  const { transcript } = tab
  const revealed = revealedScroll(state, tab, paint)
  const follows = transcript.scroll === 0 && transcript.to === null
  if (revealed === null && (follows || transcript.anchor !== null)) return
  const limit = transcriptLimit(state, tab, paint)
  const scroll = Math.min(limit, revealed ?? transcript.scroll)
  const place = measureScroll(state, { ...tab, transcript: { ...transcript, scroll, anchor: null } }, paint)
  const atTop = revealed === null && transcript.scroll >= limit
  // A screen ahead, so that one does not run into the end of what is here.
  const atBottom = transcript.to !== null && scroll <= state.size.rows
  tell({ kind: 'scrolled', tabId: tab.id, scroll, anchor: place?.anchor ?? null, atTop, atBottom })
}
