// A line of the plain mode, taken as the keys would be: the same actions on the same state. What only reads (`/show`, `/help`)
// changes nothing here; who prints looks at the line itself.
import { cleanText } from '../../lib/text/clean.ts'
import { shownTab, topOverlay } from '../context.ts'
import type { TuiState } from '../state.ts'
import type { Tab } from '../state-tab.ts'
import { enterBacktrack } from '../update/backtrack.ts'
import { parseCommand } from '../update/commands.ts'
import { draftOf, emptyDraft } from '../update/draft.ts'
import { openForkDialog } from '../update/fork-dialog.ts'
import { perform } from '../update/perform.ts'
import { selectedSession, typeInSearch, withSessions } from '../update/sessions.ts'
import { changeTab, type Step, say, stay } from '../update/step.ts'
import { showTab } from '../update/tabs.ts'
import { putBacktrack } from '../update/transcript.ts'
import { earlierTurns } from '../update/window.ts'
import { answerOverlay, forkInTree } from './answer-overlay.ts'
import { listedAtOnce } from './describe.ts'
import { explainWord, parseWord, type Spoken } from './words.ts'

export function hearLine(given: TuiState, text: string): Step {
  const line = cleanText(text).trimEnd()
  const spoken = parseWord(line)
  const isLeaving = spoken?.action === 'stop' || spoken?.action === 'quit'
  const asked = { ...leavePages(given), quitting: isLeaving && given.quitting }
  const overlay = topOverlay(asked)
  // A title or a prompt for a worker may be any text; there only /cancel is a word, and what leaves.
  if (overlay?.kind === 'ask' && !isLeaving && spoken?.word !== 'cancel') return answerOverlay(asked, overlay, line)
  if (spoken !== null) return hearWord(asked, spoken)
  if (overlay !== null) return answerOverlay(asked, overlay, line)
  const tab = shownTab(asked)
  if (tab === null) return hearInSessions(asked, line)
  return tab.backtrack === null ? hearInTab(asked, tab, line) : chooseStop(asked, tab, line)
}

const pages: ReadonlySet<string> = new Set(['diff', 'compare', 'help', 'palette'])

/** What was read out to its end needs no closing. */
function leavePages(state: TuiState): TuiState {
  return { ...state, overlays: state.overlays.filter(({ kind }) => !pages.has(kind)) }
}

function hearWord(state: TuiState, { word, number, text, action }: Spoken): Step {
  const tab = shownTab(state)
  switch (word) {
    case 'sessions': {
      // The list as it is now: it does not change by itself once it was read out.
      const all = cancelSearch(showTab({ ...state, overlays: [] }, 'sessions'))
      return perform(all, 'refresh')
    }
    case 'search':
      return search(state, text)
    case 'more':
      return readOn(state)
    case 'open':
      return openNumber(state, number ?? 0)
    case 'tab': {
      const wanted = state.tabs[(number ?? 0) - 1]
      if (wanted === undefined) return stay(say(state, `There is no open session ${number}: /tabs lists them.`, 'error'))
      return stay(showTab({ ...state, overlays: [] }, wanted.id))
    }
    case 'back':
      return tab === null ? stay(say(state, 'Open a session first.')) : stepBack(state, tab)
    case 'earlier':
      return readEarlier(state, tab)
    case 'fork':
      return number === null ? perform(state, 'fork') : forkNumber(state, number)
    case 'compare': {
      const overlay = topOverlay(state)
      return overlay === null ? stay(say(state, '/tree first.')) : answerOverlay(state, overlay, `compare ${text}`)
    }
    case 'restore':
    case 'label':
    case 'model':
      if (tab === null) return stay(say(state, 'Open a session first.'))
      return sendText(state, tab, `/${word} ${text}`)
    case 'cancel':
      return cancel(state)
    default:
      // Those that only read are printed by who looks on.
      return action === null ? stay(state) : perform(state, action)
  }
}

function cancel(state: TuiState): Step {
  const tab = shownTab(state)
  if (state.overlays.length > 0) return perform(state, 'escape')
  if (tab?.backtrack != null) return putBacktrack(state, tab, null)
  if (tab === null && state.sessions.query !== null) return stay(cancelSearch(state))
  if (tab !== null && tab.composer.draft.text !== '')
    return stay(changeTab(state, tab.id, (each) => ({ ...each, composer: { ...each.composer, draft: emptyDraft } })))
  return stay(say(state, 'There is nothing to cancel.'))
}

function cancelSearch(state: TuiState): TuiState {
  return withSessions(state, { query: null, typing: false, results: null, notes: [], searching: false, selected: 0, top: 0 })
}

function hearInSessions(state: TuiState, line: string): Step {
  if (/^\d{1,6}$/.test(line.trim())) return openNumber(state, Number(line))
  const wrong = explainWord(line)
  if (wrong !== null) return stay(say(state, wrong, 'error', '/help lists the words, /cli opens the agent itself.'))
  return line.trim() === '' ? stay(state) : search(state, line)
}

function search(state: TuiState, words: string): Step {
  const listed = showTab({ ...state, overlays: [] }, 'sessions')
  return typeInSearch(withSessions(listed, { query: emptyDraft, typing: false }), words)
}

/** The cursor goes along: a list that is read anew stays where it stands. */
function readOn(state: TuiState): Step {
  const { items, results, top } = state.sessions
  const next = top + listedAtOnce
  if (state.shown !== 'sessions' || next >= (results ?? items).length) return stay(say(state, 'There is no more.'))
  return stay(withSessions(state, { top: next, selected: next }))
}

/** The row with this number under the cursor, as it was read out. */
function select(state: TuiState, number: number): TuiState | null {
  const selected = withSessions(state, { selected: number - 1 })
  return selectedSession(selected.sessions) === null ? null : selected
}

function openNumber(state: TuiState, number: number): Step {
  const overlay = topOverlay(state)
  if (overlay?.kind === 'tree') return answerOverlay(state, overlay, String(number))
  const selected = select({ ...state, shown: 'sessions', overlays: [] }, number)
  return selected === null ? noSuch(state, number) : perform(selected, 'open')
}

function forkNumber(state: TuiState, number: number): Step {
  const overlay = topOverlay(state)
  if (overlay?.kind === 'tree') return forkInTree(state, overlay, number)
  if (state.shown !== 'sessions') return stay(say(state, 'A number is for the list: /sessions, or /back to fork at a message.'))
  const selected = select(state, number)
  return selected === null ? noSuch(state, number) : perform(selected, 'fork')
}

function noSuch(state: TuiState, number: number): Step {
  return stay(say(state, `There is no session ${number} in the list.`, 'error'))
}

function stepBack(state: TuiState, tab: Tab): Step {
  const backtrack = enterBacktrack(tab, state.now)
  if (backtrack === null) return stay(say(state, 'There is nothing to step back to yet.'))
  return stay(changeTab(state, tab.id, (each) => ({ ...each, backtrack })))
}

function readEarlier(state: TuiState, tab: Tab | null): Step {
  const more = tab === null ? null : earlierTurns(tab)
  if (tab === null || more === null) return stay(say(state, 'There is nothing earlier to read.'))
  const loading = changeTab(state, tab.id, (each) => ({ ...each, transcript: { ...each.transcript, loading: true } }))
  return stay(loading, more)
}

function chooseStop(state: TuiState, tab: Tab, line: string): Step {
  const at = /^\d{1,6}$/.test(line.trim()) ? Number(line) - 1 : -1
  const stop = tab.backtrack?.stops[at]
  if (stop === undefined) return stay(say(state, 'Type the number of a message, or /cancel.', 'error'))
  const moved = changeTab(state, tab.id, (each) => ({ ...each, backtrack: tab.backtrack && { ...tab.backtrack, at } }))
  return openForkDialog(moved, `${tab.agent}:${tab.sessionId}@m:${stop}`, tab.id)
}

function hearInTab(state: TuiState, tab: Tab, line: string): Step {
  const wrong = explainWord(line)
  if (wrong !== null) {
    const hint = '/help lists the words, /cli opens the agent itself. A space in front sends the line as it is.'
    return stay(say(state, wrong, 'error', hint))
  }
  const command = line.startsWith(':') ? parseCommand(line) : null
  if (command?.kind === 'refused') return stay(say(state, command.why, 'error', command.hint))
  const isEmpty = line.trim() === ''
  // An empty line sends what waits there: the prompt a fork was made at, or one that could not be sent.
  if (isEmpty && tab.composer.draft.text === '') return stay(state)
  const text = isEmpty ? tab.composer.draft.text : line
  if (tab.run.state === 'idle') return sendText(state, tab, text)
  const kept = changeTab(state, tab.id, (each) => ({ ...each, composer: { ...each.composer, draft: draftOf(text) } }))
  return stay(say(kept, 'The agent is still at work: Control C stops it. Your line is kept; an empty line sends it.', 'error'))
}

function sendText(state: TuiState, tab: Tab, text: string): Step {
  const composer = { ...tab.composer, draft: draftOf(text), completion: null }
  return perform(
    changeTab(state, tab.id, (each) => ({ ...each, focus: 'composer', composer })),
    'send',
  )
}
