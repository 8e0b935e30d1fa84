// What a step has to say: the state before and after it, as words to print. Nothing is said twice, nothing is drawn over.
import { cleanLine, cleanText } from '../../lib/text/clean.ts'
import { shownTab, topOverlay } from '../context.ts'
import type { TuiEvent } from '../events.ts'
import type { TuiState } from '../state.ts'
import type { Overlay } from '../state-overlay.ts'
import type { Run, Tab } from '../state-tab.ts'
import {
  agentName,
  describeCall,
  describeEnd,
  describeMessage,
  describeSessions,
  describeStops,
  describeTab,
  describeTabs,
  describeTools,
  describeTurns,
  describeWaiting,
  describeWords,
  titleOf,
} from './describe.ts'
import { describeOverlay } from './describe-overlay.ts'
import { parseWord } from './words.ts'

/** A line of its own, or text that flows on behind what was printed before. */
export interface Piece {
  readonly text: string
  readonly flows: boolean
}

export function tellStep(before: TuiState, after: TuiState, event: TuiEvent): readonly Piece[] {
  const lines = (texts: readonly string[]) => texts.map((text): Piece => ({ text, flows: false }))
  return [
    ...lines(event.kind === 'line' ? tellWord(before, after, event.text) : []),
    ...lines(tellPlace(before, after, event)),
    ...after.tabs.flatMap((tab) => tellRun(before, after, tab)),
    ...lines(tellNotice(before, after)),
  ]
}

/** Where one is, in full. */
export function describePlace(state: TuiState): string[] {
  const overlay = topOverlay(state)
  if (overlay !== null) return describeOverlay(state, overlay)
  const tab = shownTab(state)
  if (tab === null) return state.sessions.loading ? ['Looking for sessions ...'] : describeSessions(state)
  return tab.backtrack === null ? describeTab(tab) : describeStops(tab)
}

/** Words that only read. */
function tellWord(before: TuiState, state: TuiState, line: string): string[] {
  const spoken = parseWord(line)
  const isIdle = before.tabs === state.tabs && before.overlays.length === state.overlays.length
  if (line.trim() === '' && isIdle && before.notice === state.notice)
    return ['Type /again to hear where you are, /help for the words.']
  const tab = shownTab(state)
  const inTab = (describe: (tab: Tab) => string[]) => (tab === null ? ['Open a session first.'] : describe(tab))
  switch (spoken?.word) {
    case 'help':
      return describeWords()
    case 'again':
      return describePlace(state)
    case 'more':
      return before.sessions.top === state.sessions.top ? [] : describeSessions(state)
    case 'tabs':
      return describeTabs(state)
    case 'show':
      return inTab((each) => describeTurns(each, Math.max(1, spoken.number ?? 1)))
    case 'tools':
      return inTab(describeTools)
    case 'address':
      return inTab(({ agent, sessionId }) => [`${agent}:${sessionId}`])
    default:
      return []
  }
}

function tellPlace(before: TuiState, after: TuiState, event: TuiEvent): string[] {
  const [was, is] = [topOverlay(before), topOverlay(after)]
  if (is !== null) return [...tellGrowth(before, after, event), ...tellOverlay(after, was, is)]
  const tab = shownTab(after)
  if (before.shown !== after.shown) return describePlace(after)
  if (tab === null) return tellSessions(before, after, was)
  const old = before.tabs.find(({ id }) => id === tab.id)
  if (old === undefined) return describeTab(tab)
  if (old.transcript.loading && old.transcript.messages.length === 0)
    return old.transcript.loading === tab.transcript.loading ? [] : describeTab(tab)
  if (tab.backtrack !== null && tab.backtrack.stops !== old.backtrack?.stops) return describeStops(tab)
  const left = tab.backtrack === null && old.backtrack !== null
  const closed = was !== null && was.kind !== 'permission' && was.kind !== 'diff' && was.kind !== 'compare'
  const waits = tab.composer.draft !== old.composer.draft && event.kind !== 'line' ? describeWaiting(tab) : []
  const earlier = event.kind === 'turns_read' ? ['Earlier turns were read in: /show reads as many as you say.'] : []
  return [
    ...(left || closed ? [`Back in ${titleOf(tab.title)}.`] : []),
    ...earlier,
    ...tellGrowth(before, after, event),
    ...waits,
  ]
}

function tellSessions(before: TuiState, after: TuiState, closed: Overlay | null): string[] {
  const [was, is] = [before.sessions, after.sessions]
  const hasMore = is.results !== null && is.results !== was.results
  const hasCome = (was.loading && !is.loading) || (was.searching && !is.searching) || hasMore
  const isOther = closed !== null || (was.query !== null && is.query === null)
  if (!is.loading && !is.searching && (hasCome || isOther)) return describeSessions(after)
  return !was.searching && is.searching ? ['Searching ...'] : []
}

function tellOverlay(state: TuiState, was: Overlay | null, is: Overlay): string[] {
  const isNew = was === null || nameOf(was) !== nameOf(is)
  if (isNew) return describeOverlay(state, is)
  if (is.kind === 'fork' && was.kind === 'fork') {
    const isOther = is.forking !== was.forking || is.problem !== was.problem || is.plan !== was.plan
    if (isOther) return describeOverlay(state, is)
    return is.accepted === was.accepted ? [] : ['You said yes to the warnings. Type fork to make it, or cancel.']
  }
  const hasCome =
    (is.kind === 'tree' && was.kind === 'tree' && is.roots !== was.roots) ||
    (is.kind === 'diff' && was.kind === 'diff' && is.patch !== was.patch) ||
    (is.kind === 'compare' && was.kind === 'compare' && is.costs !== was.costs)
  return hasCome ? describeOverlay(state, is) : []
}

function nameOf(overlay: Overlay): string {
  return overlay.kind === 'permission' ? `permission ${overlay.request.id}` : overlay.kind
}

/** What others wrote into the session. What came in here was told as it came. */
function tellGrowth(before: TuiState, after: TuiState, event: TuiEvent): string[] {
  const tab = shownTab(after)
  const old = before.tabs.find(({ id }) => id === tab?.id)
  if (event.kind !== 'session_grew' || tab === null || old === undefined || old.run.prompt !== null) return []
  const known = new Map(old.transcript.messages.map((message) => [message.id, message]))
  return tab.transcript.messages
    .filter((message) => {
      const same = known.get(message.id)
      return message.id !== tab.dropped && (same?.text !== message.text || same.tool?.output !== message.tool?.output)
    })
    .flatMap((message) => describeMessage(message, tab.agent))
}

function tellRun(before: TuiState, after: TuiState, tab: Tab): Piece[] {
  const old = before.tabs.find(({ id }) => id === tab.id)
  if (old === undefined || old.run === tab.run) return []
  const lines = (...texts: string[]): Piece[] => texts.map((text) => ({ text, flows: false }))
  const [was, is] = [old.run, tab.run]
  const hasEnded = was.state !== 'idle' && is.state === 'idle'
  if (after.shown !== tab.id) {
    const number = after.tabs.indexOf(tab) + 1
    if (hasEnded) return lines(`Session ${number}, ${titleOf(tab.title)}: the turn is over. /tab ${number} goes there.`)
    const asks = is.permissions.length > was.permissions.length
    return asks ? lines(`Session ${number}, ${titleOf(tab.title)}, asks for something: /tab ${number} goes there.`) : []
  }
  const name = agentName(tab.agent)
  return [
    ...(was.state === 'idle' && is.state === 'sending' ? lines(`Sent to ${name}. Control C stops it.`) : []),
    ...(was.thinking === '' && is.thinking !== '' ? lines(`${name} is thinking.`) : []),
    ...tellParts(was, is, name),
    ...(was.state !== 'interrupting' && is.state === 'interrupting' ? lines('Stopping the turn ...') : []),
    ...(hasEnded ? lines(...endOf(is, name)) : []),
  ]
}

/** A turn that failed is told by its notice. */
function endOf({ outcome }: Run, name: string): string[] {
  return outcome === 'failed' ? [] : [outcome === 'interrupted' ? 'Stopped.' : `${name} is done.`]
}

function tellParts(was: Run, is: Run, name: string): Piece[] {
  if (is.parts === was.parts && is.streaming === was.streaming) return []
  return is.parts.flatMap((part, at): Piece[] => {
    const old = was.parts[at]
    if (old === part && was.streaming === is.streaming) return []
    if (part.tool !== undefined) {
      const begun = old === undefined ? [{ text: `${describeCall(part.tool)}.`, flows: false }] : []
      const isOver = part.tool.failed !== null && old?.tool?.failed == null
      return isOver ? [...begun, { text: `Tool ${cleanLine(part.tool.name)}: ${describeEnd(part.tool)}`, flows: false }] : begun
    }
    const isOpen = (run: Run) => run.streaming && at === run.parts.length - 1
    const told = old === undefined ? 0 : isOpen(was) ? wholeWords(old.text) : old.text.length
    const upTo = isOpen(is) ? wholeWords(part.text) : part.text.length
    if (old !== undefined && !part.text.startsWith(old.text.slice(0, told)))
      return [{ text: `${name}: ${cleanText(part.text).trim()}`, flows: false }]
    if (upTo <= told) return []
    const text = cleanText(part.text.slice(told, upTo))
    return told === 0
      ? [
          { text: `${name}: `, flows: false },
          { text: text.trimStart(), flows: true },
        ]
      : [{ text, flows: true }]
  })
}

const longestWord = 60

/** How much of an answer that still grows is whole words: half a word is read out wrongly. Not every script has blanks. */
function wholeWords(text: string): number {
  const end = text.length
  for (let at = end; at > Math.max(0, end - longestWord); at -= 1) if (/\s/.test(text[at - 1] ?? '')) return at
  return end < longestWord ? 0 : end - (/[\ud800-\udbff]$/.test(text) ? 1 : 0)
}

function tellNotice({ notice: was }: TuiState, { notice }: TuiState): string[] {
  if (notice === null || notice === was) return []
  const text = `${cleanLine(notice.text)} ${cleanLine(notice.hint ?? '')}`.trim()
  return [notice.kind === 'error' ? `Error: ${text}` : text]
}
