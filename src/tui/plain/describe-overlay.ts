// Questions and dialogs in words: what is asked, what can be answered, and by which number or word.
import { cleanLine, cleanText } from '../../lib/text/clean.ts'
import { groupDigits } from '../../lib/text/context-bar.ts'
import { describeCounting, planRows } from '../../lib/text/plan-rows.ts'
import { remedyFor } from '../../lib/text/remedies.ts'
import { stateMarks } from '../../lib/text/session-state.ts'
import { timeAgo } from '../../lib/text/time.ts'
import { forkedAt } from '../../lib/text/tree-lines.ts'
import type { LineageNode } from '../../model/catalog.ts'
import type { Plan } from '../../model/fork.ts'
import { nameField } from '../name-field.ts'
import type { TuiState } from '../state.ts'
import type { ForkOverlay, Overlay } from '../state-overlay.ts'
import { type ForkField, forkFieldLabels, forkFields } from '../update/fork-fields.ts'
import { agentName, called, countTurns, readable, sentence, titleOf } from './describe.ts'
import { describeComparison } from './describe-comparison.ts'

export function describeOverlay(state: TuiState, overlay: Overlay): string[] {
  switch (overlay.kind) {
    case 'fork':
      return describeFork(state, overlay)
    case 'permission': {
      const tab = state.tabs.find(({ id }) => id === overlay.tabId)
      const { tool, summary, canRemember, questions = [] } = overlay.request
      return [
        `Question: ${titleOf(tab?.title ?? '')} asks to use ${cleanLine(tool)}:`,
        cleanText(summary),
        questions.length > 0 ? '1. Answer' : '1. Yes, this once',
        canRemember ? '2. Yes, and do not ask again in this session' : '2. Not possible here: yes for the whole session',
        '3. No',
        '4. No, and stop the turn',
        'Type a number, or yes, always, no, stop.',
      ]
    }
    case 'confirm':
      return [
        `${cleanLine(overlay.title)}:`,
        ...overlay.lines.map((line) => cleanLine(line)),
        cleanLine(overlay.note),
        'Type yes to do it, no to leave it.',
      ]
    case 'ask':
      return [`${cleanLine(overlay.label)}: type it, or /cancel.`]
    case 'tree':
      return overlay.roots === null ? ['Reading the tree of forks ...'] : describeTree(overlay.roots, state.now)
    case 'workers':
      return describeWorkers(state)
    case 'diff':
      if (overlay.patch === null) return ['Comparing ...']
      return [`${overlay.title}:`, readable(overlay.patch) || 'There is no difference.']
    case 'compare':
      return describeComparison(overlay)
    case 'help':
    case 'palette':
      return []
  }
}

function describeFork({ now }: TuiState, overlay: ForkOverlay): string[] {
  const { plan, problem, forking } = overlay
  if (forking) return ['Forking ...']
  const told = problem === null ? [] : [`Error: ${cleanLine(problem.message)} ${cleanLine(problem.hint)}`.trim()]
  if (plan === null) return problem === null ? ['Planning the fork ...'] : [...told, 'Change a choice by its number, or cancel.']
  const choices = forkFields.map((field, at) => `${at + 1}. ${forkFieldLabels[field]}: ${describeChoice(field, overlay, plan)}`)
  const rows = planRows(plan, null, now)
    .filter(([label]) => !['strategy', 'branch', 'prompt', 'context'].includes(label))
    .map(([label, ...texts]) => `${label}: ${cleanLine(texts.join(', ')).replaceAll(' · ', ', ').replaceAll(':, ', ': ')}`)
  const warnings = plan.warnings.map(({ code, message }) => {
    const text = cleanLine(`${message} ${remedyFor(code, nameField)}`)
    if (!plan.confirm.includes(code)) return `Warning: ${text}`
    return overlay.accepted.includes(code) ? `Warning, you said yes: ${text}` : `Warning, needs a yes: ${text}`
  })
  const isBlocked = plan.blockers.length > 0
  const open = plan.confirm.some((code) => !overlay.accepted.includes(code))
  return [
    `Fork: ${titleOf(plan.title)}`,
    ...rows,
    `context: ${describeContext(plan)}`,
    'Choices:',
    ...choices,
    ...warnings,
    ...plan.blockers.map(({ message }) => `Not possible: ${cleanLine(message)}`),
    ...told,
    `${isBlocked ? 'Change' : open ? 'Type yes to the warnings, then fork to make it; change' : 'Type fork to make it; change'} a choice by its number, as in 1 seed; or cancel.`,
  ]
}

function describeContext({ tokens }: Plan): string {
  const counted = describeCounting(tokens)
  if (tokens.contextWindow === null || tokens.percent === null)
    return `${groupDigits(tokens.estimate)} tokens, ${counted}; how many fit is not known`
  return `${tokens.percent} percent full, ${groupDigits(tokens.estimate)} of ${tokens.contextWindowSource === 'assumed' ? 'an assumed ' : ''}${groupDigits(tokens.contextWindow)} tokens, ${counted}`
}

function describeChoice(field: ForkField, { choices }: ForkOverlay, plan: Plan): string {
  const chosen = (value: string | null, own: string) =>
    value === null ? `${cleanLine(own)}, chosen by offshoot` : cleanLine(value)
  switch (field) {
    case 'strategy':
      return chosen(choices.strategy === 'auto' ? null : choices.strategy, plan.strategy)
    case 'code':
      return chosen(choices.code === 'auto' ? null : choices.code, plan.code.mode)
    case 'to':
      return chosen(choices.to, plan.agent)
    case 'title':
      return chosen(choices.title, plan.title)
    case 'branch':
      return chosen(choices.branch, plan.workspace?.branch ?? 'none')
    case 'prompt':
      return chosen(choices.prompt, plan.pendingPrompt ?? 'none')
    case 'send':
      return choices.send ? 'yes, at once' : 'no, it waits'
    case 'allowCut':
      return choices.allowCut ? 'yes, the oldest tool outputs of a seed' : 'no'
  }
}

/** Depth in words: who stands below whom is said, not drawn. */
function describeTree(roots: readonly LineageNode[], now: number): string[] {
  const rows: string[] = []
  const open = roots.map((node) => ({ node, parent: 0 })).reverse()
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { session, forkKind, children } = next.node
    const number = rows.length + 1
    const from =
      next.parent === 0 ? '' : `, ${[forkKind ?? 'a', 'fork of', next.parent, forkedAt(next.node)].filter(Boolean).join(' ')}`
    const live = session.live ? ', running now' : ''
    const marks = stateMarks(session).map((mark) => `, ${mark.slice(1, -1)}`)
    rows.push(
      `${number}. ${sentence(called(session), `${agentName(session.agent)}${from}, ${countTurns(session.ownTurns)}, ${timeAgo(session.updatedAt, now)}${live}${marks.join('')}`)}`,
    )
    for (const child of children.toReversed()) open.push({ node: child, parent: number })
  }
  if (rows.length === 0) return ['Tree of forks: nothing was forked here yet.']
  return [
    'Tree of forks:',
    ...rows,
    'Type a number to open one, /fork and a number to fork it, /compare and two numbers to compare their code, or cancel.',
  ]
}

function describeWorkers({ workers, now }: TuiState): string[] {
  if (workers.length === 0)
    return ['Workers: none is running. offshoot start claude --terminal tmux starts one.', 'Type cancel to go back.']
  return [
    'Workers:',
    ...workers.map(({ name, agent, state, createdAt, permission }, at) => {
      const asks = permission === null ? '' : `, asks for: ${cleanLine(permission.summary)}`
      return `${at + 1}. ${cleanLine(name)}. ${agentName(agent)}, ${state}, started ${timeAgo(createdAt, now)}${asks}`
    }),
    'Type attach, send, fork or stop and a number, or cancel.',
  ]
}
