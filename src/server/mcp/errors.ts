// Faults as a model gets them: `isError` with code, message and hint as JSON in the text. No structured content, which clients of
// the first SDK check against the output schema even then.
import { toMachineFault } from '../../lib/machine-fault.ts'
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

/** Bugs and conditions of the machine are for the log: it names the file, which may be in a project the model may not know of. */
export function isForLog(thrown: unknown): boolean {
  return !(thrown instanceof AppError)
}

export async function errorResult(thrown: unknown, redactor: Redactor) {
  const rendered = await safeValue(redactor, describe(thrown))
  return { content: [{ type: 'text' as const, text: JSON.stringify(shorten(rendered, limits)) }], isError: true }
}

const limits = { items: 10, characters: 1500 }

function describe(thrown: unknown): unknown {
  const error = toMachineFault(thrown, { path: null })
  if (error === null) return { error: bug }
  const { details } = error
  // The plan is in the answer of a dry run; here the reasons are enough.
  const brief = typeof details === 'object' && details !== null ? Object.fromEntries(briefDetails(details)) : undefined
  return renderError({ ...errorFor('mcp', error), details: brief })
}

function briefDetails(details: object): [string, unknown][] {
  return Object.entries(details).filter(([name]) => name !== 'plan')
}
