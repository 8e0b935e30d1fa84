// Keys in palette, help, permission dialog, tree, workers, diff and the one-line question.

import type { LineageNode } from '../../model/catalog.ts'
import type { Decision } from '../../model/run.ts'
import type { ActionId } from '../keys.ts'
import type { Overlay, TreeOverlay, TuiState } from '../state.ts'
import { edit, emptyDraft } from './draft.ts'
import { openForkDialog, setForkField } from './fork-dialog.ts'
import { changeTop, moveInList, pop, push, type Step, say, stay } from './step.ts'
import { openSession } from './tabs.ts'

export const verdicts = ['allow', 'allow_session', 'deny'] as const

type Of<K extends Overlay['kind']> = Extract<Overlay, { kind: K }>

export function updatePermission(state: TuiState, overlay: Of<'permission'>, action: ActionId): Step {
  const count = verdicts.length
  const answer = (verdict: Decision['verdict']) =>
    verdict === 'allow_session' && !overlay.request.canRemember
      ? stay(say(state, 'This cannot be allowed for the whole session.', 'error'))
      : stay(pop(state), { kind: 'answer', tabId: overlay.tabId, requestId: overlay.request.id, decision: { verdict } })
  switch (action) {
    case 'up':
    case 'down':
      return stay(changeTop(state, { ...overlay, selected: (overlay.selected + (action === 'up' ? count - 1 : 1)) % count }))
    case 'choose':
      return answer(verdicts[overlay.selected] ?? 'deny')
    case 'allow':
    case 'allow_session':
    case 'deny':
      return answer(action)
    default:
      return stay(state)
  }
}

export interface TreeRow {
  readonly node: LineageNode
  readonly depth: number
}

export function treeRows(roots: readonly LineageNode[]): TreeRow[] {
  const rows: TreeRow[] = []
  const open = roots.map((node) => ({ node, depth: 0 })).reverse()
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    rows.push(next)
    const depth = next.depth + 1
    open.push(...next.node.children.map((node) => ({ node, depth })).reverse())
  }
  return rows
}

export function updateTree(state: TuiState, overlay: TreeOverlay, action: ActionId): Step {
  const rows = treeRows(overlay.roots ?? [])
  const height = Math.max(1, state.size.rows - 6)
  const move = (by: number) => stay(changeTop(state, { ...overlay, ...moveInList(overlay, rows.length, by, height) }))
  const session = rows[overlay.selected]?.node.session
  const moves: Partial<Record<ActionId, number>> = {
    up: -1,
    down: 1,
    page_up: -height,
    page_down: height,
    first: -rows.length,
    last: rows.length,
  }
  const by = moves[action]
  if (by !== undefined) return move(by)
  if (session === undefined) return stay(state)
  const address = `${session.agent}:${session.id}`
  switch (action) {
    case 'open':
      return openSession(state, session)
    case 'fork':
      return openForkDialog(state, address, null)
    case 'mark': {
      const isMarked = overlay.marked.includes(address)
      const marked = isMarked ? overlay.marked.filter((each) => each !== address) : [...overlay.marked, address].slice(-2)
      return stay(changeTop(state, { ...overlay, marked }))
    }
    case 'compare': {
      const [one, other] = overlay.marked
      if (one === undefined || other === undefined) return stay(say(state, 'Mark two forks first (m).'))
      const diff: Overlay = { kind: 'diff', title: `${one} and ${other}`, sides: [one, other], patch: null, top: 0 }
      return stay(push(state, diff), { kind: 'diff', from: one, to: other })
    }
    case 'copy':
      return stay(say(state, `Copied ${address}`), { kind: 'copy', text: address })
    case 'close':
      return stay(pop(state))
    default:
      return stay(state)
  }
}

export function updateWorkers(state: TuiState, overlay: Of<'workers'>, action: ActionId): Step {
  const count = state.workers.length
  const worker = state.workers[overlay.selected]
  if (action === 'up' || action === 'down') {
    const selected = Math.max(0, Math.min(count - 1, overlay.selected + (action === 'up' ? -1 : 1)))
    return stay(changeTop(state, { ...overlay, selected }))
  }
  if (action === 'close') return stay(pop(state))
  if (worker === undefined) return stay(say(state, 'There are no workers: `offshoot start claude --terminal tmux` starts one.'))
  switch (action) {
    case 'attach':
      return stay(state, { kind: 'attach', worker: worker.name })
    case 'stop_worker':
      return stay(say(state, `Stopping ${worker.name} ...`), { kind: 'stop_worker', name: worker.name })
    case 'fork_worker':
      return stay(say(state, `Forking ${worker.name} ...`), { kind: 'fork_worker', name: worker.name, newName: null })
    case 'send_worker':
      return stay(
        push(state, {
          kind: 'ask',
          label: `To ${worker.name}`,
          draft: emptyDraft,
          answers: { kind: 'send', worker: worker.name },
        }),
      )
    default:
      return stay(state)
  }
}

/** Help and diff: text one scrolls; how long it is is known to who draws. */
export function updatePage(state: TuiState, overlay: Of<'help'> | Of<'diff'>, action: ActionId): Step {
  const page = Math.max(1, state.size.rows - 6)
  const moves: Partial<Record<ActionId, number>> = { up: -1, down: 1, page_up: -page, page_down: page, first: -1e9, last: 1e9 }
  const by = moves[action]
  if (by !== undefined) return stay(changeTop(state, { ...overlay, top: Math.max(0, overlay.top + by) }))
  return stay(action === 'close' ? pop(state) : state)
}

export function updateConfirm(state: TuiState, { effect }: Of<'confirm'>, action: ActionId): Step {
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
    case 'send':
      return text.trim() === '' ? stay(below) : stay(below, { kind: 'send_to_worker', name: answers.worker, prompt: text })
  }
}
