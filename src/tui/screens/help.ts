// All keys, from the table itself: first those of where one was, then the rest.
import { keyContext } from '../context.ts'
import type { Box, Line, Paint } from '../draw.ts'
import { type Action, type ActionId, actions, type KeyTable } from '../keys.ts'
import type { KeyContext, TuiState } from '../state.ts'
import type { Overlay } from '../state-overlay.ts'
import { showKey } from './footer.ts'

export const titles: Readonly<Record<KeyContext | 'everywhere', string>> = {
  everywhere: 'Everywhere',
  sessions: 'Sessions',
  search: 'Search',
  composer: 'Composer',
  completion: 'Choices while typing',
  transcript: 'Transcript',
  backtrack: 'Backtrack',
  fork: 'Fork dialog',
  permission: 'Permission',
  tree: 'Tree',
  workers: 'Workers',
  diff: 'Diff',
  compare: 'Two sessions compared',
  palette: 'Commands',
  help: 'This page',
  ask: 'One line',
  confirm: 'A yes',
}

export function drawHelp(
  state: TuiState,
  { top }: Extract<Overlay, { kind: 'help' }>,
  keys: KeyTable,
  box: Box,
  paint: Paint,
): readonly Line[] {
  const below = keyContext({ ...state, overlays: state.overlays.slice(0, -1) })
  const rest = (Object.keys(titles) as (KeyContext | 'everywhere')[]).filter((each) => each !== below && each !== 'everywhere')
  const lines = [below, 'everywhere' as const, ...rest].flatMap((context) => drawContext(context, keys, paint))
  const start = Math.max(0, Math.min(top, lines.length - box.rows))
  return lines.slice(start, start + box.rows)
}

function drawContext(context: KeyContext | 'everywhere', keys: KeyTable, paint: Paint): Line[] {
  const rows = (actions as readonly (Action & { readonly id: ActionId })[])
    .filter((action) => context in action.keys)
    .map(({ id, label }) => {
      const names = keys.keysOf(context, id).map(showKey).join(', ')
      return { text: `   ${paint.bold(names.padEnd(26))} ${label}` }
    })
  return [{ text: ` ${paint.accent(titles[context])}` }, ...rows, { text: '' }]
}
