// Where a page of sessions ended. A list that changes under the reader is read on behind the same session, or, when that one
// has moved, behind its time: nothing is left out, and only what is new at the top is missed.
import type { CatalogSession } from '../model/catalog.ts'
import { AppError } from '../model/error.ts'
import { sessionAddress } from '../model/render.ts'

export function encodeCursor(session: CatalogSession): string {
  return Buffer.from(JSON.stringify([sessionAddress(session), session.updatedAt])).toString('base64url')
}

/** The sessions behind the cursor, newest first as they were given. */
export function behind(sessions: readonly CatalogSession[], cursor: string): readonly CatalogSession[] {
  const [address, updatedAt] = decodeCursor(cursor)
  const at = sessions.findIndex((session) => sessionAddress(session) === address && session.updatedAt === updatedAt)
  if (at !== -1) return sessions.slice(at + 1)
  const time = updatedAt ?? 0
  const next = sessions.findIndex((session) => (session.updatedAt ?? 0) <= time)
  return next === -1 ? [] : sessions.slice(next)
}

function decodeCursor(cursor: string): readonly [address: string, updatedAt: number | null] {
  try {
    const parts: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString())
    if (Array.isArray(parts)) {
      const [address, updatedAt]: unknown[] = parts
      if (typeof address === 'string' && (typeof updatedAt === 'number' || updatedAt === null)) return [address, updatedAt]
    }
  } catch {
    // no JSON: said below
  }
  throw new AppError('usage', 'This cursor is not one of ours.', { hint: 'Use `next` of the page before as it is.' })
}
