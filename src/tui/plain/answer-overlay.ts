// Answers to what is asked in plain mode: numbers and words where the screen has rows and keys. What is no answer answers nothing.
import { layOutTree } from '../../lib/text/tree-lines.ts'
import type { ActionId } from '../keys.ts'
import type { TuiState } from '../state.ts'
import type { ForkOverlay, Overlay, TreeOverlay } from '../state-overlay.ts'
import { draftOf } from '../update/draft.ts'
import { openForkDialog, setForkChoice } from '../update/fork-dialog.ts'
import { forkFields } from '../update/fork-fields.ts'
import { perform } from '../update/perform.ts'
import { answer as answerPermission } from '../update/permission.ts'
import { changeTop, type Step, say, stay } from '../update/step.ts'
import { openSession } from '../update/tabs.ts'

type Of<K extends Overlay['kind']> = Extract<Overlay, { kind: K }>

export function answerOverlay(state: TuiState, overlay: Overlay, line: string): Step {
  const words = line.trim()
  switch (overlay.kind) {
    case 'fork':
      return answerFork(state, overlay, words)
    case 'permission':
      return answerLeave(state, overlay, words)
    case 'confirm':
      if (isYes(words)) return perform(state, 'confirm')
      return isNo(words) ? perform(state, 'close') : ask(state, 'Type yes or no.')
    case 'ask':
      return perform(changeTop(state, { ...overlay, draft: draftOf(words) }), 'choose')
    case 'tree':
      return answerTree(state, overlay, words)
    case 'workers':
      return answerWorkers(state, overlay, words)
    default:
      return perform(state, 'escape')
  }
}

function answerFork(state: TuiState, overlay: ForkOverlay, words: string): Step {
  if (words.toLowerCase() === 'fork') return perform(state, 'confirm_fork')
  if (isYes(words)) return perform(state, 'say_yes')
  if (isNo(words)) return perform(state, 'escape')
  const [, number = '', value = ''] = /^(\d{1,2})(?:\s+(.+))?$/u.exec(words) ?? []
  const selected = Number(number) - 1
  const field = forkFields[selected]
  if (number === '' || field === undefined)
    return ask(state, 'Type fork to make it, yes to the warnings, the number of a choice to change it, or cancel.')
  if (overlay.forking) return stay(say(state, 'The fork is being made.'))
  if (value === '') return perform(changeTop(state, { ...overlay, selected }), 'change_right')
  return setForkChoice(state, { ...overlay, selected }, field, value) ?? ask(state, `${value} is none of its values.`)
}

function answerLeave(state: TuiState, overlay: Of<'permission'>, words: string): Step {
  const verdicts = {
    allow: ['1', 'y', 'yes', 'allow'],
    allow_session: ['2', 'a', 'always'],
    deny: ['3', 'n', 'no', 'deny'],
    abort: ['4', 'stop'],
  } as const
  for (const verdict of ['allow', 'allow_session', 'deny', 'abort'] as const)
    if (verdicts[verdict].some((each) => each === words.toLowerCase())) return answerPermission(state, overlay, verdict)
  return ask(state, 'The agent waits: type 1 or yes, 2 or always, 3 or no, 4 or stop.')
}

export function forkInTree(state: TuiState, { roots }: TreeOverlay, number: number): Step {
  const session = layOutTree(roots ?? [])[number - 1]?.node.session
  if (session === undefined) return ask(state, `There is no session ${number} in the tree.`)
  return openForkDialog(state, `${session.agent}:${session.id}`, null)
}

function answerTree(state: TuiState, overlay: TreeOverlay, words: string): Step {
  const sessions = layOutTree(overlay.roots ?? []).map(({ node }) => node.session)
  const [, one, other] = /^compare\s+(\d{1,6})\s+(\d{1,6})$/.exec(words) ?? []
  if (one !== undefined && other !== undefined) {
    const marked = [one, other].flatMap((each) => sessions[Number(each) - 1] ?? []).map(({ agent, id }) => `${agent}:${id}`)
    if (marked.length < 2) return ask(state, 'There are no such two sessions in the tree.')
    return perform(changeTop(state, { ...overlay, marked }), 'compare')
  }
  if (isNo(words)) return perform(state, 'close')
  const session = /^\d{1,6}$/.test(words) ? sessions[Number(words) - 1] : undefined
  return session === undefined
    ? ask(state, 'Type the number of a session to open it, /fork and a number, /compare and two numbers, or cancel.')
    : openSession(state, session)
}

function answerWorkers(state: TuiState, overlay: Of<'workers'>, words: string): Step {
  if (isNo(words)) return perform(state, 'close')
  const verbs: Readonly<Record<string, ActionId>> = {
    attach: 'attach',
    send: 'send_worker',
    fork: 'fork_worker',
    stop: 'stop_worker',
  }
  const [, verb = '', number = ''] = /^(\w+)\s+(\d{1,4})$/.exec(words) ?? []
  const action = Object.hasOwn(verbs, verb.toLowerCase()) ? verbs[verb.toLowerCase()] : undefined
  if (action === undefined || state.workers[Number(number) - 1] === undefined)
    return ask(state, 'Type attach, send, fork or stop and the number of a worker, or cancel.')
  return perform(changeTop(state, { ...overlay, selected: Number(number) - 1 }), action)
}

function ask(state: TuiState, text: string): Step {
  return stay(say(state, text, 'error'))
}

function isYes(words: string): boolean {
  return /^(y|yes)$/i.test(words)
}

function isNo(words: string): boolean {
  return /^(n|no|cancel|close)$/i.test(words)
}
