// Small panels below the body: the palette, a question of ours, and what an agent asks leave for.
import { cleanLine, cleanText } from '../../lib/text/clean.ts'
import { cutToWidth, padToWidth, widthOf } from '../../lib/text/width.ts'
import { wrapText } from '../../lib/text/wrap.ts'
import type { Box, Line, Paint } from '../draw.ts'
import type { KeyTable } from '../keys.ts'
import type { KeyContext, TuiState } from '../state.ts'
import type { Overlay } from '../state-overlay.ts'
import { padStyled } from '../text/wrap-styled.ts'
import { paletteRows } from '../update/palette.ts'
import { verdicts } from '../update/permission.ts'
import { drawDraft } from './draft.ts'
import { showKey } from './footer.ts'

type Of<K extends Overlay['kind']> = Extract<Overlay, { kind: K }>

export function drawPalette(
  { query, selected }: Of<'palette'>,
  keys: KeyTable,
  context: KeyContext,
  { columns, rows }: Box,
  paint: Paint,
): readonly Line[] {
  const found = paletteRows(query.text)
  const most = Math.max(4, Math.min(18, rows - 4))
  const top = Math.max(0, Math.min(selected - most + 1, found.length - most))
  const choices = found.slice(top, top + most).map(({ id, label }, at): Line => {
    const key = keys.keyOf(context, id)
    const text = padStyled(`   ${padToWidth(label, 34)}${key === null ? '' : paint.dim(showKey(key))}`, columns)
    return { text: top + at === selected ? paint.selected(text) : text, target: { kind: 'row', index: top + at } }
  })
  const line = drawDraft(query, columns - 4, paint, true, 'a command')[0] ?? ''
  const none = found.length === 0 ? [{ text: paint.dim('   No command is called that.') }] : []
  return [rule('Commands', columns, paint), { text: ` ${paint.accent('›')} ${line}` }, ...choices, ...none]
}

export function drawAsk({ label, draft, answers }: Of<'ask'>, { columns, rows }: Box, paint: Paint): readonly Line[] {
  const lines = drawDraft(draft, columns - 4, paint, true, '')
  const shown = lines.slice(-3).map((line, at) => ({ text: ` ${at === 0 ? paint.accent('›') : ' '} ${line}` }))
  if (answers.kind !== 'question') return [rule(label, columns, paint), ...shown]
  const question = wrapText(label, columns - 6).slice(0, Math.max(2, Math.floor(rows / 3)))
  const title = `Question ${answers.at + 1} of ${answers.request.questions?.length ?? 1}`
  return [rule(title, columns, paint, paint.warn), ...question.map((line) => ({ text: `   ${line}` })), ...shown]
}

export function drawConfirm({ title, lines, note }: Of<'confirm'>, { columns, rows }: Box, paint: Paint): readonly Line[] {
  const most = Math.max(2, Math.min(12, rows - 6))
  const more = lines.length > most ? [{ text: paint.dim(`   … and ${lines.length - most} more`) }] : []
  return [
    rule(title, columns, paint, paint.warn),
    ...lines.slice(0, most).map((line) => ({ text: `   ${cleanLine(line)}` })),
    ...more,
    ...wrapText(note, columns - 6).map((line) => ({ text: `   ${paint.dim(line)}` })),
    { text: `   ${paint.bold('y')} does it, ${paint.bold('n')} does not.` },
  ]
}

const answers: Readonly<Record<(typeof verdicts)[number], string>> = {
  allow: 'Yes, this once',
  allow_session: 'Yes, and do not ask again in this session',
  deny: 'No',
}

export function drawPermission(
  state: TuiState,
  overlay: Of<'permission'>,
  { columns, rows }: Box,
  paint: Paint,
): readonly Line[] {
  const { request, selected, tabId } = overlay
  const tab = state.tabs.find(({ id }) => id === tabId)
  const what = wrapText(cleanText(request.summary), columns - 6).slice(0, Math.max(2, Math.floor(rows / 3)))
  const choices = verdicts.map((verdict, at): Line => {
    const off = verdict === 'allow_session' && !request.canRemember
    const label = verdict === 'allow' && (request.questions ?? []).length > 0 ? 'Answer' : answers[verdict]
    const text = padStyled(`   ${at === selected ? '❯' : ' '} ${off ? paint.dim(label) : label}`, columns)
    return { text: at === selected ? paint.selected(text) : text, target: { kind: 'row', index: at } }
  })
  return [
    rule(`${cleanLine(tab?.title ?? '')} asks to use ${cleanLine(request.tool)}`, columns, paint, paint.warn),
    ...what.map((line) => ({ text: `   ${paint.code(line)}` })),
    ...choices,
  ]
}

function rule(label: string, columns: number, paint: Paint, style = paint.accent): Line {
  const text = cutToWidth(cleanLine(label), Math.max(1, columns - 8))
  return {
    text: `${paint.frame('──')} ${style(paint.bold(text))} ${paint.frame('─'.repeat(Math.max(0, columns - widthOf(text) - 4)))}`,
  }
}
