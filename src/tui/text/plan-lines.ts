// The plan of a fork as lines that fit, and how many of them the dialog has room for: who draws and who scrolls count the same.
import { cleanLine } from '../../lib/text/clean.ts'
import { planRows } from '../../lib/text/plan-rows.ts'
import { remedyFor } from '../../lib/text/remedies.ts'
import { wrapText } from '../../lib/text/wrap.ts'
import type { Plan } from '../../model/fork.ts'
import { nameField } from '../name-field.ts'
import type { Size } from '../state.ts'
import type { ForkOverlay } from '../state-overlay.ts'
import { forkFields } from '../update/fork-fields.ts'

export interface PlanLine {
  readonly kind: 'problem' | 'blocker' | 'warning' | 'accepted' | 'row' | 'context' | 'gap'
  /** A mark or a label, on the first line of what is wrapped. */
  readonly lead: string
  readonly text: string
}

export const labelWidth = 13
/** Tabs and footer around it, its title and the line between choices and plan. */
const frameRows = 4
const headRows = 3

/** In a low window the choices give way to the plan. */
export function forkRoom({ rows }: Pick<Size, 'rows'>): { readonly choices: number; readonly plan: number } {
  const box = rows - frameRows
  const choices = Math.max(3, Math.min(forkFields.length, box - 16))
  return { choices, plan: Math.max(1, box - headRows - choices) }
}

/** How far the plan can be scrolled. */
export function planEnd(overlay: ForkOverlay, size: Size, now: number): number {
  return Math.max(0, planLines(overlay, size.columns, now).length - forkRoom(size).plan)
}

export function planLines(overlay: ForkOverlay, columns: number, now: number): readonly PlanLine[] {
  const { plan, problem } = overlay
  const told = [problem?.message, problem?.hint].flatMap((text) => bullet('problem', 'x', text ?? '', columns))
  return plan === null ? told : [...told, ...linesOf(plan, overlay, columns, now)]
}

/** What decides comes first. */
const order: readonly string[] = ['turns', 'context', 'turn', 'code', 'price', 'agent', 'source']

function linesOf(plan: Plan, { accepted }: ForkOverlay, columns: number, now: number): readonly PlanLine[] {
  const blockers = plan.blockers.flatMap(({ message }) => bullet('blocker', 'x', message, columns))
  const warnings = plan.warnings.flatMap(({ code, message }) => {
    const needsYes = plan.confirm.includes(code)
    const text = `${message} ${remedyFor(code, nameField)}`
    if (needsYes && accepted.includes(code)) return bullet('accepted', '✓', `Yes: ${text}`, columns)
    return bullet('warning', '!', needsYes ? `Needs a yes (y): ${text}` : text, columns)
  })
  // Chosen above already: they would only be said twice.
  const place = (label: string) => (order.includes(label) ? order.indexOf(label) : order.length)
  const rows = planRows(plan, null, now)
    .filter(([label]) => !['strategy', 'branch', 'prompt'].includes(label))
    .sort(([one], [other]) => place(one) - place(other))
    .flatMap(([label, ...texts]) =>
      texts
        .flatMap((each) => wrapText(cleanLine(each), columns - labelWidth - 3))
        .map((text, at): PlanLine => ({ kind: label === 'context' ? 'context' : 'row', lead: at === 0 ? label : '', text })),
    )
  const gap: readonly PlanLine[] = blockers.length + warnings.length > 0 ? [{ kind: 'gap', lead: '', text: '' }] : []
  return [...blockers, ...warnings, ...gap, ...rows]
}

function bullet(kind: PlanLine['kind'], mark: string, text: string, columns: number): readonly PlanLine[] {
  if (text === '') return []
  return wrapText(cleanLine(text), columns - 6).map((line, at) => ({ kind, lead: at === 0 ? mark : ' ', text: line }))
}
