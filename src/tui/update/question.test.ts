import { expect, test } from 'vitest'
import type { Question } from '../../model/question.ts'
import type { PermissionRequest } from '../../model/run.ts'
import type { TuiState } from '../state.ts'
import { now, press, request, shown, update, withTab } from '../states.testkit.ts'
import { draftOf } from './draft.ts'

const colour: Question = {
  key: 'Which?',
  text: 'Which?',
  options: [
    { label: 'Red', description: null },
    { label: 'Blue', description: null },
  ],
  isMultiple: false,
  takesText: false,
  isRequired: true,
  isSecret: false,
}
const why: Question = { ...colour, key: 'why', text: 'And why?', options: [], takesText: true }
const asked: PermissionRequest = { ...request, kind: 'question', canRemember: false, questions: [colour, why] }

function asking(): TuiState {
  const state = withTab()
  return update(state, { kind: 'run', tabId: shown(state).id, event: { kind: 'permission', request: asked }, at: now }).state
}

/** What was typed into the line on top, and Enter. */
function type(state: TuiState, text: string) {
  const top = state.overlays.at(-1)
  if (top?.kind !== 'ask') throw new Error('no line is asked for')
  return press({ ...state, overlays: [...state.overlays.slice(0, -1), { ...top, draft: draftOf(text) }] }, 'enter')
}

test('questions are answered one by one, by number or in words, and sent together', () => {
  const first = press(asking(), 'y')
  expect(first.effects).toEqual([])
  expect(first.state.overlays.at(-1)).toMatchObject({ kind: 'ask', label: 'Which? (1. Red, 2. Blue)' })
  const wrong = type(first.state, 'Rod')
  expect(wrong.state.notice).toMatchObject({ kind: 'error', text: '"Rod" is no option of "Which?". Did you mean "Red"?' })
  const second = type(first.state, '2')
  expect(second.state.overlays.at(-1)).toMatchObject({ kind: 'ask', label: 'And why? (in your own words)' })
  const sent = type(second.state, 'it is calm')
  expect(sent.state.overlays).toEqual([])
  expect(sent.effects).toMatchObject([
    { kind: 'answer', requestId: asked.id, decision: { verdict: 'allow', answers: { 'Which?': 'Blue', why: 'it is calm' } } },
  ])
})

test('a no needs no answers; Escape goes back to the choice; a turn that ends takes its questions along', () => {
  expect(press(asking(), 'n').effects).toMatchObject([{ kind: 'answer', decision: { verdict: 'deny' } }])
  const { state } = press(asking(), 'y')
  expect(press(state, 'esc').state.overlays).toMatchObject([{ kind: 'permission' }])
  const ended = { kind: 'permission_resolved', requestId: asked.id, verdict: null } as const
  expect(update(state, { kind: 'run', tabId: shown(state).id, event: ended, at: now }).state.overlays).toEqual([])
})
