// Errors as problem documents (RFC 9457) with the same code as on every other face. What is neither an AppError nor a condition of
// the machine is a bug: it is logged, and the caller learns nothing of it but that it happened.
import { STATUS_CODES } from 'node:http'
import { HTTPException } from 'hono/http-exception'
import type { ZodError } from 'zod'
import { asError } from '../lib/error-message.ts'
import type { Log } from '../lib/log.ts'
import { toMachineFault } from '../lib/machine-fault.ts'
import { safeJson } from '../lib/safe-json.ts'
import { AppError, errorTable } from '../model/error.ts'
import { errorFor, wordsFor } from '../model/program-words.ts'
import { renderQmdGuidance } from '../model/qmd.ts'
import { describeFaults } from './parameters.ts'
import type { Words } from './words.ts'

export interface Problem {
  readonly type: string
  readonly title: string
  readonly status: number
  readonly detail: string
  readonly code: string
  readonly hint: string
  readonly details?: unknown
}

const seeApi = 'See /openapi.json for what this route takes.'

export function describeProblem(error: AppError, words: Words = 'http'): Problem {
  const details = detailsOf(error)
  const { message, hint } = words === 'http' ? errorFor('http', error) : error
  return {
    type: `urn:offshoot:error:${error.code}`,
    title: STATUS_CODES[error.httpStatus] ?? error.code,
    status: error.httpStatus,
    detail: message,
    code: error.code,
    hint: words === 'http' && error.hint === errorTable.usage.hint ? seeApi : hint,
    ...(details === undefined ? {} : { details }),
  }
}

/** SF5's guidance holds sessions: it has a rendering of its own. */
function detailsOf(error: AppError): unknown {
  const guidance = renderQmdGuidance(error)
  if (guidance === null) return error.details
  const { next_steps, fallback_sessions } = guidance
  return { next_steps: next_steps.map((step) => wordsFor('http', step)), fallback_sessions }
}

const internal: Problem = {
  type: 'urn:offshoot:error:internal',
  title: 'Internal Server Error',
  status: 500,
  detail: 'internal error',
  code: 'internal',
  hint: 'This is a bug in offshoot; the details are in its log.',
}

export function problemOf(thrown: unknown, log: Log, words?: Words): Problem {
  if (thrown instanceof AppError) return describeProblem(thrown, words)
  if (thrown instanceof HTTPException && thrown.status < 500) return describeProblem(asUsage(thrown))
  // The log names the file; the caller may not know of the project it is in.
  const fault = toMachineFault(thrown, { path: null })
  log.write('error', fault === null ? 'internal error' : fault.message, { error: asError(thrown) })
  return fault === null ? internal : describeProblem(fault, words)
}

export function problemResponse(problem: Problem, headers: Readonly<Record<string, string>> = {}): Response {
  const { status } = problem
  return new Response(safeJson(problem), { status, headers: { 'content-type': 'application/problem+json', ...headers } })
}

/** Hono's own: malformed JSON, a body of another kind. */
function asUsage(exception: HTTPException): AppError {
  if (exception.status === 413) return new AppError('too_large', 'The body is too large.')
  // Hono tells it by its words alone: the status is 400.
  return exception.message === 'Unsupported Media Type'
    ? new AppError('wrong_type', 'The body is no JSON, or is not said to be.')
    : new AppError('usage', exception.message || 'This request cannot be understood.', {
        hint: 'Send JSON as /openapi.json says.',
      })
}

/** `details.faults` has every fault with its place; `target` is the part of the request: json, query or param. */
export function refuseRequest(error: ZodError, target: string): AppError {
  const faults = describeFaults(error).map(({ path, message }) => {
    // Only one that is given twice is a list.
    const isDouble = target === 'query' && message.endsWith('received array')
    return { at: path === '' ? target : `${target}.${path}`, message: isDouble ? 'is given more than once' : message }
  })
  const words = faults.map(({ at, message }) => `${at}: ${message}`).join('; ')
  return new AppError('usage', words, { hint: seeApi, details: { faults } })
}
