// Lineage as lines of text: one per session, branches drawn with box characters.

import { cleanLine } from '../lib/text/clean.ts'
import { timeAgo } from '../lib/text/time.ts'
import { cutToWidth } from '../lib/text/width.ts'
import type { LineageNode } from '../model/catalog.ts'
import type { Context } from './context.ts'
import { shortIds } from './short-id.ts'

interface Drawn {
  readonly node: LineageNode
  /** What is drawn before the session itself, and before its children. */
  readonly own: string
  readonly below: string
}

export function drawLineage(context: Context, roots: readonly LineageNode[]): string[] {
  const { colors, columns } = context.out
  const { bold, cyan, dim, green } = colors
  const drawn = layOut(roots)
  const ids = shortIds(drawn.map(({ node }) => node.session))
  const now = context.now()
  return drawn.map(({ node, own }) => {
    const { session } = node
    const id = ids.get(session) ?? session.id
    const fork = [node.forkKind ?? '', node.atTurn === null ? '' : `at turn ${node.atTurn}`].filter(Boolean).join(' ')
    const turns = `${session.ownTurns} ${node.forkKind === null ? '' : 'own '}${session.ownTurns === 1 ? 'turn' : 'turns'}`
    const facts = [fork, turns, timeAgo(session.updatedAt, now)].filter(Boolean).join(' · ')
    const mark = session.live ? '● ' : ''
    // Box characters, ids and facts are one cell each.
    const room = columns - own.length - mark.length - id.length - facts.length - 4
    const title = cutToWidth(cleanLine(session.title) || '(no prompt)', Math.max(16, room))
    return `${dim(own)}${green(mark)}${cyan(id)} ${bold(title)}  ${dim(facts)}`
  })
}

/** Depth first without recursion: a chain of forks may be deeper than the stack. */
function layOut(roots: readonly LineageNode[]): Drawn[] {
  const drawn: Drawn[] = []
  const open: Drawn[] = roots.map((node) => ({ node, own: '', below: '' })).reverse()
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
