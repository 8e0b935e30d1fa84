// The lineage of what may be seen.
import type { CatalogSession, LineageNode } from '../model/catalog.ts'

export function placeOf({ agent, path }: Pick<CatalogSession, 'agent' | 'path'>): string {
  return `${agent}:${path}`
}

export function byPlace(sessions: readonly CatalogSession[]): ReadonlyMap<string, CatalogSession> {
  return new Map(sessions.map((session) => [placeOf(session), session]))
}

/** What may not be seen is left out, and its children become roots. From the leaves up, without recursion: lines of forks get long. */
export function pruneForest(forest: readonly LineageNode[], shown: ReadonlyMap<string, CatalogSession>): LineageNode[] {
  const kept = new Map<LineageNode, LineageNode>()
  const roots: LineageNode[] = []
  for (const node of inOrder(forest).reverse()) {
    const session = shown.get(placeOf(node.session))
    const children = node.children.flatMap((child) => kept.get(child) ?? [])
    if (session === undefined) {
      roots.push(...children.map(asRoot))
      continue
    }
    kept.set(node, { ...node, session, children })
  }
  return [...forest.flatMap((node) => kept.get(node) ?? []), ...roots]
}

function asRoot(node: LineageNode): LineageNode {
  return { ...node, forkKind: null, atTurn: null }
}

export function holds(root: LineageNode, session: CatalogSession): boolean {
  return inOrder([root]).some((node) => placeOf(node.session) === placeOf(session))
}

/** Parents before their children. */
function inOrder(forest: readonly LineageNode[]): LineageNode[] {
  const nodes = [...forest]
  for (let at = 0; at < nodes.length; at += 1) nodes.push(...(nodes[at]?.children ?? []))
  return nodes
}
