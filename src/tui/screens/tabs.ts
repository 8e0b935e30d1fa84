// The row of tabs: sessions first, then one for each open session; what runs and what is new is marked.
import { cleanLine } from '../../lib/text/clean.ts'
import { cutToWidth } from '../../lib/text/width.ts'
import type { Line, Paint } from '../draw.ts'
import type { Tab, TuiState } from '../state.ts'
import { styledWidth } from '../text/wrap-styled.ts'

const spinner = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏']

export function spin(now: number): string {
  return spinner[Math.floor(now / 100) % spinner.length] ?? '⠋'
}

export function drawTabs(state: TuiState, columns: number, paint: Paint): readonly Line[] {
  const room = Math.max(8, Math.floor((columns - 14) / Math.max(1, state.tabs.length)) - 5)
  const sessions = state.shown === 'sessions' ? paint.selected(paint.bold(' Sessions ')) : paint.dim(' Sessions ')
  const tabs = state.tabs.map((tab, at) => {
    const text = ` ${at + 1} ${markOf(tab, state.now)}${cutToWidth(cleanLine(tab.title), Math.min(28, room))} `
    return tab.id === state.shown ? paint.selected(paint.bold(text)) : tab.unread ? paint.accent(text) : paint.dim(text)
  })
  return [
    { text: [sessions, ...tabs].join(paint.frame('│')), parts: partsOf(state, [sessions, ...tabs]) },
    { text: paint.frame('─'.repeat(columns)) },
  ]
}

/** What a click on each of them shows. */
function partsOf(state: TuiState, texts: readonly string[]): NonNullable<Line['parts']> {
  const ids = ['sessions', ...state.tabs.map(({ id }) => id)]
  let from = 0
  return texts.map((text, at) => {
    const to = from + styledWidth(text)
    const part = { from, to, target: { kind: 'tab', id: ids[at] ?? 'sessions' } as const }
    from = to + 1
    return part
  })
}

function markOf({ run, unread }: Tab, now: number): string {
  if (run.state === 'waiting') return '? '
  if (run.state !== 'idle') return `${spin(now)} `
  return unread ? '● ' : ''
}
