// What a plan is going to do, as rows of a label and a text: the same on the command line and in the dialog.
import type { CatalogSession } from '../../model/catalog.ts'
import type { Plan } from '../../model/fork.ts'
import { sessionAddress } from '../../model/render.ts'
import { cleanLine } from './clean.ts'
import { describeCode, listCode } from './code-lines.ts'
import { contextBar, groupDigits } from './context-bar.ts'
import { count } from './count.ts'
import { timeAgo } from './time.ts'

export type PlanRow = readonly [label: string, text: string, ...more: string[]]

const promptLength = 300

/** Without the session, the source is the one of the plan's parent. */
export function planRows(plan: Plan, session: CatalogSession | null, now: number): PlanRow[] {
  const source: PlanRow =
    session === null
      ? ['source', `${plan.parent.agent}:${plan.parent.sessionId}`]
      : ['source', sessionAddress(session), cleanLine(session.title) || '(no prompt)']
  const rows: PlanRow[] = [
    ['agent', [plan.agent, describeModel(plan)].filter(Boolean).join(', ')],
    source,
    ['turn', describeTurn(plan, now)],
    ['turns', `${plan.keptTurns} kept, ${plan.droppedTurns} dropped`],
    ['strategy', `${plan.strategy}: ${cleanLine(plan.strategyReason)}`],
    ['context', describeTokens(plan)],
  ]
  if (plan.seed !== null && plan.seed.droppedCharacters > 0) rows.push(['left out', describeDropped(plan.seed)])
  if (plan.cost !== null) {
    const { cached, uncached, currency } = plan.cost
    const full = `${formatPrice(uncached)} ${currency}`
    rows.push(['price', cached === null ? full : `${formatPrice(cached)} ${currency} with the prompt cache, ${full} without`])
  }
  rows.push(['code', describeCode(plan.code), ...listCode(plan.code)])
  if (plan.workspace === null) rows.push(['workspace', 'none: it runs in place'])
  else rows.push(['workspace', cleanLine(plan.workspace.path)], ['branch', cleanLine(plan.workspace.branch)])
  if (plan.cwd !== plan.workspace?.path) rows.push(['folder', cleanLine(plan.cwd)])
  if (plan.setup !== null) rows.push(['set-up', cleanLine(plan.setup.command)])
  if (plan.pendingPrompt !== undefined) rows.push(['prompt', shorten(cleanLine(plan.pendingPrompt))])
  return rows
}

function describeModel({ model, seed }: Plan): string | null {
  if (model !== null) return cleanLine(model)
  return seed === null ? null : 'its default model'
}

function describeTurn({ turn, cut }: Plan, now: number): string {
  if (turn === null) return cut.kind === 'start' ? 'none: before the first prompt' : 'none: the session has no turns'
  const name = turn.number === null ? `${turn.id} (dead branch)` : String(turn.number)
  return `${name} · ${timeAgo(turn.startedAt, now)} · ${shorten(cleanLine(turn.prompt)) || '(no prompt)'}`
}

export function describeCounting({ source }: Plan['tokens']): string {
  switch (source) {
    case 'observed':
      return 'as the agent recorded'
    case 'mixed':
      return 'as the agent recorded, the end estimated'
    case 'tokenizer':
      return 'estimated by a tokenizer'
  }
}

function describeTokens({ tokens }: Plan): string {
  const { estimate, contextWindow, contextWindowSource, percent } = tokens
  const counted = describeCounting(tokens)
  if (contextWindow === null || percent === null) {
    return `${groupDigits(estimate)} tokens (${counted}); how many fit is not known`
  }
  const window = `${contextWindowSource === 'assumed' ? 'an assumed ' : ''}${groupDigits(contextWindow)}`
  return `${contextBar(percent)}  ${groupDigits(estimate)} of ${window} tokens (${counted})`
}

function describeDropped({ droppedMessages, droppedCharacters }: NonNullable<Plan['seed']>): string {
  const text = `${groupDigits(droppedCharacters)} characters that the agent's harness put in`
  return droppedMessages === 0 ? text : `${text}, ${count(droppedMessages, 'whole message')} among them`
}

/** Two digits that mean something: 1.23, 0.042, 0.00031. */
function formatPrice(price: number): string {
  return price >= 1 || price === 0 ? price.toFixed(2) : String(Number(price.toPrecision(2)))
}

function shorten(text: string): string {
  return text.length > promptLength ? `${text.slice(0, promptLength).trimEnd()}…` : text
}
