// qmd cannot answer: why, what to do about it, and the newest sessions meanwhile, all in one error.

import { cleanLine } from '../../lib/text/clean.ts'
import { timeAgo } from '../../lib/text/time.ts'
import { AppError } from '../../model/error.ts'
import { type QmdGuidance, renderQmdGuidance } from '../../model/qmd.ts'
import { sessionAddress } from '../../model/render.ts'

/** Any other fault as it is. */
export function tellWithoutQmd(fault: unknown, now: number): unknown {
  const guidance = renderQmdGuidance(fault)
  if (guidance === null || !(fault instanceof AppError)) return fault
  const { nextSteps, fallbackSessions } = fault.details as QmdGuidance
  const lines = [
    fault.message,
    ...nextSteps.map((step) => `  - ${step}`),
    ...(fallbackSessions.length === 0 ? [] : ['The newest sessions here:']),
    ...fallbackSessions.map(
      (session) => `  ${sessionAddress(session)}  ${timeAgo(session.updatedAt, now)}  ${cleanLine(session.title).slice(0, 80)}`,
    ),
  ]
  const { next_steps, fallback_sessions } = guidance
  return new AppError('qmd_not_available', lines.join('\n'), {
    hint: 'The built-in engine needs no set-up: --engine builtin.',
    details: { next_steps, fallback_sessions },
    cause: fault,
  })
}
