// IN2: the dialog before a fork. Every change of a choice asks for a new plan; Enter forks when nothing blocks it and every
// warning that needs a yes has one.

import type { ForkRequest, WarningCode } from '../../model/fork.ts'
import { agentIds } from '../../model/session.ts'
import type { Effect } from '../effects.ts'
import type { ActionId } from '../keys.ts'
import type { TuiState } from '../state.ts'
import type { ForkChoices, ForkOverlay } from '../state-overlay.ts'
import type { TabId } from '../state-tab.ts'
import { forkRoom, planEnd } from '../text/plan-lines.ts'
import { draftOf } from './draft.ts'
import { type ForkField, forkFields } from './fork-fields.ts'
import { changeTop, push, type Step, say, stay } from './step.ts'

export const noChoices: ForkChoices = {
  strategy: 'auto',
  code: 'auto',
  to: null,
  title: null,
  branch: null,
  prompt: null,
  send: false,
  allowCut: false,
}

/** The values that left and right go through; the others are typed. */
const ring = {
  strategy: ['auto', 'native', 'prefix', 'seed'],
  code: ['auto', 'turn', 'now', 'head', 'none'],
  to: [null, ...agentIds],
  send: [false, true],
  allowCut: [false, true],
} as const

export function openForkDialog(state: TuiState, address: string, tabId: TabId | null): Step {
  if (state.overlays.some(({ kind }) => kind === 'fork')) return stay(say(state, 'The fork dialog is open already.'))
  const overlay: ForkOverlay = {
    kind: 'fork',
    tabId,
    address,
    selected: 0,
    top: 0,
    choices: noChoices,
    plan: null,
    problem: null,
    forking: false,
    accepted: [],
  }
  return stay(push(state, overlay), { kind: 'plan_fork', request: requestOf(overlay) })
}

export function requestOf({ address, choices }: Pick<ForkOverlay, 'address' | 'choices'>): ForkRequest {
  const { strategy, code, to, title, branch, prompt, send, allowCut } = choices
  return {
    address,
    terminal: 'none',
    ...(strategy === 'auto' ? {} : { strategy }),
    ...(code === 'auto' ? {} : { code }),
    ...(to === null ? {} : { to }),
    ...(title === null ? {} : { title }),
    ...(branch === null ? {} : { branch }),
    ...(prompt === null ? {} : { prompt }),
    ...(send ? { send } : {}),
    ...(allowCut ? { allowCut } : {}),
  }
}

export function updateForkDialog(state: TuiState, overlay: ForkOverlay, action: ActionId): Step {
  if (overlay.forking) return stay(say(state, 'The fork is being made.'))
  const field = forkFields[overlay.selected] ?? 'strategy'
  switch (action) {
    case 'up':
    case 'down': {
      const selected = (overlay.selected + (action === 'up' ? forkFields.length - 1 : 1)) % forkFields.length
      return stay(changeTop(state, { ...overlay, selected }))
    }
    case 'page_up':
    case 'page_down': {
      const by = (action === 'page_up' ? -1 : 1) * Math.max(1, forkRoom(state.size).plan - 1)
      const top = Math.max(0, Math.min(planEnd(overlay, state.size, state.now), overlay.top + by))
      return stay(top === overlay.top ? state : changeTop(state, { ...overlay, top }))
    }
    case 'change_left':
    case 'change_right':
      if (field in ring)
        return replan(state, overlay, turnRing(overlay.choices, field as keyof typeof ring, action === 'change_left' ? -1 : 1))
      return askFor(state, overlay, field as 'title' | 'branch' | 'prompt')
    case 'edit':
      if (field in ring) return stay(say(state, 'Change it with left and right.'))
      return askFor(state, overlay, field as 'title' | 'branch' | 'prompt')
    case 'say_yes': {
      if (overlay.plan === null) return stay(say(state, 'The plan is being made.'))
      const accepted = [...overlay.plan.confirm]
      if (accepted.length === 0) return stay(say(state, 'Nothing needs a yes.'))
      return stay(changeTop(state, { ...overlay, accepted }))
    }
    case 'confirm_fork':
      return confirm(state, overlay)
    default:
      return stay(state)
  }
}

/** A choice named outright; `null`: it is none of its values. */
export function setForkChoice(state: TuiState, overlay: ForkOverlay, field: ForkField, value: string): Step | null {
  if (field === 'title' || field === 'branch' || field === 'prompt') return setForkField(state, overlay, field, value)
  const words: readonly unknown[] = ring[field]
  const chosen = words.find((each) => wordOf(each) === value.toLowerCase())
  return chosen === undefined ? null : replan(state, overlay, { ...overlay.choices, [field]: chosen })
}

/** A value of the ring as a person says it. */
function wordOf(value: unknown): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  return value === null ? 'auto' : String(value)
}

/** A field that was typed: an empty answer means offshoot's own choice. */
export function setForkField(state: TuiState, overlay: ForkOverlay, field: 'title' | 'branch' | 'prompt', text: string): Step {
  return replan(state, overlay, { ...overlay.choices, [field]: text.trim() === '' ? null : text })
}

function confirm(state: TuiState, overlay: ForkOverlay): Step {
  const { plan, accepted } = overlay
  if (plan === null) return stay(say(state, overlay.problem?.message ?? 'The plan is being made.'))
  const [blocker] = plan.blockers
  if (blocker !== undefined) return stay(say(state, blocker.message, 'error'))
  const open = plan.confirm.filter((code) => !accepted.includes(code))
  if (open.length > 0) return stay(say(state, `Say yes first (y): ${open.join(', ')}`, 'error'))
  const effect: Effect = { kind: 'fork', plan, accept: accepted as readonly WarningCode[] }
  return stay(changeTop(state, { ...overlay, forking: true, problem: null }), effect)
}

/** What was said yes to was said of the plan before. */
function replan(state: TuiState, overlay: ForkOverlay, choices: ForkChoices): Step {
  const next = { ...overlay, choices, plan: null, problem: null, accepted: [], top: 0 }
  return stay(changeTop(state, next), { kind: 'plan_fork', request: requestOf(next) })
}

function turnRing(choices: ForkChoices, field: keyof typeof ring, by: 1 | -1): ForkChoices {
  const values: readonly unknown[] = ring[field]
  const at = values.indexOf(choices[field])
  return { ...choices, [field]: values[(at + by + values.length) % values.length] }
}

function askFor(state: TuiState, { choices }: ForkOverlay, field: 'title' | 'branch' | 'prompt'): Step {
  const label = { title: 'Title', branch: 'Branch', prompt: 'First prompt' }[field]
  return stay(push(state, { kind: 'ask', label, draft: draftOf(choices[field] ?? ''), answers: { kind: 'fork_field', field } }))
}
