// Errors from below, without the sessions and folders that may not be seen: "did you mean", "fits 3 sessions" and "in different
// repositories" name those too.
import { isWithin } from '../lib/within.ts'
import type { CatalogSession } from '../model/catalog.ts'
import { AppError } from '../model/error.ts'
import type { Gate } from './gate.ts'
import type { Sessions } from './visible.ts'

export interface ErrorContext {
  readonly sessions: Sessions
  readonly gate: Pick<Gate, 'letsFolder'>
  /** The user's home folder. It need not be hidden, nor what is above it: the path of every session's file names it. */
  readonly home: string
}

export async function cleanError(error: unknown, context: ErrorContext): Promise<unknown> {
  if (!(error instanceof AppError)) return error
  return withoutFolders(withoutSessions(error, context.sessions.seen), context)
}

function withoutSessions(error: AppError, seen: readonly CatalogSession[]): AppError {
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

async function withoutFolders(error: AppError, { sessions, gate, home }: ErrorContext): Promise<AppError> {
  const { code, message, hint, details, cause } = error
  const text = [message, hint, JSON.stringify(details) ?? ''].join('\n')
  const named = foldersOf(sessions).filter((folder) => text.includes(folder) && !isWithin(home, folder))
  const verdicts = await Promise.all(named.map((folder) => gate.letsFolder(folder)))
  const open = new Set(named.filter((_, at) => verdicts[at]))
  if (open.size === named.length) return error
  // The longest first: an open folder may lie in a hidden one, and a hidden one in an open one. What is below a hidden one goes too.
  const names = named.sort((a, b) => b.length - a.length).map((folder) => folder.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  const mention = new RegExp(`(${names.join('|')})(?![\\w-])(/[^\\s"'\`),;]*[^\\s"'\`),;.:])?`, 'g')
  const clean = (dirty: string) =>
    dirty.replace(mention, (whole: string, folder: string) => (open.has(folder) ? whole : 'another folder'))
  return new AppError(code, clean(message), { hint: clean(hint), details: cleanStrings(details, clean), cause })
}

/** Every folder that a session is known to have been in, seen or not. */
function foldersOf({ seen, hidden, partly }: Sessions): string[] {
  const all = [...seen, ...hidden, ...[...partly.values()].map(({ original }) => original)]
  const places = all.flatMap((session) => [session, ...(session.folders ?? [])])
  const folders = places.flatMap(({ cwd, repoRoot }) => [cwd, repoRoot]).filter((folder) => folder !== null)
  return [...new Set(folders)]
}

function cleanStrings(value: unknown, clean: (text: string) => string): unknown {
  if (typeof value === 'string') return clean(value)
  if (Array.isArray(value)) return value.map((each) => cleanStrings(each, clean))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, field]) => [key, cleanStrings(field, clean)]))
}
