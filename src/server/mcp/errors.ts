// Faults as a model gets them: `isError` with code, message and hint as JSON in the text. No structured content, which clients of
// the first SDK check against the output schema even then.
import { AppError } from '../../model/error.ts'
import { errorFor, wordsFor } from '../../model/program-words.ts'
import { renderError } from '../../model/render.ts'
import type { Redactor } from '../../redact/redact.ts'
import { safeValue } from './safe-text.ts'
import { shorten } from './size.ts'

const bug = {
  code: 'internal',
  message: 'Something went wrong inside offshoot.',
  hint: wordsFor('mcp', 'Run `offshoot doctor`; the log says more.'),
}

/** Anything that is no fault of the person's or the caller's is for the log, not for a model. */
export function isBug(thrown: unknown): boolean {
  return !(thrown instanceof AppError)
}

export async function errorResult(thrown: unknown, redactor: Redactor) {
  const rendered = await safeValue(redactor, describe(thrown))
  return { content: [{ type: 'text' as const, text: JSON.stringify(shorten(rendered, limits)) }], isError: true }
}

const limits = { items: 10, characters: 1500 }

function describe(thrown: unknown): unknown {
  if (!(thrown instanceof AppError)) return { error: bug }
  const { details } = thrown
  // The plan is in the answer of a dry run; here the reasons are enough.
  const brief = typeof details === 'object' && details !== null ? Object.fromEntries(briefDetails(details)) : undefined
  return renderError({ ...errorFor('mcp', thrown), details: brief })
}

function briefDetails(details: object): [string, unknown][] {
  return Object.entries(details).filter(([name]) => name !== 'plan')
}
