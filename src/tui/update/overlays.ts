// Keys among the workers, on a page of text, before a yes, and in a question of one line.
import type { ActionId } from '../keys.ts'
import { helpLength } from '../keys.ts'
import type { TuiState } from '../state.ts'
import type { Overlay } from '../state-overlay.ts'
import { edit, emptyDraft } from './draft.ts'
import { setForkField } from './fork-dialog.ts'
import { answerQuestion } from './permission.ts'
import { changeTop, moveOf, pop, push, type Step, say, stay } from './step.ts'

type Of<K extends Overlay['kind']> = Extract<Overlay, { kind: K }>

export function updateWorkers(state: TuiState, overlay: Of<'workers'>, action: ActionId): Step {
  const count = state.workers.length
  const worker = state.workers[overlay.selected]
  if (action === 'close') return stay(pop(state))
  if (worker === undefined) return stay(say(state, 'There are no workers: `offshoot start claude --terminal tmux` starts one.'))
  const by = moveOf(action, Math.max(1, state.size.rows - 6), count)
  if (by !== undefined) {
    const selected = Math.max(0, Math.min(count - 1, overlay.selected + by))
    return stay(changeTop(state, { ...overlay, selected }))
  }
  const { name } = worker
  switch (action) {
    case 'attach':
      return stay(say(state, `Attaching to ${name} ...`), { kind: 'attach', worker: name })
    case 'stop_worker': {
      const lines = [`${worker.agent}, ${worker.state}, in ${worker.cwd}`]
      const note = 'Its session stays; it can be resumed.'
      return stay(push(state, { kind: 'confirm', title: `Stop ${name}`, lines, note, effect: { kind: 'stop_worker', name } }))
    }
    case 'fork_worker':
      return stay(say(state, `Forking ${name} ...`), { kind: 'fork_worker', name, newName: null })
    case 'send_worker':
      return stay(push(state, { kind: 'ask', label: `To ${name}`, draft: emptyDraft, answers: { kind: 'send', worker: name } }))
    default:
      return stay(state)
  }
}

/** Help and diff: text one scrolls, as far as there is any. */
export function updatePage(state: TuiState, overlay: Of<'help'> | Of<'diff'>, action: ActionId): Step {
  if (action === 'close') return stay(pop(state))
  const page = pageRows(state, overlay.kind)
  const end = Math.max(0, (overlay.kind === 'help' ? helpLength : lineCount(overlay.patch ?? '')) - page)
  const by = moveOf(action, page, end)
  return stay(by === undefined ? state : changeTop(state, { ...overlay, top: Math.max(0, Math.min(end, overlay.top + by)) }))
}

/** Below the tabs and above the footer; a diff has a head. */
function pageRows({ size }: TuiState, kind: 'help' | 'diff'): number {
  return Math.max(1, size.rows - (kind === 'help' ? 4 : 6))
}

function lineCount(text: string): number {
  return text.trimEnd().split('\n').length
}

export function updateConfirm(state: TuiState, { effect }: Of<'confirm'>, action: ActionId): Step {
  if (action === 'close') return stay(pop(state))
  return action === 'confirm' ? stay(pop(state), effect) : stay(state)
}

export function updateAsk(state: TuiState, overlay: Of<'ask'>, action: ActionId): Step {
  if (action !== 'choose') {
    const draft = edit(overlay.draft, action)
    return stay(draft === null ? state : changeTop(state, { ...overlay, draft }))
  }
  const below = pop(state)
  const { answers } = overlay
  const { text } = overlay.draft
  switch (answers.kind) {
    case 'fork_field': {
      const dialog = below.overlays.at(-1)
      return dialog?.kind === 'fork' ? setForkField(below, dialog, answers.field, text) : stay(below)
    }
    case 'label':
      return stay(below, { kind: 'label_session', session: answers.session, label: text.trim() === '' ? null : text })
    case 'question':
      return answerQuestion(state, answers, text)
    case 'send':
      if (text.trim() === '') return stay(say(state, 'Type what it is to do first.'))
      return stay(say(below, `Sending to ${answers.worker} ...`), { kind: 'send_to_worker', name: answers.worker, prompt: text })
  }
}
