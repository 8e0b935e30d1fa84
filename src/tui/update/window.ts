// How much of a session is kept while one moves through it: turns far from what one reads are dropped, and read again when they are
// wanted. Without that a session of 100 MB was in memory by the time one had scrolled to its start, and each key took longer.
import type { Message } from '../../model/session.ts'
import type { Effect } from '../effects.ts'
import type { TuiEvent } from '../events.ts'
import type { TuiState } from '../state.ts'
import type { Tab, Transcript } from '../state-tab.ts'
import { changeTranscript, lastTurn, withTranscript } from './change-transcript.ts'
import { changeTab, type Step } from './step.ts'
import { nameOf, openEffect } from './tabs.ts'

const moreTurns = 20
/** Whatever is over either of these goes, at the end that is farther away. */
const mostMessages = 500
const mostCharacters = 4_000_000
/** So many on both sides of what one reads stay in any case: they fill the screen. */
const fewestAround = 100

/** The turns before, unless they are on their way. */
export function earlierTurns(tab: Tab): Effect | null {
  const { from, loading } = tab.transcript
  if (from <= 1 || loading) return null
  return { kind: 'read_turns', tabId: tab.id, session: nameOf(tab), from: Math.max(1, from - moreTurns), to: from - 1 }
}

/** The turns behind those that are here, unless they are on their way; the last ones with what is new by then. */
export function laterTurns(tab: Tab): Effect | null {
  const { to, loading } = tab.transcript
  if (to === null || loading) return null
  const range = { tabId: tab.id, session: nameOf(tab), from: to + 1 }
  return to + moreTurns < lastTurn(tab.transcript)
    ? { kind: 'read_turns', ...range, to: to + moreTurns }
    : { kind: 'follow', ...range }
}

/** The end is shown again, and followed; where it is not here, it is read. */
export function toEnd(state: TuiState, tabId: string): Step {
  const tab = state.tabs.find(({ id }) => id === tabId)
  const isHere = tab === undefined || tab.transcript.to === null
  const next = changeTranscript(state, tabId, (transcript) => ({
    ...transcript,
    scroll: 0,
    anchor: null,
    reveal: false,
    loading: transcript.loading || !isHere,
  }))
  return { state: next, effects: isHere ? [] : [openEffect(tab)] }
}

/** What was read on the way up or down. What does not follow on what is here any more is passed over. */
export function withTurns(transcript: Transcript, { from, to, messages }: Extract<TuiEvent, { kind: 'turns_read' }>): Transcript {
  const read = { ...transcript, loading: false }
  if (to === transcript.from - 1) return { ...read, from, messages: [...messages, ...transcript.messages] }
  if (from - 1 === transcript.to) return { ...read, to, messages: [...transcript.messages, ...messages] }
  return read
}

/** Not while one steps back, which goes through all that was read; nor in plain lines, where one reads as much as one asks for. */
export function boundWindow(state: TuiState, tabId: string): TuiState {
  if (state.plain) return state
  const around = Math.max(fewestAround, 2 * state.size.rows)
  return changeTab(state, tabId, (tab) => {
    const focus = tab.backtrack === null ? focusIn(tab.transcript) : null
    return focus === null ? tab : withTranscript(tab, dropFar(tab.transcript, focus, around))
  })
}

/** The place of the message one reads; `null`: not known before it was measured. */
function focusIn({ messages, scroll, anchor, to }: Transcript): number | null {
  if (anchor === null) return scroll === 0 && to === null ? messages.length - 1 : null
  if (anchor.id === 'run') return messages.length - 1
  const at = messages.findIndex(({ id }) => id === anchor.id)
  return at === -1 ? null : at
}

function dropFar(transcript: Transcript, focus: number, around: number): Transcript {
  const { messages, turns } = transcript
  const sizes = messages.map(sizeOf)
  let [first, end, characters] = [0, messages.length, sizes.reduce((sum, size) => sum + size, 0)]
  while (end - first > mostMessages || characters > mostCharacters) {
    const isEarly = focus - first > end - 1 - focus
    const [start, stop] = isEarly ? [first, turnEnd(messages, first)] : [turnStart(messages, end - 1), end]
    if (isEarly ? focus - stop < around : start - focus <= around) break
    characters -= sizes.slice(start, stop).reduce((sum, size) => sum + size, 0)
    if (isEarly) first = stop
    else end = start
  }
  if (first === 0 && end === messages.length) return transcript
  const numberOf = (at: number) => turns.find(({ id }) => id === messages[at]?.turnId)?.number ?? null
  const from = first === 0 ? transcript.from : numberOf(first)
  const to = end === messages.length ? transcript.to : numberOf(end - 1)
  // Between turns that are not of the live chain there is no place to read on from.
  if (from === null || (to === null && end < messages.length)) return transcript
  return { ...transcript, from, to, messages: messages.slice(first, end) }
}

function turnEnd(messages: readonly Message[], at: number): number {
  const next = messages.findIndex(({ turnId }, index) => index > at && turnId !== messages[at]?.turnId)
  return next === -1 ? messages.length : next
}

function turnStart(messages: readonly Message[], at: number): number {
  let start = at
  while (start > 0 && messages[start - 1]?.turnId === messages[at]?.turnId) start -= 1
  return start
}

function sizeOf({ text, thinking, tool }: Message): number {
  return text.length + (thinking?.length ?? 0) + (tool?.output?.length ?? 0) + sizeOfArguments(tool?.arguments)
}

/** Files that were written are in them. */
function sizeOfArguments(given: unknown): number {
  if (typeof given === 'string') return given.length
  if (typeof given !== 'object' || given === null) return 0
  return Object.values(given).reduce((sum: number, each) => sum + (typeof each === 'string' ? each.length : 0), 0)
}
