// Ways to stop: the turn, the line, offshoot itself.
import { shownTab } from '../context.ts'
import type { TuiState } from '../state.ts'
import { emptyDraft } from './draft.ts'
import { changeTab, type Step, say, stay } from './step.ts'
import { nameOf } from './tabs.ts'

/** Ctrl+C: the turn first, then the line, then twice to leave. */
export function stop(state: TuiState): Step {
  const tab = shownTab(state)
  if (tab !== null && ['sending', 'running', 'waiting'].includes(tab.run.state)) {
    const next = changeTab(state, tab.id, (each) => ({ ...each, run: { ...each.run, state: 'interrupting' } }))
    return stay(next, { kind: 'interrupt', tabId: tab.id, session: nameOf(tab) })
  }
  if (tab !== null && tab.composer.draft.text !== '' && state.overlays.length === 0) {
    return stay(
      changeTab(state, tab.id, (each) => ({
        ...each,
        composer: { ...each.composer, draft: emptyDraft, at: null, completion: null },
      })),
    )
  }
  if (state.quitting) return quit(state)
  return stay({ ...say(state, 'Ctrl+C once more leaves offshoot.'), quitting: true })
}

/** Twice, where turns are running: leaving stops them. */
export function quit(state: TuiState): Step {
  const running = state.tabs.filter(({ run }) => run.state !== 'idle').length
  if (running > 0 && !state.quitting) {
    return stay({
      ...say(state, `${running} running ${running === 1 ? 'turn' : 'turns'} would be stopped: once more to leave.`, 'error'),
      quitting: true,
    })
  }
  return stay(state, { kind: 'remember' }, { kind: 'quit' })
}
