// The last rows: a notice if there is one, and the keys that work now, Escape's next rung first.
import { cleanLine } from '../../lib/text/clean.ts'
import { keyContext } from '../context.ts'
import type { Line, Paint } from '../draw.ts'
import { type Action, type ActionId, actions, type KeyTable } from '../keys.ts'
import type { TuiState } from '../state.ts'
import { styledWidth, wrapStyled } from '../text/wrap-styled.ts'
import { nextRung } from '../update/escape.ts'

export function drawFooter(state: TuiState, keys: KeyTable, columns: number, paint: Paint): readonly Line[] {
  const notice = drawNotice(state, columns, paint).map((text) => ({ text }))
  return [...notice, { text: drawKeys(state, keys, columns, paint) }]
}

const mostNoticeRows = 3

/** What to do stands at its end: a narrow terminal must not cut it off. */
export function drawNotice({ notice }: TuiState, columns: number, paint: Paint): readonly string[] {
  if (notice === null) return ['']
  const text = cleanLine(notice.text)
  const hint = notice.hint === null || notice.hint === '' ? '' : ` ${paint.dim(cleanLine(notice.hint))}`
  const all = (notice.kind === 'error' ? paint.error(text) : text) + hint
  return wrapStyled(all, Math.max(1, columns - 2))
    .slice(0, mostNoticeRows)
    .map((line) => ` ${line}`)
}

/** As many as there is room for, those of this context before those of all. */
function drawKeys(state: TuiState, keys: KeyTable, columns: number, paint: Paint): string {
  const context = keyContext(state)
  const rung = nextRung(state)
  const own: string[] = rung.label === '' ? [] : [entry('Esc', rung.label, paint)]
  const isHere = (action: Action) => context in action.keys
  const shown = (actions as readonly (Action & { readonly id: ActionId })[]).filter(({ short }) => short !== undefined)
  // What only this place can do comes first, then what works here by a short key, then the rest.
  const rank = (action: Action) => (isHere(action) ? ('everywhere' in action.keys ? 1 : 0) : 2)
  for (const action of [...shown].sort((one, other) => rank(one) - rank(other))) {
    const name = keys.keyOf(context, action.id)
    if (name !== null && action.short !== undefined && action.short !== rung.label)
      own.push(entry(showKey(name), action.short, paint))
  }
  let line = ''
  for (const each of own) {
    const next = line === '' ? ` ${each}` : `${line}  ${each}`
    if (styledWidth(next) > columns) break
    line = next
  }
  return line
}

function entry(key: string, label: string, paint: Paint): string {
  return `${paint.bold(key)} ${paint.dim(label)}`
}

/** `alt+shift+f` as people write it. */
export function showKey(name: string): string {
  return name
    .split('+')
    .map((part) => (part.length === 1 ? part : part[0]?.toUpperCase() + part.slice(1)))
    .join('+')
    .replace('Pageup', 'PgUp')
    .replace('Pagedown', 'PgDn')
    .replace(/\+(\w)$/, (_, letter) => `+${letter.toUpperCase()}`)
}
