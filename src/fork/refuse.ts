// Refuses before anything is done: what a plan cannot do, and what has not been accepted.
import { AppError, type ErrorCode } from '../model/error.ts'
import type { BlockerCode, Plan, WarningCode } from '../model/fork.ts'
import type { NameOption } from '../model/option-names.ts'
import { renderPlan } from '../model/render.ts'

const errorOf: Record<BlockerCode, ErrorCode> = {
  turn_running: 'busy',
  context_over: 'fork_blocked',
  no_agent: 'tool_missing',
  no_git: 'repo_not_found',
  no_work_tree: 'repo_not_found',
  parent_missing: 'parent_missing',
  line_too_long: 'fork_blocked',
  strategy_impossible: 'fork_blocked',
  code_unavailable: 'fork_blocked',
  cwd_missing: 'fork_blocked',
}

const hintOf: Partial<Record<BlockerCode, (nameOption: NameOption) => string>> = {
  no_git: (nameOption) => `Use ${nameOption('code', 'none')} to run the fork in place.`,
  no_work_tree: (nameOption) => `Use ${nameOption('code', 'none')}, or go to a work tree of the repository.`,
}

export function refuseBlocked(plan: Plan, nameOption: NameOption): void {
  const [first] = plan.blockers
  if (first === undefined) return
  const hint = hintOf[first.code]?.(nameOption)
  throw new AppError(errorOf[first.code], plan.blockers.map(({ message }) => message).join('\n'), {
    ...(hint === undefined ? {} : { hint }),
    details: { plan: renderPlan(plan) },
  })
}

/** `more`: what else the face offers besides naming the codes. */
export function refuseUnconfirmed(plan: Plan, accept: readonly WarningCode[], nameOption: NameOption, more = ''): void {
  const open = plan.confirm.filter((code) => !accept.includes(code))
  if (open.length === 0) return
  const messages = plan.warnings.filter(({ code }) => open.includes(code)).map(({ code, message }) => `${code}: ${message}`)
  throw new AppError('confirm_needed', `This needs to be accepted:\n  ${messages.join('\n  ')}`, {
    hint: `Look at the plan, then accept with ${nameOption('accept', open)}${more}.`,
    details: { confirm: open, plan: renderPlan(plan) },
  })
}
