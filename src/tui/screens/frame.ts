// The whole screen: tabs on top, a body, panels below it, a notice and the keys that work now. Exactly as many lines as there are
// rows, none wider than the terminal.
import { keyContext, shownTab, topOverlay } from '../context.ts'
import type { Box, Line, Paint } from '../draw.ts'
import type { KeyTable } from '../keys.ts'
import type { TuiState } from '../state.ts'
import type { Overlay } from '../state-overlay.ts'
import { clipStyled } from '../text/wrap-styled.ts'
import { drawCompare } from './compare.ts'
import { drawDiff } from './diff.ts'
import { drawFooter } from './footer.ts'
import { drawForkDialog } from './fork-dialog.ts'
import { drawHelp } from './help.ts'
import { drawAsk, drawConfirm, drawPalette, drawPermission } from './panels.ts'
import { drawSessions } from './sessions.ts'
import { drawTab } from './tab.ts'
import { drawTabs } from './tabs.ts'
import { drawTree } from './tree.ts'
import { drawWorkers } from './workers.ts'

const smallest: Box = { columns: 60, rows: 16 }

export function drawFrame(state: TuiState, keys: KeyTable, paint: Paint): readonly Line[] {
  const { columns, rows } = state.size
  if (columns < smallest.columns || rows < smallest.rows) return drawTooSmall(state.size, paint)
  const top = drawTabs(state, columns, paint)
  const bottom = drawFooter(state, keys, columns, paint)
  const box = { columns, rows: rows - top.length - bottom.length }
  return fill([...top, ...fill(drawBody(state, keys, box, paint), box), ...bottom], state.size)
}

function drawBody(state: TuiState, keys: KeyTable, box: Box, paint: Paint): readonly Line[] {
  const overlay = topOverlay(state)
  const panel = overlay === null ? null : drawPanel(state, overlay, keys, box, paint)
  if (panel !== null) {
    const below = { ...state, overlays: state.overlays.slice(0, -1) }
    const rest = { columns: box.columns, rows: Math.max(0, box.rows - panel.length) }
    return [...fill(drawBody(below, keys, rest, paint), rest), ...panel]
  }
  switch (overlay?.kind) {
    case 'fork':
      return drawForkDialog(state, overlay, box, paint)
    case 'tree':
      return drawTree(state, overlay, box, paint)
    case 'workers':
      return drawWorkers(state, overlay, box, paint)
    case 'diff':
      return drawDiff(overlay, box, paint)
    case 'compare':
      return drawCompare(state, overlay, box, paint)
    case 'help':
      return drawHelp(state, overlay, keys, box, paint)
    default: {
      const tab = shownTab(state)
      return tab === null ? drawSessions(state, keys, box, paint) : drawTab(state, tab, box, paint)
    }
  }
}

/** Small ones stand below what they are about. */
function drawPanel(state: TuiState, overlay: Overlay, keys: KeyTable, box: Box, paint: Paint): readonly Line[] | null {
  if (overlay.kind === 'palette') {
    const below = keyContext({ ...state, overlays: state.overlays.slice(0, -1) })
    return drawPalette(overlay, keys, below, box, paint)
  }
  if (overlay.kind === 'ask') return drawAsk(overlay, box, paint)
  if (overlay.kind === 'confirm') return drawConfirm(overlay, box, paint)
  if (overlay.kind === 'permission') return drawPermission(state, overlay, box, paint)
  return null
}

function fill(lines: readonly Line[], { columns, rows }: Box): Line[] {
  const shown = lines.slice(0, rows).map((line) => ({ ...line, text: clipStyled(line.text, columns) }))
  return [...shown, ...Array.from({ length: Math.max(0, rows - shown.length) }, () => ({ text: '' }))]
}

function drawTooSmall(size: Box, paint: Paint): Line[] {
  const text = `offshoot needs ${smallest.columns} by ${smallest.rows}; this is ${size.columns} by ${size.rows}.`
  return fill([{ text: paint.warn(text) }, { text: 'Make the window larger, or press Ctrl+Q.' }], size)
}
