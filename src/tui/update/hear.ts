// What effects and the app tell, taken into the state. An answer to a question that was asked again since is passed over.
import type { AppEvent } from '../../model/event.ts'
import type { Effect } from '../effects.ts'
import type { TuiEvent } from '../events.ts'
import type { TuiState } from '../state.ts'
import type { Tab } from '../state-tab.ts'
import { changeTranscript, lastTurn } from './change-transcript.ts'
import { offer } from './composer.ts'
import { draftOf } from './draft.ts'
import { requestOf } from './fork-dialog.ts'
import { labelled } from './label.ts'
import { openFork } from './open-fork.ts'
import { dropQuestions } from './permission.ts'
import { findMissed, readInto } from './read-session.ts'
import { endRun, hearRun } from './run.ts'
import { found, listEffect, listed, withSessions } from './sessions.ts'
import { changeOverlay, changeTab, push, type Step, say, stay } from './step.ts'
import { nameOf } from './tabs.ts'
import { boundWindow, withTurns } from './window.ts'

type Heard = Exclude<TuiEvent, { kind: 'key' | 'paste' | 'line' | 'mouse' | 'scrolled' | 'resize' | 'tick' }>

export function hearEffect(state: TuiState, event: Heard): Step {
  switch (event.kind) {
    case 'sessions_listed':
      return stay(listed(state, event.sessions, event.elsewhere))
    case 'searched':
      return stay(found(state, event.text, event.answer))
    case 'index_read':
      return stay({ ...state, index: event.index })
    case 'session_opened':
      return stay(takeIn(state, event))
    case 'session_grew': {
      const tab = state.tabs.find(({ id }) => id === event.tabId)
      const missed = tab === undefined ? null : findMissed(tab.transcript, event)
      if (tab !== undefined && missed !== null)
        return stay(state, { kind: 'follow', tabId: tab.id, session: nameOf(tab), from: missed })
      return stay(takeIn(state, event))
    }
    case 'open_failed': {
      const isEmpty = state.tabs.find(({ id }) => id === event.tabId)?.transcript.messages.length === 0
      // What was read of it before stays in sight.
      const problem = isEmpty ? event.message : null
      const failed = changeTranscript(state, event.tabId, (transcript) => ({ ...transcript, loading: false, problem }))
      return stay(isEmpty ? failed : say(failed, event.message, 'error'))
    }
    case 'restore_planned': {
      const { root, changes } = event.plan
      const title = `Bring back ${changes.length} files in ${root}`
      if (changes.length === 0) return stay(say(state, 'The files are as that turn left them.'))
      return stay(
        push(state, {
          kind: 'confirm',
          title,
          lines: changes.map(({ path, added, removed }) => `${path}  +${added ?? '?'} -${removed ?? '?'}`),
          note: 'What is there now can be brought back by offshoot undo.',
          effect: { kind: 'restore', plan: event.plan },
        }),
      )
    }
    case 'turns_read':
      return stay(
        boundWindow(
          changeTranscript(state, event.tabId, (transcript) => withTurns(transcript, event)),
          event.tabId,
        ),
      )
    case 'run':
      return stay(hearRun(state, event.tabId, event.event))
    case 'run_failed':
      return stay(
        say(
          changeTab(dropQuestions(state, event.tabId, null), event.tabId, (tab) => failRun(tab, event.message)),
          event.message,
          'error',
          event.hint,
        ),
      )
    case 'planned':
      return stay(changeOverlay(state, 'fork', (overlay) => ({ ...overlay, plan: event.plan })))
    case 'plan_failed':
    case 'fork_failed': {
      const { message, hint } = event
      // A plan that could not be carried out is made and shown again; what was accepted was accepted of the old one.
      const without = event.kind === 'fork_failed' ? { plan: null, accepted: [] } : {}
      const failed = changeOverlay(state, 'fork', (overlay) => {
        return { ...overlay, forking: false, problem: { message, hint }, ...without }
      })
      const dialog = failed.overlays.find((overlay) => overlay.kind === 'fork')
      return event.kind === 'fork_failed' && dialog !== undefined
        ? stay(failed, { kind: 'plan_fork', request: requestOf(dialog) })
        : stay(failed)
    }
    case 'forked':
      return openFork(state, event)
    case 'tree_read':
      return stay(changeOverlay(state, 'tree', (overlay) => ({ ...overlay, roots: event.roots })))
    case 'diffed':
      return stay(changeOverlay(state, 'diff', (overlay) => ({ ...overlay, patch: event.patch })))
    case 'compared': {
      const { costs, diff, problem } = event
      return stay(changeOverlay(state, 'compare', (overlay) => ({ ...overlay, costs, diff, problem })))
    }
    case 'labelled':
      return stay(labelled(state, event.session, event.label))
    case 'workers_listed': {
      const last = Math.max(0, event.workers.length - 1)
      const next = { ...state, workers: event.workers }
      return stay(changeOverlay(next, 'workers', (overlay) => ({ ...overlay, selected: Math.min(overlay.selected, last) })))
    }
    case 'completed':
      return stay(
        changeTab(state, event.tabId, (tab) => {
          const { completion } = tab.composer
          if (completion?.kind !== 'file' || completion.word !== event.word) return tab
          const choices = event.files.map((value) => ({ value, note: '' }))
          return {
            ...tab,
            composer: { ...tab.composer, completion: choices.length === 0 ? null : { ...completion, choices, selected: 0 } },
          }
        }),
      )
    case 'models_found':
      return stay(
        changeTab(state, event.tabId, (tab) => {
          const { completion } = tab.composer
          if (completion?.kind !== 'model' || completion.word !== event.word) return tab
          const choices = event.models.map((value) => ({ value, note: '' }))
          return { ...tab, composer: { ...tab.composer, completion: offer({ ...completion, choices, selected: 0 }) } }
        }),
      )
    case 'told':
      return stay(say(state, event.text))
    case 'failed':
      return stay(say(withoutWaiting(state, event.of), event.message, 'error', event.hint))
    case 'app':
      return hearApp(state, event.event)
  }
}

function takeIn(state: TuiState, event: Extract<Heard, { kind: 'session_opened' | 'session_grew' }>): TuiState {
  return boundWindow(
    changeTab(state, event.tabId, (tab) => readInto(tab, event, state.plain)),
    event.tabId,
  )
}

/** What nothing will come for any more stops waiting. */
function withoutWaiting(state: TuiState, of: Effect['kind'] | undefined): TuiState {
  switch (of) {
    case 'list_sessions':
      return withSessions(state, { loading: false })
    case 'search':
      return withSessions(state, { searching: false })
    case 'read_turns':
    case 'follow':
      return { ...state, tabs: state.tabs.map((tab) => ({ ...tab, transcript: { ...tab.transcript, loading: false } })) }
    case 'read_tree':
      return { ...state, overlays: state.overlays.filter((overlay) => overlay.kind !== 'tree' || overlay.roots !== null) }
    case 'compare':
      return { ...state, overlays: state.overlays.filter(({ kind }) => kind !== 'compare') }
    case 'diff':
      return { ...state, overlays: state.overlays.filter((overlay) => overlay.kind !== 'diff' || overlay.patch !== null) }
    default:
      return state
  }
}

/** The prompt is not lost: it comes back into an empty composer, or stays in sight with what has come in. */
function failRun(tab: Tab, message: string): Tab {
  // The turn itself was over: what failed came after it.
  if (tab.run.state === 'idle') return tab
  const { draft } = tab.composer
  const { prompt, parts } = tab.run
  const back = draft.text === '' && parts.length === 0 ? draftOf(prompt ?? '') : draft
  const run = endRun(parts.length === 0 ? { ...tab.run, prompt: null } : tab.run, 'failed', message)
  return { ...tab, run, forkSeedId: null, composer: { ...tab.composer, draft: back } }
}

function hearApp(state: TuiState, event: AppEvent): Step {
  switch (event.type) {
    case 'session.updated': {
      const tab = state.tabs.find(({ agent, sessionId }) => agent === event.data.agent && sessionId === event.data.sessionId)
      const from = tab === undefined ? 1 : lastTurn(tab.transcript)
      // While our own turn runs, what streams in is ahead of the file.
      const follow =
        tab === undefined || tab.run.state !== 'idle'
          ? []
          : [{ kind: 'follow' as const, tabId: tab.id, session: nameOf(tab), from }]
      return stay(state, listEffect(state.sessions), ...follow)
    }
    case 'worker.created':
    case 'worker.ready':
    case 'worker.exited':
      return stay(state, { kind: 'list_workers' })
    default:
      return stay(state)
  }
}
