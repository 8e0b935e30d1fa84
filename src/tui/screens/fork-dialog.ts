// The dialog before a fork: choices that can be changed in place, the plan they lead to, warnings with their remedy, what blocks.
import { cleanLine } from '../../lib/text/clean.ts'
import { planRows } from '../../lib/text/plan-rows.ts'
import { remedyFor } from '../../lib/text/remedies.ts'
import { wrapText } from '../../lib/text/wrap.ts'
import type { Plan } from '../../model/fork.ts'
import type { Box, Line, Paint } from '../draw.ts'
import type { ForkChoices, ForkOverlay, TuiState } from '../state.ts'
import { padStyled } from '../text/wrap-styled.ts'
import { type ForkField, forkFields } from '../update/fork-dialog.ts'

const labelWidth = 13

export const forkFieldLabels: Readonly<Record<ForkField, string>> = {
  strategy: 'way',
  code: 'code',
  to: 'agent',
  title: 'title',
  branch: 'branch',
  prompt: 'first prompt',
  send: 'send it',
  allowCut: 'may shorten',
}

export function drawForkDialog({ now }: TuiState, overlay: ForkOverlay, box: Box, paint: Paint): readonly Line[] {
  const { plan, problem, forking } = overlay
  const title = plan === null ? 'Fork' : cleanLine(plan.title)
  const head = [{ text: ` ${paint.bold(title)}${forking ? paint.accent('  forking ...') : ''}` }, { text: '' }]
  const all = forkFields.map((field, at) => drawChoice(field, overlay, at === overlay.selected, box.columns, paint))
  // In a low window the choices give way to the plan: those around the selected one stay.
  const most = Math.max(3, Math.min(all.length, box.rows - 16))
  const from = Math.max(0, Math.min(overlay.selected - Math.floor(most / 2), all.length - most))
  const choices = all.slice(from, from + most)
  const told =
    problem === null
      ? []
      : [problem.message, problem.hint].filter(Boolean).flatMap((text) => bullet('x', text, box.columns, paint.error))
  const body =
    plan === null
      ? problem === null
        ? [{ text: paint.dim('  Planning ...') }]
        : []
      : drawPlan(plan, overlay, now, box.columns, paint)
  const lines = [...head, ...choices, { text: '' }, ...told, ...body]
  // What cannot be done without is above; rows of the plan that do not fit are the last to be missed.
  return lines.slice(0, box.rows)
}

function drawChoice(field: ForkField, { choices, plan }: ForkOverlay, isSelected: boolean, columns: number, paint: Paint): Line {
  const label = forkFieldLabels[field]
  const text = `${isSelected ? paint.accent(' ▌') : '  '}${paint.dim(label.padEnd(labelWidth))}${describeChoice(field, choices, plan, paint)}`
  return {
    text: isSelected ? paint.selected(padStyled(text, columns)) : text,
    target: { kind: 'row', index: forkFields.indexOf(field) },
  }
}

/** What was chosen, and where offshoot chooses, what it chose. */
function describeChoice(field: ForkField, choices: ForkChoices, plan: Plan | null, paint: Paint): string {
  const chosen = (value: string | null, own: string | null | undefined) =>
    value === null ? `${own ?? '...'} ${paint.dim('(auto)')}` : paint.bold(value)
  switch (field) {
    case 'strategy':
      return chosen(choices.strategy === 'auto' ? null : choices.strategy, plan?.strategy)
    case 'code':
      return chosen(choices.code === 'auto' ? null : choices.code, plan?.code.mode)
    case 'to':
      return chosen(choices.to, plan?.agent)
    case 'title':
      return chosen(choices.title === null ? null : cleanLine(choices.title), plan === null ? null : cleanLine(plan.title))
    case 'branch':
      return chosen(choices.branch, plan === null ? null : (plan.workspace?.branch ?? 'none'))
    case 'prompt':
      return chosen(
        choices.prompt === null ? null : cleanLine(choices.prompt),
        plan === null ? null : cleanLine(plan.pendingPrompt ?? 'none'),
      )
    case 'send':
      return choices.send ? paint.bold('at once') : 'waits in the composer'
    case 'allowCut':
      return choices.allowCut ? paint.bold('yes: the oldest tool outputs of a seed') : 'no'
  }
}

/** What decides comes first; what does not fit is the last to be missed. */
const order: readonly string[] = ['turns', 'context', 'turn', 'code', 'price', 'agent', 'source']

function drawPlan(plan: Plan, { accepted }: ForkOverlay, now: number, columns: number, paint: Paint): Line[] {
  const blockers = plan.blockers.flatMap(({ message }) => bullet('x', message, columns, paint.error))
  const warnings = plan.warnings.flatMap(({ code, message }) => {
    const needsYes = plan.confirm.includes(code)
    const text = `${message} ${remedyFor(code)}`
    if (needsYes && accepted.includes(code)) return bullet('✓', `Yes: ${text}`, columns, paint.ok)
    return bullet('!', needsYes ? `Needs a yes (y): ${text}` : text, columns, paint.warn)
  })
  // Chosen above already: they would only be said twice.
  const place = (label: string) => (order.includes(label) ? order.indexOf(label) : order.length)
  const rows = planRows(plan, null, now)
    .filter(([label]) => !['strategy', 'branch', 'prompt'].includes(label))
    .sort(([one], [other]) => place(one) - place(other))
  const lines = rows.flatMap(([label, text, ...more]) => {
    const wrapped = [text, ...more].flatMap((each) => wrapText(cleanLine(each), columns - labelWidth - 3))
    return wrapped.map((line, at) => ({
      text: `  ${paint.dim((at === 0 ? label : '').padEnd(labelWidth))}${label === 'context' ? colorBar(line, plan, paint) : line}`,
    }))
  })
  const gap = blockers.length + warnings.length > 0 ? [{ text: '' }] : []
  return [...blockers, ...warnings, ...gap, ...lines]
}

function colorBar(line: string, { tokens }: Plan, paint: Paint): string {
  const percent = tokens.percent ?? 0
  return percent >= 100 ? paint.error(line) : percent >= 80 ? paint.warn(line) : line
}

function bullet(mark: string, text: string, columns: number, style: (text: string) => string): Line[] {
  const lines = wrapText(cleanLine(text), columns - 6)
  return lines.map((line, at) => ({
    text: `  ${at === 0 ? style(mark) : ' '} ${style(line)}`,
  }))
}
