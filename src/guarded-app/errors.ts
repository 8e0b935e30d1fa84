// Errors from below, without the sessions that may not be seen: "did you mean" and "fits 3 sessions" name those too.
import type { CatalogSession } from '../model/catalog.ts'
import { AppError } from '../model/error.ts'

export function cleanError(error: unknown, seen: readonly CatalogSession[]): unknown {
  if (!(error instanceof AppError)) return error
  const candidates = candidatesOf(error.details)
  if (candidates === null) return error
  const paths = new Set(seen.map(({ path }) => path))
  const kept = candidates.filter(({ path }) => typeof path !== 'string' || paths.has(path))
  if (kept.length === candidates.length) return error
  const message = error.code === 'ambiguous' ? 'This fits several sessions.' : 'There is no such session.'
  return new AppError(error.code, message, { hint: error.hint, details: { candidates: kept } })
}

/** Of sessions; those of turns have no path and are of a session that was let through. */
function candidatesOf(details: unknown): readonly { readonly path?: unknown }[] | null {
  const candidates = typeof details === 'object' && details !== null && 'candidates' in details ? details.candidates : null
  return Array.isArray(candidates) ? candidates : null
}
