// What effects and the app tell, taken into the state. An answer to a question that was asked again since is passed over.
import type { AppEvent } from '../../model/event.ts'
import type { TuiEvent } from '../events.ts'
import type { Tab, TuiState } from '../state.ts'
import { draftOf } from './draft.ts'
import { requestOf } from './fork-dialog.ts'
import { hearRun } from './run.ts'
import { listEffect, rowCount, withSessions } from './sessions.ts'
import { changeOverlay, changeTab, push, type Step, say, stay } from './step.ts'
import { idle, makeTab, nameOf, openTab } from './tabs.ts'
import { changeTranscript, withGrowth } from './transcript.ts'

type Heard = Exclude<TuiEvent, { kind: 'key' | 'paste' | 'mouse' | 'scrolled' | 'resize' | 'tick' }>

export function hearEffect(state: TuiState, event: Heard): Step {
  switch (event.kind) {
    case 'sessions_listed': {
      const next = withSessions(state, { items: event.sessions, loading: false })
      const selected = Math.max(0, Math.min(next.sessions.selected, rowCount(next.sessions) - 1))
      return stay(withSessions(next, { selected }))
    }
    case 'searched':
      if (event.text !== state.sessions.query?.text) return stay(state)
      return stay(
        withSessions(state, { results: event.answer.results, notes: event.answer.notes, searching: false, selected: 0, top: 0 }),
      )
    case 'session_opened':
    case 'session_grew':
      return stay(changeTab(state, event.tabId, (tab) => readInto(tab, event)))
    case 'open_failed':
      return stay(
        changeTranscript(state, event.tabId, (transcript) => ({ ...transcript, loading: false, problem: event.message })),
      )
    case 'restore_planned': {
      const title = `Bring back ${event.lines.length} files in ${event.root}`
      if (event.lines.length === 0) return stay(say(state, 'The files are as that turn left them.'))
      return stay(
        push(state, { kind: 'confirm', title, lines: event.lines, effect: { kind: 'restore', address: event.address } }),
      )
    }
    case 'turns_read':
      return stay(
        changeTranscript(state, event.tabId, (transcript) => ({
          ...transcript,
          loading: false,
          from: event.from,
          messages: [...event.messages, ...transcript.messages],
        })),
      )
    case 'run':
      return stay(hearRun(state, event.tabId, event.event))
    case 'run_failed':
      return stay(
        say(
          changeTab(state, event.tabId, (tab) => ({ ...tab, run: idle, forkSeedId: null })),
          event.message,
          'error',
          event.hint,
        ),
      )
    case 'planned':
      return stay(changeOverlay(state, 'fork', (overlay) => ({ ...overlay, plan: event.plan, problem: null })))
    case 'plan_failed':
    case 'fork_failed': {
      const { message, hint } = event
      const failed = changeOverlay(state, 'fork', (overlay) => ({ ...overlay, forking: false, problem: { message, hint } }))
      // A plan that no longer holds, or did not need what was said yes to, is made anew.
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
    case 'workers_listed':
      return stay({ ...state, workers: event.workers })
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
    case 'told':
      return stay(say(state, event.text))
    case 'failed':
      return stay(say(state, event.message, 'error', event.hint))
    case 'app':
      return hearApp(state, event.event)
  }
}

/** IN6: the first answer after a seed is dropped once, keyed to the fork this tab has just made. */
function readInto(tab: Tab, event: Extract<Heard, { kind: 'session_opened' | 'session_grew' }>): Tab {
  const first = tab.forkSeedId === null ? undefined : event.messages.find(({ role }) => role === 'assistant')
  return {
    ...tab,
    title: event.session.title,
    branch: event.session.branch,
    cwd: event.session.cwd ?? tab.cwd,
    forkSeedId: first === undefined ? tab.forkSeedId : null,
    dropped: first?.id ?? tab.dropped,
    transcript: withGrowth(tab.transcript, event.from, event.messages, event.turns),
  }
}

/** IN5: a new tab bound to the fork's workspace, and one line of ours that says what happened. */
function openFork(state: TuiState, { result, seedId }: Extract<Heard, { kind: 'forked' }>): Step {
  const { fork } = result
  const { agent, sessionId, title, command, workspace, pendingPrompt } = fork
  const fresh = makeTab({ agent, sessionId, title, cwd: command.cwd, branch: workspace?.branch ?? null })
  const text =
    seedId === null
      ? 'Fork created; waiting for your next prompt.'
      : 'Fork created; context injected; waiting for your next prompt.'
  const tab = {
    ...fresh,
    forkSeedId: seedId,
    composer: { ...fresh.composer, draft: draftOf(pendingPrompt ?? '') },
    transcript: { ...fresh.transcript, system: [{ after: null, text }] },
  }
  const left = { ...state, tabs: state.tabs.map((each) => ({ ...each, backtrack: null })) }
  return openTab(left, tab)
}

function hearApp(state: TuiState, event: AppEvent): Step {
  switch (event.type) {
    case 'session.updated': {
      const tab = state.tabs.find(({ agent, sessionId }) => agent === event.data.agent && sessionId === event.data.sessionId)
      const from = Math.max(1, tab?.transcript.turns.length ?? 1)
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
