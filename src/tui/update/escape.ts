// The Escape ladder: one ordered list. The first rung that applies is taken; the footer names it.
import { keyContext, shownTab, topOverlay } from '../context.ts'
import type { TuiState } from '../state.ts'
import { enterBacktrack, escapeBacktrack, stopsOf } from './backtrack.ts'
import { emptyDraft } from './draft.ts'
import { answer } from './permission.ts'
import { withSessions } from './sessions.ts'
import { changeTab, pop, type Step, say, stay } from './step.ts'
import { nameOf } from './tabs.ts'
import { putBacktrack } from './transcript.ts'
import { toEnd } from './window.ts'

interface Rung {
  readonly id: string
  /** For the footer, after `esc`. */
  readonly label: string
  applies(state: TuiState): boolean
  take(state: TuiState): Step
}

const ladder: readonly Rung[] = [
  {
    id: 'refuse',
    label: 'deny and stop',
    applies: (state) => topOverlay(state)?.kind === 'permission',
    take(state) {
      const overlay = topOverlay(state)
      if (overlay?.kind !== 'permission') return stay(state)
      return answer(state, overlay, 'abort')
    },
  },
  {
    id: 'close_overlay',
    label: 'close',
    applies: (state) => state.overlays.length > 0,
    take(state) {
      const overlay = topOverlay(state)
      if (overlay?.kind === 'fork' && overlay.forking)
        return stay(say(state, 'The fork is being made; `offshoot undo` takes it back.'))
      return stay(pop(state))
    },
  },
  {
    id: 'clear_search',
    label: 'clear',
    applies: (state) => state.shown === 'sessions' && state.sessions.typing && state.sessions.query?.text !== '',
    take: (state) =>
      stay(withSessions(state, { query: emptyDraft, results: null, notes: [], searching: false, selected: 0, top: 0 })),
  },
  {
    id: 'leave_search',
    label: 'back to the list',
    applies: (state) => state.shown === 'sessions' && (state.sessions.typing || state.sessions.query !== null),
    take: (state) =>
      stay(withSessions(state, { query: null, typing: false, results: null, notes: [], searching: false, selected: 0, top: 0 })),
  },
  {
    id: 'close_completion',
    label: 'close',
    applies: (state) => keyContext(state) === 'completion',
    take: (state) => stay(changeTab(state, state.shown, (tab) => ({ ...tab, composer: { ...tab.composer, completion: null } }))),
  },
  {
    id: 'step_back',
    label: 'one message back',
    applies: (state) => (shownTab(state)?.backtrack ?? null) !== null,
    take(state) {
      const tab = shownTab(state)
      if (tab === null || tab.backtrack === null) return stay(state)
      return putBacktrack(state, tab, escapeBacktrack(tab.backtrack, state.now, tab.transcript.from > 1))
    },
  },
  {
    id: 'interrupt',
    label: 'stop the turn',
    applies: (state) => ['sending', 'running', 'waiting'].includes(shownTab(state)?.run.state ?? 'idle'),
    take(state) {
      const tab = shownTab(state)
      if (tab === null) return stay(state)
      const next = changeTab(state, tab.id, (each) => ({ ...each, run: { ...each.run, state: 'interrupting' } }))
      return stay(next, { kind: 'interrupt', tabId: tab.id, session: nameOf(tab) })
    },
  },
  {
    id: 'interrupting',
    label: '',
    applies: (state) => shownTab(state)?.run.state === 'interrupting',
    take: (state) => stay(say(state, 'The turn is being stopped.')),
  },
  {
    id: 'leave_transcript',
    label: 'to the composer',
    applies: (state) => shownTab(state)?.focus === 'transcript',
    take: (state) => stay(changeTab(state, state.shown, (tab) => ({ ...tab, focus: 'composer' }))),
  },
  {
    id: 'clear_composer',
    label: 'clear',
    applies: (state) => (shownTab(state)?.composer.draft.text ?? '') !== '',
    take: (state) =>
      stay(
        changeTab(state, state.shown, (tab) => ({
          ...tab,
          composer: { ...tab.composer, draft: emptyDraft, at: null, completion: null },
        })),
      ),
  },
  {
    id: 'backtrack',
    label: 'step back',
    applies(state) {
      const tab = shownTab(state)
      return tab !== null && stopsOf(tab).length > 0
    },
    take(state) {
      const tab = shownTab(state)
      const backtrack = tab === null ? null : enterBacktrack(tab, state.now)
      const entered = changeTab(state, state.shown, (each) => ({ ...each, backtrack }))
      // It begins at the newest message, which may have to be read first.
      return tab === null || tab.transcript.to === null ? stay(entered) : toEnd(entered, tab.id)
    },
  },
  {
    id: 'nothing',
    label: '',
    applies: () => true,
    take: (state) =>
      stay(say(state, state.shown === 'sessions' ? 'q leaves offshoot.' : 'There is nothing to step back to yet.')),
  },
]

export function nextRung(state: TuiState): Rung {
  const rung = ladder.find((each) => each.applies(state))
  if (rung === undefined) throw new Error('the last rung applies always')
  return rung
}
