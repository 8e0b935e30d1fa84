// The mode in which Escape goes back: it must be unmistakable.
import type { Line, Paint } from '../draw.ts'
import type { Tab } from '../state-tab.ts'
import { padStyled } from '../text/wrap-styled.ts'

export function drawBanner(tab: Tab, columns: number, paint: Paint): readonly Line[] {
  const { backtrack, transcript } = tab
  if (backtrack === null) return []
  const message = transcript.messages.find(({ id }) => id === backtrack.stops[backtrack.at])
  const at = transcript.turns.findIndex(({ id }) => id === message?.turnId)
  // A fork at a prompt ends before it: its turn is dropped, and the prompt waits in the composer.
  const kept = at + (message?.role === 'user' ? 0 : 1)
  const turn = transcript.turns[at]
  const snapshot = turn?.snapshot ?? null
  const changed = snapshot?.changesUnknown === true ? 'captured, its start not' : `${snapshot?.files.length ?? 0} files changed`
  const code = snapshot === null ? 'code not captured' : `code: ${changed}`
  const dropped = transcript.turns.length - kept
  const text = ` BACKTRACK  keeps ${kept} ${kept === 1 ? 'turn' : 'turns'}, drops ${dropped} · ${code}`
  return [{ text: paint.selected(paint.bold(padStyled(paint.warn(text), columns))) }]
}
