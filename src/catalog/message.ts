// Finds one message of a session by its id, on the live chain or on a dead branch.

import { findNearest } from '../lib/nearest.ts'
import type { CatalogSession, Target } from '../model/catalog.ts'
import { AppError } from '../model/error.ts'
import type { Turn } from '../model/session.ts'
import type { CatalogContext } from './context.ts'
import { readSession } from './read.ts'

export async function findMessage(
  context: CatalogContext,
  session: CatalogSession,
  turns: readonly Turn[],
  prefix: string,
): Promise<Pick<Target, 'turn' | 'messageId'>> {
  const live = await readIds(context, session)
  const found = live.has(prefix) ? [prefix] : [...live.keys()].filter((id) => prefix.length >= 4 && id.startsWith(prefix))
  if (found.length > 1) {
    throw new AppError('ambiguous', `"@m:${prefix}" fits ${found.length} messages: ${found.slice(0, 10).join(', ')}`, {
      details: { candidates: found },
    })
  }
  const messageId = found[0] ?? prefix
  const turnId = live.get(messageId) ?? (await findOnDeadBranch(context, session, messageId))
  if (turnId !== undefined) return { turn: turns.find(({ id }) => id === turnId) ?? null, messageId }
  const near = findNearest(prefix, live.keys())
  const meant = near.length === 0 ? '' : ` Did you mean ${near.join(' or ')}?`
  throw new AppError('message_not_found', `${session.agent}:${session.id} has no message "${prefix}".${meant}`, {
    details: { candidates: near },
  })
}

async function readIds(context: CatalogContext, session: CatalogSession): Promise<Map<string, string>> {
  const ids = new Map<string, string>()
  for await (const entry of readSession(context, session)) {
    if (entry.kind === 'message') ids.set(entry.message.id, entry.message.turnId)
  }
  return ids
}

async function findOnDeadBranch(
  context: CatalogContext,
  session: CatalogSession,
  messageId: string,
): Promise<string | undefined> {
  try {
    for await (const entry of readSession(context, session, { upTo: { messageId } })) {
      if (entry.kind === 'message' && entry.message.id === messageId) return entry.message.turnId
    }
    return undefined
  } catch (error) {
    if (error instanceof AppError && (error.code === 'message_not_found' || error.code === 'turn_not_found')) return undefined
    throw error
  }
}
