// What an agent asks leave for. The question comes up only over the tab it is of; other tabs carry a mark. Keys that were meant for
// what one was typing into must not answer it: an Enter that comes a moment too late would say yes to anything.
import { describeQuestion, fitAnswer } from '../../lib/answers.ts'
import { AppError } from '../../model/error.ts'
import type { Decision } from '../../model/run.ts'
import { shownTab } from '../context.ts'
import type { ActionId } from '../keys.ts'
import type { TuiState } from '../state.ts'
import type { Overlay, PermissionOverlay, QuestionPurpose } from '../state-overlay.ts'
import type { Run } from '../state-tab.ts'
import { emptyDraft } from './draft.ts'
import { changeTab, changeTop, push, type Step, say, stay } from './step.ts'

export const verdicts = ['allow', 'allow_session', 'deny'] as const

/** Longer than it takes to stop typing. */
const lookFirstMs = 700

/** Puts the oldest open question of a tab before the person, if that tab is shown and none is there. */
export function askLeave(state: TuiState, tabId: string): TuiState {
  const tab = shownTab(state)
  const request = tab?.run.permissions[0]
  if (tab === null || tab.id !== tabId || request === undefined) return state
  if (state.overlays.some(({ kind }) => kind === 'permission')) return state
  const wasTyping = state.plain || state.overlays.length > 0 || (tab.focus === 'composer' && tab.composer.draft.text !== '')
  const overlay: PermissionOverlay = {
    kind: 'permission',
    tabId,
    request,
    selected: 0,
    interruptedAt: wasTyping ? state.now : null,
  }
  return { ...state, overlays: [...state.overlays, overlay] }
}

/** Questions of other tabs wait with their tabs. */
export function leaveQuestions(state: TuiState): TuiState {
  return { ...state, overlays: state.overlays.filter((overlay) => questionOf(overlay) === null) }
}

/** What of an agent's an overlay is about: leave that is asked for, or a question that is being answered. */
function questionOf(overlay: Overlay): PermissionOverlay | QuestionPurpose | null {
  if (overlay.kind === 'permission') return overlay
  return overlay.kind === 'ask' && overlay.answers.kind === 'question' ? overlay.answers : null
}

/** `requestId` null: all of the tab's. */
export function dropQuestions(state: TuiState, tabId: string, requestId: string | null): TuiState {
  const isOver = (overlay: Overlay) => {
    const asked = questionOf(overlay)
    return asked !== null && asked.tabId === tabId && (requestId === null || asked.request.id === requestId)
  }
  return { ...state, overlays: state.overlays.filter((overlay) => !isOver(overlay)) }
}

/** Answered, or no longer asked: the turn goes on when no other question is open. */
export function withoutQuestion(run: Run, requestId: string): Run {
  const permissions = run.permissions.filter(({ id }) => id !== requestId)
  return { ...run, permissions, state: run.state === 'waiting' && permissions.length === 0 ? 'running' : run.state }
}

export function updatePermission(state: TuiState, overlay: PermissionOverlay, action: ActionId): Step {
  const count = verdicts.length
  switch (action) {
    case 'up':
    case 'down':
      return stay(changeTop(state, { ...overlay, selected: (overlay.selected + (action === 'up' ? count - 1 : 1)) % count }))
    case 'choose':
      return answer(state, overlay, verdicts[overlay.selected] ?? 'deny')
    case 'allow':
    case 'allow_session':
    case 'deny':
      return answer(state, overlay, action)
    default:
      return stay(state)
  }
}

export function answer(state: TuiState, overlay: PermissionOverlay, verdict: Decision['verdict']): Step {
  const { tabId, request, interruptedAt } = overlay
  if (interruptedAt !== null && state.now - interruptedAt < lookFirstMs)
    return stay(say(state, 'The agent asks for something: look first, then answer.', 'error'))
  if (verdict === 'allow_session' && !request.canRemember)
    return stay(say(state, 'This cannot be allowed for the whole session.', 'error'))
  if (verdict === 'allow' && (request.questions ?? []).length > 0)
    return stay(push(state, askFor({ kind: 'question', tabId, request, at: 0, given: {} })))
  return decide(state, overlay, { verdict })
}

function decide(state: TuiState, { tabId, request }: PermissionOverlay | QuestionPurpose, decision: Decision): Step {
  const answered = changeTab(dropQuestions(state, tabId, request.id), tabId, (tab) => ({
    ...tab,
    run: withoutQuestion(tab.run, request.id),
  }))
  return stay(askLeave(answered, tabId), { kind: 'answer', tabId, requestId: request.id, decision })
}

function askFor(answers: QuestionPurpose): Extract<Overlay, { kind: 'ask' }> {
  const question = answers.request.questions?.[answers.at]
  return { kind: 'ask', label: question === undefined ? '' : describeQuestion(question), draft: emptyDraft, answers }
}

/** An option by its number or name, or own words; the last answer sends them all. */
export function answerQuestion(state: TuiState, purpose: QuestionPurpose, text: string): Step {
  const { request, at, given } = purpose
  const question = request.questions?.[at]
  if (question === undefined) return stay(state)
  try {
    const isLeftOut = text.trim() === '' && !question.isRequired
    const answers = isLeftOut ? given : { ...given, [question.key]: fitAnswer(question, text, 'line') }
    if (request.questions?.[at + 1] === undefined) return decide(state, purpose, { verdict: 'allow', answers })
    return stay(changeTop(state, askFor({ ...purpose, at: at + 1, given: answers })))
  } catch (error) {
    if (error instanceof AppError) return stay(say(state, error.message, 'error'))
    throw error
  }
}
