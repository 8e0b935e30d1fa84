// After a fork: its tab, one line of ours in it, and the prompt it was forked at.
import { describeSetup, setupTail } from '../../lib/text/setup-lines.ts'
import type { ForkResult } from '../../model/fork.ts'
import type { TuiEvent } from '../events.ts'
import type { TuiState } from '../state.ts'
import { draftOf } from './draft.ts'
import { beginRun } from './run.ts'
import { type Step, stay } from './step.ts'
import { idle, makeTab, openTab, sendEffect } from './tabs.ts'

/** IN5: a new tab bound to the fork's workspace, and one line of ours that says what happened. */
export function openFork(state: TuiState, { result, seedId }: Extract<TuiEvent, { kind: 'forked' }>): Step {
  const { agent, sessionId, title, command, workspace } = result.fork
  const { pendingPrompt } = result.plan
  const text =
    seedId === null
      ? 'Fork created; waiting for your next prompt.'
      : 'Fork created; context injected; waiting for your next prompt.'
  const dialog = state.overlays.find((overlay) => overlay.kind === 'fork')
  // What was chosen for the source holds for what goes on from it, unless another agent does.
  const source = state.tabs.find(({ id }) => id === dialog?.tabId)
  const model = source?.agent === agent ? source.model : null
  const fresh = makeTab({ agent, sessionId, title, cwd: command.cwd, branch: workspace?.branch ?? null, model })
  const isSent = pendingPrompt !== undefined && dialog?.choices.send === true
  const tab = {
    ...fresh,
    forkSeedId: seedId,
    composer: { ...fresh.composer, draft: draftOf(isSent ? '' : (pendingPrompt ?? '')) },
    transcript: { ...fresh.transcript, system: [text, ...madeLines(result)].map((line) => ({ after: null, text: line })) },
    run: isSent ? beginRun(pendingPrompt, state.now, null) : idle,
  }
  const left = { ...state, tabs: state.tabs.map((each) => ({ ...each, backtrack: null })) }
  const opened = openTab(left, tab)
  if (!isSent) return opened
  return stay(opened.state, ...opened.effects, sendEffect(tab, pendingPrompt))
}

export function madeLines({ notes = [], setup }: Pick<ForkResult, 'notes' | 'setup'>): string[] {
  return [...notes, ...(setup === undefined ? [] : [`Set-up: ${describeSetup(setup)}.`, ...setupTail(setup)])]
}
