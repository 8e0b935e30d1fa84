// The plan of a fork as a page to read before one says yes: everything it is going to do, and everything to know about it.

import { cleanLine } from '../../lib/text/clean.ts'
import { planRows } from '../../lib/text/plan-rows.ts'
import { remedyFor } from '../../lib/text/remedies.ts'
import { wrapText } from '../../lib/text/wrap.ts'
import type { CatalogSession } from '../../model/catalog.ts'
import type { Plan } from '../../model/fork.ts'
import { labelWidth } from '../labelled-rows.ts'
import { nameFlag } from '../name-flag.ts'
import type { Colors } from '../output.ts'

export interface PageOptions {
  readonly colors: Colors
  readonly columns: number
  readonly now: number
  /** Lines one can see at once: where the page is longer, its steps (said above in other words) are left out. */
  readonly rows?: number
}

export function formatPlan(plan: Plan, session: CatalogSession, options: PageOptions): string[] {
  const { bold, dim, red, yellow } = options.colors
  const { columns } = options
  const lines = [bold(cleanLine(plan.title)), '']
  for (const [label, text, ...more] of planRows(plan, session, options.now)) {
    const wrapped = [text, ...more].flatMap((each) => wrapText(each, columns - labelWidth - 2))
    lines.push(...wrapped.map((line, at) => `  ${dim((at === 0 ? label : '').padEnd(labelWidth))}${line}`))
  }
  const list = (title: string, items: readonly (readonly [mark: string, text: string])[]) => {
    if (items.length === 0) return
    lines.push('', bold(title))
    for (const [mark, text] of items) {
      const indent = ' '.repeat(mark.length)
      const wrapped = wrapText(text, columns - mark.length - 3)
      lines.push(...wrapped.map((line, at) => `  ${at === 0 ? mark : indent} ${line}`))
    }
  }
  list(
    'Warnings',
    plan.warnings.map(({ code, message }) => ['!', `${yellow(code)}: ${cleanLine(`${message} ${remedyFor(code, nameFlag)}`)}`]),
  )
  list(
    'Not possible',
    plan.blockers.map(({ code, message }) => ['x', `${red(code)}: ${cleanLine(message)}`]),
  )
  const stepLines = plan.steps.flatMap((step) => wrapText(step, columns - 5)).length + 2
  if (options.rows !== undefined && lines.length + stepLines > options.rows) return lines
  list(
    'Steps',
    plan.steps.map((step, at) => [`${at + 1}.`, cleanLine(step)]),
  )
  return lines
}
