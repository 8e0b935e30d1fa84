// The plan of a fork as a page to read before one says yes: everything it is going to do, and everything to know about it.

import { cleanLine } from '../../lib/text/clean.ts'
import { timeAgo } from '../../lib/text/time.ts'
import { wrapText } from '../../lib/text/wrap.ts'
import type { CatalogSession } from '../../model/catalog.ts'
import type { Plan } from '../../model/fork.ts'
import { sessionAddress } from '../../model/render.ts'
import type { Colors } from '../output.ts'
import { describeCode, listCode } from './code-lines.ts'
import { contextBar, groupDigits } from './context-bar.ts'
import { remedyFor } from './remedies.ts'

export interface PageOptions {
  readonly colors: Colors
  readonly columns: number
  readonly now: number
  /** Lines one can see at once: where the page is longer, its steps (said above in other words) are left out. */
  readonly rows?: number
}

type Row = readonly [label: string, text: string, ...more: string[]]

const labelWidth = 11
const promptLength = 300

export function formatPlan(plan: Plan, session: CatalogSession, options: PageOptions): string[] {
  const { bold, dim, red, yellow } = options.colors
  const { columns } = options
  const lines = [bold(cleanLine(plan.title)), '']
  for (const [label, text, ...more] of rowsOf(plan, session, options.now)) {
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
    plan.warnings.map(({ code, message }) => ['!', `${yellow(code)}: ${cleanLine(`${message} ${remedyFor(code)}`)}`]),
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

function rowsOf(plan: Plan, session: CatalogSession, now: number): Row[] {
  const rows: Row[] = [
    ['agent', [plan.agent, plan.model].filter(Boolean).join(', ')],
    ['source', sessionAddress(session), cleanLine(session.title) || '(no prompt)'],
    ['turn', describeTurn(plan, now)],
    ['turns', `${plan.keptTurns} kept, ${plan.droppedTurns} dropped`],
    ['strategy', `${plan.strategy}: ${cleanLine(plan.strategyReason)}`],
    ['context', describeTokens(plan)],
  ]
  if (plan.cost !== null) {
    const { cached, uncached, currency } = plan.cost
    rows.push(['price', `${formatPrice(cached)} ${currency} with the prompt cache, ${formatPrice(uncached)} ${currency} without`])
  }
  rows.push(['code', describeCode(plan.code), ...listCode(plan.code)])
  if (plan.workspace === null) rows.push(['workspace', 'none: it runs in place'])
  else rows.push(['workspace', plan.workspace.path], ['branch', cleanLine(plan.workspace.branch)])
  if (plan.cwd !== plan.workspace?.path) rows.push(['folder', plan.cwd])
  if (plan.pendingPrompt !== undefined) rows.push(['prompt', shorten(cleanLine(plan.pendingPrompt))])
  return rows
}

function describeTurn({ turn, cut }: Plan, now: number): string {
  if (turn === null) return cut.kind === 'start' ? 'none: before the first prompt' : 'none: the session has no turns'
  const name = turn.number === null ? `${turn.id} (dead branch)` : String(turn.number)
  return `${name} · ${timeAgo(turn.startedAt, now)} · ${shorten(cleanLine(turn.prompt)) || '(no prompt)'}`
}

function describeTokens({ tokens: { estimate, source, contextWindow, percent } }: Plan): string {
  const counted = source === 'observed' ? 'as the agent recorded' : 'estimated by a tokenizer'
  if (contextWindow === null || percent === null) {
    return `${groupDigits(estimate)} tokens (${counted}); how many fit is not known`
  }
  return `${contextBar(percent)}  ${groupDigits(estimate)} of ${groupDigits(contextWindow)} tokens (${counted})`
}

/** Two digits that mean something: 1.23, 0.042, 0.00031. */
function formatPrice(price: number): string {
  return price >= 1 || price === 0 ? price.toFixed(2) : String(Number(price.toPrecision(2)))
}

function shorten(text: string): string {
  return text.length > promptLength ? `${text.slice(0, promptLength).trimEnd()}…` : text
}
