// The row of tabs: sessions first, then one for each open session; what runs and what is new is marked.
import { cleanLine } from '../../lib/text/clean.ts'
import { cutToWidth } from '../../lib/text/width.ts'
import type { Line, Paint } from '../draw.ts'
import type { TuiState } from '../state.ts'
import type { Tab } from '../state-tab.ts'
import { styledWidth } from '../text/wrap-styled.ts'

const spinner = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏']

export function spin(now: number): string {
  return spinner[Math.floor(now / 100) % spinner.length] ?? '⠋'
}

export function drawTabs(state: TuiState, columns: number, paint: Paint): readonly Line[] {
  const room = Math.max(10, Math.floor((columns - 14) / Math.max(1, state.tabs.length)) - 6)
  const sessions = state.shown === 'sessions' ? paint.selected(paint.bold(' Sessions ')) : paint.dim(' Sessions ')
  const tabs = state.tabs.map((tab, at) => {
    const text = ` ${at + 1} ${markOf(tab, state.now)}${cutToWidth(cleanLine(tab.label ?? tab.title), Math.min(28, room))} `
    const styled = tab.id === state.shown ? paint.selected(paint.bold(text)) : tab.unread ? paint.accent(text) : paint.dim(text)
    return { id: tab.id, text: styled }
  })
  const shown = inSight(tabs, columns - styledWidth(sessions) - 3, state.shown)
  const all = [{ id: 'sessions', text: sessions }, ...shown]
  return [
    { text: all.map(({ text }) => text).join(paint.frame('│')), parts: partsOf(all) },
    { text: paint.frame('─'.repeat(columns)) },
  ]
}

interface Shown {
  readonly id: string
  readonly text: string
}

/** Those around the shown one, as many as there is room for. */
function inSight(tabs: readonly Shown[], room: number, shown: string): readonly Shown[] {
  const at = Math.max(
    0,
    tabs.findIndex(({ id }) => id === shown),
  )
  let [from, to, used] = [at, at, 0]
  const fits = (tab: Shown | undefined): tab is Shown => tab !== undefined && used + styledWidth(tab.text) + 1 <= room
  const take = (tab: Shown) => {
    used += styledWidth(tab.text) + 1
  }
  for (let isMore = true; isMore; ) {
    isMore = false
    const [next, before] = [tabs[to], tabs[from - 1]]
    if (fits(next)) {
      take(next)
      to += 1
      isMore = true
    }
    if (fits(before)) {
      take(before)
      from -= 1
      isMore = true
    }
  }
  return tabs.slice(from, Math.max(to, at + 1))
}

/** What a click on each of them shows. */
function partsOf(all: readonly Shown[]): NonNullable<Line['parts']> {
  let from = 0
  return all.map(({ id, text }) => {
    const to = from + styledWidth(text)
    const part = { from, to, target: { kind: 'tab', id } as const }
    from = to + 1
    return part
  })
}

function markOf({ run, unread }: Tab, now: number): string {
  if (run.state === 'waiting') return '? '
  if (run.state !== 'idle') return `${spin(now)} `
  return unread ? '● ' : ''
}
