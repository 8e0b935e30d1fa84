// Lineage row by row, with the box characters that draw its branches.
import type { LineageNode } from '../../model/catalog.ts'

export interface TreeLine {
  readonly node: LineageNode
  /** What is drawn before the session itself, and before its children. */
  readonly own: string
  readonly below: string
}

/** Depth first without recursion: a chain of forks may be deeper than the stack. */
export function layOutTree(roots: readonly LineageNode[]): TreeLine[] {
  const drawn: TreeLine[] = []
  const open: TreeLine[] = roots.map((node) => ({ node, own: '', below: '' })).reverse()
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    drawn.push(next)
    const { children } = next.node
    for (let at = children.length - 1; at >= 0; at -= 1) {
      const node = children[at]
      if (node === undefined) continue
      const last = at === children.length - 1
      open.push({ node, own: `${next.below}${last ? '└─ ' : '├─ '}`, below: `${next.below}${last ? '   ' : '│  '}` })
    }
  }
  return drawn
}

/** `at turn 3`; a turn of a dead branch has no number and is named by its id. Empty where nothing is known. */
export function forkedAt({ atTurn, session: { parent } }: LineageNode): string {
  if (atTurn !== null) return `at turn ${atTurn}`
  return parent?.turnId == null ? '' : `at turn ${shortTurnId(parent.turnId)}`
}

/** Ids that begin with the time (UUIDv7) share their first eight characters when they were made close together. */
function shortTurnId(id: string): string {
  return id.slice(0, /^[0-9a-f]{8}-[0-9a-f]{4}-7/.test(id) ? 13 : 8)
}
