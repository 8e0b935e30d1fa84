// The dialog before a fork: choices that can be changed in place, the plan they lead to, warnings with their remedy, what blocks.
import { cleanLine } from '../../lib/text/clean.ts'
import { cutToWidth } from '../../lib/text/width.ts'
import type { Plan } from '../../model/fork.ts'
import type { Box, Line, Paint } from '../draw.ts'
import type { TuiState } from '../state.ts'
import type { ForkChoices, ForkOverlay } from '../state-overlay.ts'
import { forkRoom, labelWidth, type PlanLine, planLines } from '../text/plan-lines.ts'
import { padStyled, styledWidth } from '../text/wrap-styled.ts'
import { type ForkField, forkFieldLabels, forkFields } from '../update/fork-fields.ts'

export function drawForkDialog({ now, size }: TuiState, overlay: ForkOverlay, box: Box, paint: Paint): readonly Line[] {
  const { plan, problem, forking, selected } = overlay
  const title = plan === null ? 'Fork' : cleanLine(plan.title)
  const room = forkRoom(size)
  const from = Math.max(0, Math.min(selected - Math.floor(room.choices / 2), forkFields.length - room.choices))
  const choices = forkFields.slice(from, from + room.choices).map((field) => drawChoice(field, overlay, box.columns, paint))
  const which = room.choices < forkFields.length ? paint.dim(`  choice ${selected + 1} of ${forkFields.length}`) : ''
  const state = forking ? paint.accent('  forking ...') : ''
  const lines = planLines(overlay, box.columns, now)
  const top = Math.min(overlay.top, Math.max(0, lines.length - room.plan))
  const isMade = plan !== null || problem !== null
  return [
    { text: ` ${paint.bold(cutToWidth(title, box.columns - 2 - styledWidth(`${which}${state}`)))}${which}${state}` },
    { text: '' },
    ...choices,
    { text: drawMore(top, lines.length - top - room.plan, paint) },
    ...(isMade ? [] : [{ text: paint.dim('  Planning ...') }]),
    ...lines.slice(top, top + room.plan).map((line) => drawPlanLine(line, plan, paint)),
  ]
}

/** On the line between choices and plan, where there is more of it than fits. */
function drawMore(above: number, below: number, paint: Paint): string {
  const parts = [...(above > 0 ? [`▲ ${above} more above: PgUp`] : []), ...(below > 0 ? [`▼ ${below} more below: PgDn`] : [])]
  return parts.length === 0 ? '' : `  ${paint.accent(parts.join('   '))}`
}

function drawChoice(field: ForkField, { choices, plan, selected }: ForkOverlay, columns: number, paint: Paint): Line {
  const isSelected = forkFields[selected] === field
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

function drawPlanLine({ kind, lead, text }: PlanLine, plan: Plan | null, paint: Paint): Line {
  switch (kind) {
    case 'gap':
      return { text: '' }
    case 'row':
    case 'context':
      return { text: `  ${paint.dim(lead.padEnd(labelWidth))}${kind === 'context' ? colorBar(text, plan, paint) : text}` }
    default: {
      const style = { problem: paint.error, blocker: paint.error, warning: paint.warn, accepted: paint.ok }[kind]
      return { text: `  ${style(lead)} ${style(text)}` }
    }
  }
}

function colorBar(line: string, plan: Plan | null, paint: Paint): string {
  const percent = plan?.tokens.percent ?? 0
  return percent >= 100 ? paint.error(line) : percent >= 80 ? paint.warn(line) : line
}
