// Keys in the tree of forks: move, open, fork, and mark two to be compared.
import { layOutTree } from '../../lib/text/tree-lines.ts'
import type { ActionId } from '../keys.ts'
import type { TuiState } from '../state.ts'
import type { TreeOverlay } from '../state-overlay.ts'
import { openComparison } from './compare.ts'
import { openForkDialog } from './fork-dialog.ts'
import { askForLabel } from './label.ts'
import { changeTop, moveInList, moveOf, pop, type Step, say, stay } from './step.ts'
import { openSession } from './tabs.ts'

export function updateTree(state: TuiState, overlay: TreeOverlay, action: ActionId): Step {
  if (action === 'close') return stay(pop(state))
  const rows = layOutTree(overlay.roots ?? [])
  const height = Math.max(1, state.size.rows - 6)
  const by = moveOf(action, height, rows.length)
  if (by !== undefined) return stay(changeTop(state, { ...overlay, ...moveInList(overlay, rows.length, by, height) }))
  const session = rows[overlay.selected]?.node.session
  if (session === undefined) return stay(say(state, 'There is no session here.'))
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
      if (one === undefined || other === undefined) return stay(say(state, 'Mark two sessions first (m).'))
      const named = (address: string) => {
        const found = rows.find(({ node }) => `${node.session.agent}:${node.session.id}` === address)
        return { address, title: found?.node.session.label ?? found?.node.session.title ?? address }
      }
      return openComparison(state, named(one), named(other))
    }
    case 'label':
      return askForLabel(state, { agent: session.agent, sessionId: session.id }, session.label ?? null)
    case 'copy':
      return stay(say(state, `Copied ${address}`), { kind: 'copy', text: address })
    default:
      return stay(state)
  }
}
