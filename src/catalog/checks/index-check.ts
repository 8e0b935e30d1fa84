// Does the database open, is it whole, and does it follow the agents' files.
import type { Check } from '../../model/catalog.ts'
import { AppError } from '../../model/error.ts'
import type { CatalogContext } from '../context.ts'
import type { RefreshOutcome } from '../refresh.ts'

export interface IndexCheck {
  readonly checks: readonly Check[]
  /** `null` when there is no index to ask further. */
  readonly outcome: RefreshOutcome | null
}

export async function checkIndex(context: CatalogContext, refresh: () => Promise<RefreshOutcome>): Promise<IndexCheck> {
  try {
    const outcome = await refresh()
    const store = context.store()
    const verdict = store.check()
    const archived = new Set(store.archive.all().map(({ agent, sessionId }) => `${agent}:${sessionId}`)).size
    const message = `${store.path}: schema ${store.schemaVersion()}, ${outcome.sessions} sessions, ${archived} archived`
    const check: Check =
      verdict === 'ok'
        ? { id: 'index', state: 'ok', message, fix: null }
        : { id: 'index', state: 'fail', message: `${message}; damaged: ${verdict}`, fix: rebuildFix(store.path) }
    return { checks: [check], outcome }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return { checks: [{ id: 'index', state: 'fail', message: error.message, fix: error.hint }], outcome: null }
  }
}

function rebuildFix(path: string): string {
  return `Move ${path} away: it is rebuilt from the agents' files and the archive.`
}
