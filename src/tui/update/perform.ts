// What an action does in the context it was pressed in. Actions of every context come first, then the context's own.
import { turnAddress } from '../../model/render.ts'
import { shownTab, topOverlay } from '../context.ts'
import type { Effect } from '../effects.ts'
import type { ActionId } from '../keys.ts'
import type { TuiState } from '../state.ts'
import type { Overlay } from '../state-overlay.ts'
import type { Tab } from '../state-tab.ts'
import { moveBacktrack } from './backtrack.ts'
import { updateComparison } from './compare.ts'
import { updateComposer } from './composer.ts'
import { emptyDraft } from './draft.ts'
import { nextRung } from './escape.ts'
import { openForkDialog, updateForkDialog } from './fork-dialog.ts'
import { askForLabel } from './label.ts'
import { quit, stop } from './leave.ts'
import { updateAsk, updateConfirm, updatePage, updateWorkers } from './overlays.ts'
import { updatePalette } from './palette.ts'
import { updatePermission } from './permission.ts'
import { sendDraft } from './send.ts'
import { selectedSession, updateSessions } from './sessions.ts'
import { changeTab, pop, push, type Step, say, stay } from './step.ts'
import { closeTab, nameOf, openSession, showTab, turnTabs } from './tabs.ts'
import { putBacktrack, updateTranscript } from './transcript.ts'
import { updateTree } from './tree.ts'

export function perform(state: TuiState, action: ActionId): Step {
  return performAnywhere(state, action) ?? performHere(state, action)
}

/** `null`: it depends on the context. */
function performAnywhere(state: TuiState, action: ActionId): Step | null {
  const tab = shownTab(state)
  switch (action) {
    case 'escape':
      return nextRung(state).take(state)
    case 'palette':
      return toggle(state, { kind: 'palette', query: emptyDraft, selected: 0 })
    case 'help':
      return toggle(state, { kind: 'help', top: 0 })
    case 'quit':
      return quit(state)
    case 'stop':
      return stop(state)
    case 'suspend':
      return stay(state, { kind: 'suspend' })
    case 'show_sessions':
      if (state.shown === 'sessions' && state.overlays.length === 0) return stay(say(state, 'These are the sessions.'))
      return stay(showTab({ ...state, overlays: [] }, 'sessions'))
    case 'next_tab':
      return turnTabs(state, 1)
    case 'previous_tab':
      return turnTabs(state, -1)
    case 'close_tab':
      return tab === null ? stay(say(state, 'This is no tab.')) : closeTab(state, tab.id)
    case 'tree':
      return toggle(
        state,
        { kind: 'tree', roots: null, selected: 0, top: 0, marked: [] },
        { kind: 'read_tree', session: tab === null ? null : nameOf(tab) },
      )
    case 'workers':
      return toggle(state, { kind: 'workers', selected: 0 }, { kind: 'list_workers' })
    case 'fork':
      return topOverlay(state)?.kind === 'tree' ? null : forkShown(state)
    case 'diff':
      return tab === null ? stay(say(state, 'Open a session first.')) : showDiff(state, tab)
    case 'open_in_cli':
      return tab === null
        ? stay(say(state, 'Open a session first.'))
        : stay(say(state, 'Opening it in its own UI ...'), { kind: 'open_in_cli', tabId: tab.id, session: nameOf(tab) })
    case 'restore':
      return tab === null
        ? stay(say(state, 'Open a session first.'))
        : stay(say(state, 'Looking at what that would change ...'), { kind: 'plan_restore', address: `${addressOf(tab)}@last` })
    case 'copy':
      return topOverlay(state)?.kind === 'tree' ? null : copyAddress(state)
    case 'label':
      return topOverlay(state)?.kind === 'tree' ? null : labelShown(state)
    case 'unfold_all':
      return tab === null ? stay(say(state, 'Open a session first.')) : updateTranscript(state, tab, action)
    case 'search':
    case 'filter_agent':
    case 'filter_scope':
    case 'refresh':
      return updateSessions(showTab({ ...state, overlays: [] }, 'sessions'), action)
    default:
      return null
  }
}

/** The same key again closes it; one of a kind is enough. */
function toggle(state: TuiState, overlay: Overlay, ...effects: Effect[]): Step {
  if (topOverlay(state)?.kind === overlay.kind) return stay(pop(state))
  const below = state.overlays.filter(({ kind }) => kind !== overlay.kind)
  return stay({ ...state, overlays: [...below, overlay] }, ...effects)
}

function performHere(state: TuiState, action: ActionId): Step {
  const overlay = topOverlay(state)
  switch (overlay?.kind) {
    case 'palette':
      return updatePalette(state, overlay, action, perform)
    case 'help':
    case 'diff':
      return updatePage(state, overlay, action)
    case 'fork':
      return updateForkDialog(state, overlay, action)
    case 'permission':
      return updatePermission(state, overlay, action)
    case 'tree':
      return updateTree(state, overlay, action)
    case 'compare':
      return updateComparison(state, overlay, action)
    case 'workers':
      return updateWorkers(state, overlay, action)
    case 'ask':
      return updateAsk(state, overlay, action)
    case 'confirm':
      return updateConfirm(state, overlay, action)
    case undefined:
      return performBelow(state, action)
  }
}

function performBelow(state: TuiState, action: ActionId): Step {
  const tab = shownTab(state)
  if (tab === null) return performInSessions(state, action)
  if (tab.backtrack !== null) return performInBacktrack(state, tab, action)
  switch (action) {
    case 'focus':
      return stay(changeTab(state, tab.id, (each) => ({ ...each, focus: each.focus === 'composer' ? 'transcript' : 'composer' })))
    case 'send':
      return sendDraft(state, tab, perform)
    case 'page_up':
    case 'page_down':
    case 'unfold':
    case 'next_fold':
    case 'previous_fold':
    case 'first':
    case 'last':
      return updateTranscript(state, tab, action)
    default:
      return tab.focus === 'transcript' ? updateTranscript(state, tab, action) : updateComposer(state, tab, action)
  }
}

function performInSessions(state: TuiState, action: ActionId): Step {
  const chosen = selectedSession(state.sessions)
  if (action !== 'open') return updateSessions(state, action)
  if (chosen === null && state.sessions.loading) return stay(say(state, 'Sessions are still being looked for.'))
  return chosen === null ? stay(say(state, 'There is no session here.')) : openSession(state, chosen.session)
}

/** Of the tab, or of what is under the cursor in the list. */
function copyAddress(state: TuiState): Step {
  const tab = shownTab(state)
  const chosen = selectedSession(state.sessions)
  const address = tab === null ? chosenAddress(chosen) : addressOf(tab)
  if (address === null) return stay(say(state, 'There is no session here.'))
  return stay(say(state, `Copied ${address}`), { kind: 'copy', text: address })
}

/** With the turn that was found, where one was. */
function chosenAddress(chosen: ReturnType<typeof selectedSession>): string | null {
  if (chosen === null) return null
  const { session, turn } = chosen
  return `${session.agent}:${session.id}${turn === null ? '' : `@${turn}`}`
}

function performInBacktrack(state: TuiState, tab: Tab, action: ActionId): Step {
  const { backtrack } = tab
  if (backtrack === null) return stay(state)
  const moves: Partial<Record<ActionId, number>> = { up: -1, down: 1, page_up: -10, page_down: 10 }
  const by = moves[action]
  if (by !== undefined) return putBacktrack(state, tab, moveBacktrack(backtrack, by))
  if (action === 'leave_backtrack') return putBacktrack(state, tab, null)
  if (action !== 'fork_here') return stay(state)
  const message = backtrack.stops[backtrack.at] ?? ''
  return openForkDialog(state, `${tab.agent}:${tab.sessionId}@m:${message}`, tab.id)
}

/** The tab's session at its end, or the one under the cursor, at the turn that was found. */
function forkShown(state: TuiState): Step {
  const tab = shownTab(state)
  if (tab !== null)
    return tab.backtrack === null ? openForkDialog(state, addressOf(tab), tab.id) : performInBacktrack(state, tab, 'fork_here')
  const address = chosenAddress(selectedSession(state.sessions))
  return address === null ? stay(say(state, 'There is no session to fork here.')) : openForkDialog(state, address, null)
}

/** Of the tab, or of what is under the cursor in the list. */
function labelShown(state: TuiState): Step {
  const tab = shownTab(state)
  if (tab !== null) return askForLabel(state, nameOf(tab), tab.label)
  const session = selectedSession(state.sessions)?.session
  if (session === undefined) return stay(say(state, 'There is no session here.'))
  return askForLabel(state, { agent: session.agent, sessionId: session.id }, session.label ?? null)
}

function showDiff(state: TuiState, tab: Tab): Step {
  const turn = tab.transcript.turns.findLast(({ snapshot }) => snapshot != null)
  if (turn === undefined)
    return stay(say(state, 'No turn of this session was captured: `offshoot hooks install` captures from now on.'))
  const address = turnAddress({ agent: tab.agent, id: tab.sessionId }, turn)
  if (topOverlay(state)?.kind === 'diff') return stay(pop(state))
  const below = { ...state, overlays: state.overlays.filter(({ kind }) => kind !== 'diff') }
  return stay(push(below, { kind: 'diff', title: `Turn ${turn.number}`, patch: null, top: 0 }), {
    kind: 'diff',
    address,
  })
}

function addressOf({ agent, sessionId }: Tab): string {
  return `${agent}:${sessionId}`
}
