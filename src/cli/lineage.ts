// Lineage as lines of text: one per session, branches drawn with box characters.

import { cleanLine } from '../lib/text/clean.ts'
import { stateMarks } from '../lib/text/session-state.ts'
import { timeAgo } from '../lib/text/time.ts'
import { forkedAt, layOutTree } from '../lib/text/tree-lines.ts'
import { cutToWidth } from '../lib/text/width.ts'
import type { LineageNode } from '../model/catalog.ts'
import type { Context } from './context.ts'
import { shortIds } from './short-id.ts'

export function drawLineage(context: Context, roots: readonly LineageNode[]): string[] {
  const { colors, columns } = context.out
  const { bold, cyan, dim, green } = colors
  const drawn = layOutTree(roots)
  const ids = shortIds(drawn.map(({ node }) => node.session))
  const now = context.now()
  return drawn.map(({ node, own }) => {
    const { session } = node
    const id = ids.get(session) ?? session.id
    const fork = [node.forkKind ?? '', forkedAt(node)].filter(Boolean).join(' ')
    const turns = `${session.ownTurns} ${node.forkKind === null ? '' : 'own '}${session.ownTurns === 1 ? 'turn' : 'turns'}`
    const facts = [fork, turns, timeAgo(session.updatedAt, now)].filter(Boolean).join(' · ')
    const mark = session.live ? '● ' : ''
    // Box characters, ids and facts are one cell each.
    const room = columns - own.length - mark.length - id.length - facts.length - 4
    const marked = [...stateMarks(session), cleanLine(session.title) || '(no prompt)'].join(' ')
    const title = cutToWidth(marked, Math.max(16, room))
    return `${dim(own)}${green(mark)}${cyan(id)} ${bold(title)}  ${dim(facts)}`
  })
}
