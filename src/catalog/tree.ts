// The lineage as a forest. A parent that is gone or outside the query leaves its child a root; the child still names it.
import type { CatalogSession, LineageNode } from '../model/catalog.ts'

interface GrowingNode extends LineageNode {
  readonly children: GrowingNode[]
}

export function buildForest(sessions: readonly CatalogSession[]): LineageNode[] {
  const nodes = sessions.map((session) => newNode(session))
  const byId = new Map<string, GrowingNode[]>()
  for (const node of nodes) {
    const key = `${node.session.agent}:${node.session.id}`
    byId.set(key, [...(byId.get(key) ?? []), node])
  }
  const parents = new Map<GrowingNode, GrowingNode>()
  for (const node of nodes) {
    const parent = findParent(node, byId)
    // Two sessions that each claim to descend from the other must not both vanish from the tree.
    if (parent !== undefined && !descendsFrom(parent, node, parents)) parents.set(node, parent)
  }
  for (const node of [...nodes].sort(byBeginning)) parents.get(node)?.children.push(node)
  return nodes.filter((node) => !parents.has(node))
}

/** The tree that holds one session, from its root. */
export function findTree(forest: readonly LineageNode[], session: CatalogSession): LineageNode[] {
  return forest.filter((root) => holds(root, session))
}

function holds(root: LineageNode, session: CatalogSession): boolean {
  const open = [root]
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (node.session.agent === session.agent && node.session.path === session.path) return true
    open.push(...node.children)
  }
  return false
}

function newNode(session: CatalogSession): GrowingNode {
  return { session, children: [], forkKind: session.parent?.kind ?? null, atTurn: session.parent?.turnNumber ?? null }
}

/** Where one id is in two places, the one beside the child is meant. */
function findParent({ session }: GrowingNode, byId: ReadonlyMap<string, readonly GrowingNode[]>): GrowingNode | undefined {
  if (session.parent === null) return undefined
  const candidates = byId.get(`${session.parent.agent}:${session.parent.sessionId}`) ?? []
  const folder = folderOf(session)
  return candidates.find((node) => folderOf(node.session) === folder) ?? candidates[0]
}

function descendsFrom(node: GrowingNode, ancestor: GrowingNode, parents: ReadonlyMap<GrowingNode, GrowingNode>): boolean {
  for (let at: GrowingNode | undefined = node; at !== undefined; at = parents.get(at)) if (at === ancestor) return true
  return false
}

function byBeginning(a: GrowingNode, b: GrowingNode): number {
  return (a.atTurn ?? 0) - (b.atTurn ?? 0) || (a.session.createdAt ?? 0) - (b.session.createdAt ?? 0)
}

function folderOf({ path }: CatalogSession): string {
  return path.slice(0, path.lastIndexOf('/'))
}
