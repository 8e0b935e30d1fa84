// The tree of forks: titles, turns, agents, branches, what runs; marked ones are to be compared.
import { cleanLine } from '../../lib/text/clean.ts'
import { stateMarks } from '../../lib/text/session-state.ts'
import { timeAgo } from '../../lib/text/time.ts'
import { forkedAt, layOutTree } from '../../lib/text/tree-lines.ts'
import { cutToWidth, widthOf } from '../../lib/text/width.ts'
import type { Box, Line, Paint } from '../draw.ts'
import type { TuiState } from '../state.ts'
import type { TreeOverlay } from '../state-overlay.ts'
import { labelText } from '../text/label.ts'
import { padStyled } from '../text/wrap-styled.ts'

export function drawTree({ now }: TuiState, overlay: TreeOverlay, box: Box, paint: Paint): readonly Line[] {
  const head = [
    {
      text: ` ${paint.bold('Tree of forks')}${overlay.marked.length === 0 ? '' : paint.accent(`  ${overlay.marked.length} marked`)}`,
    },
    { text: '' },
  ]
  if (overlay.roots === null) return [...head, { text: paint.dim('  Reading ...') }]
  const rows = layOutTree(overlay.roots)
  if (rows.length === 0) return [...head, { text: paint.dim('  Nothing was forked here yet: Alt+Shift+F forks a session.') }]
  const shown = rows.slice(overlay.top, overlay.top + box.rows - head.length)
  return [
    ...head,
    ...shown.map(({ node, own }, at): Line => {
      const { session, forkKind } = node
      const index = overlay.top + at
      const mark = overlay.marked.includes(`${session.agent}:${session.id}`)
        ? paint.accent('◆ ')
        : session.live
          ? paint.ok('● ')
          : '  '
      const fork = forkKind === null ? '' : `${[forkKind, forkedAt(node)].filter(Boolean).join(' ')} · `
      const tokens = session.usage.inputTokens + session.usage.outputTokens
      const cost = tokens === 0 ? '' : ` · ${Math.round(tokens / 1000)}k tokens`
      const branch = session.branch === null ? '' : ` · ${cutToWidth(cleanLine(session.branch), 30)}`
      const facts = `${session.agent} · ${fork}${session.ownTurns} ${session.ownTurns === 1 ? 'turn' : 'turns'} · ${timeAgo(session.updatedAt, now)}${cost}${branch}`
      const label = labelText(session.label)
      const title = cutToWidth(
        [...stateMarks(session), cleanLine(session.title) || '(no prompt)'].join(' '),
        Math.max(16, box.columns - own.length - widthOf(label) - facts.length - 8),
      )
      const text = ` ${mark}${paint.frame(own)}${paint.accent(label)}${paint.bold(title)}  ${paint.dim(facts)}`
      return {
        text: index === overlay.selected ? paint.selected(padStyled(text, box.columns)) : text,
        target: { kind: 'row', index },
      }
    }),
  ]
}
