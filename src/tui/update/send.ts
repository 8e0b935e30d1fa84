// Enter in the composer: a command of ours, or a prompt for the agent.
import type { ActionId } from '../keys.ts'
import type { TuiState } from '../state.ts'
import type { Tab } from '../state-tab.ts'
import { lastLive } from './change-transcript.ts'
import { parseCommand } from './commands.ts'
import { keepCutOff } from './cut-off.ts'
import { emptyDraft } from './draft.ts'
import { askForLabel } from './label.ts'
import { chooseModel } from './model.ts'
import { beginRun } from './run.ts'
import { changeTab, type Step, say, stay } from './step.ts'
import { nameOf, sendEffect } from './tabs.ts'
import { toEnd } from './window.ts'

const keptHistory = 200

export function sendDraft(state: TuiState, tab: Tab, perform: (state: TuiState, action: ActionId) => Step): Step {
  const { text } = tab.composer.draft
  if (text.trim() === '') return stay(say(state, 'Type what you want first.'))
  const command = parseCommand(text)
  const cleared = changeTab(state, tab.id, (each) => ({ ...each, composer: remembered(each, text) }))
  switch (command?.kind) {
    case undefined:
      return sendPrompt(state, cleared, tab, text)
    case 'fork':
    case 'tree':
    case 'diff':
    case 'help':
      return perform(cleared, command.kind)
    case 'restore': {
      const turn = command.turn ?? 'last'
      return stay(cleared, { kind: 'plan_restore', address: `${tab.agent}:${tab.sessionId}@${turn}` })
    }
    case 'label':
      if (command.text === null) return askForLabel(cleared, nameOf(tab), tab.label)
      return stay(cleared, { kind: 'label_session', session: nameOf(tab), label: command.text })
    case 'model':
      return chooseModel(state, cleared, tab, command.name)
    case 'fork_worker':
      return stay(cleared, { kind: 'fork_worker', name: command.worker, newName: command.name })
    case 'refused':
      return stay(say(state, command.why, 'error', command.hint))
  }
}

/** Nothing is ever sent while the agent works or waits: it would land inside the running turn. */
function sendPrompt(state: TuiState, cleared: TuiState, tab: Tab, text: string): Step {
  if (tab.run.state !== 'idle') return stay(say(state, 'The agent is still at work: Esc stops it.', 'error'))
  const next = changeTab(cleared, tab.id, (each) => {
    const kept = keepCutOff(each, state.plain)
    const run = beginRun(text, state.now, lastLive(kept.transcript)?.id ?? null)
    return { ...kept, run }
  })
  const shown = toEnd(next, tab.id)
  return stay(shown.state, ...shown.effects, sendEffect(tab, text))
}

function remembered(tab: Tab, text: string): Tab['composer'] {
  const history = [...tab.composer.history.filter((each) => each !== text), text].slice(-keptHistory)
  return { draft: emptyDraft, history, at: null, kept: emptyDraft, completion: null }
}
