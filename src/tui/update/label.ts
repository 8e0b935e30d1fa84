// A label is asked for in one line, or given behind /label; it shows wherever its session does as soon as it is kept.
import type { CatalogSession, LineageNode } from '../../model/catalog.ts'
import type { SessionName } from '../effects.ts'
import type { TuiState } from '../state.ts'
import { draftOf } from './draft.ts'
import { withSessions } from './sessions.ts'
import { changeOverlay, push, type Step, say, stay } from './step.ts'

export function askForLabel(state: TuiState, session: SessionName, label: string | null): Step {
  const answers = { kind: 'label', session } as const
  return stay(push(state, { kind: 'ask', label: 'Label (empty: none)', draft: draftOf(label ?? ''), answers }))
}

/** `label` as it was kept: `null` when it was taken away. */
export function labelled(state: TuiState, name: SessionName, label: string | null): TuiState {
  const isIt = ({ agent, id }: CatalogSession) => agent === name.agent && id === name.sessionId
  const put = (session: CatalogSession) => (isIt(session) ? { ...session, label } : session)
  const { items, results } = state.sessions
  const listed = withSessions(state, {
    items: items.map(put),
    results: results?.map((result) => ({ ...result, session: put(result.session) })) ?? null,
  })
  const tabs = listed.tabs.map((tab) => (tab.agent === name.agent && tab.sessionId === name.sessionId ? { ...tab, label } : tab))
  const inTree = changeOverlay({ ...listed, tabs }, 'tree', (tree) => ({
    ...tree,
    roots: tree.roots === null ? null : relabel(tree.roots, put),
  }))
  return say(inTree, label === null ? 'The label is gone.' : `It is called ${label} now.`)
}

/** From the leaves up, without recursion: a chain of forks may be deeper than the stack. */
function relabel(roots: readonly LineageNode[], put: (session: CatalogSession) => CatalogSession): readonly LineageNode[] {
  const order: LineageNode[] = []
  const open = [...roots]
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    order.push(node)
    open.push(...node.children)
  }
  const made = new Map<LineageNode, LineageNode>()
  const again = (node: LineageNode) => made.get(node) ?? node
  for (const node of order.toReversed())
    made.set(node, { ...node, session: put(node.session), children: node.children.map(again) })
  return roots.map(again)
}
