// The shortest address that names a session among those shown. Codex ids (UUID version 7) start with their time of birth:
// eight characters are the same for 65 seconds, thirteen for one millisecond.
import type { Session } from '../model/session.ts'

const shortest = 8
const shortestByTime = 13

export function shortIds<S extends Pick<Session, 'agent' | 'id'>>(sessions: readonly S[]): ReadonlyMap<S, string> {
  const sorted = [...new Set(sessions.map(({ id }) => id))].sort()
  const lengths = new Map<string, number>()
  for (const [at, id] of sorted.entries()) {
    const shared = Math.max(sharedLength(id, sorted[at - 1]), sharedLength(id, sorted[at + 1]))
    lengths.set(id, Math.max(id[14] === '7' ? shortestByTime : shortest, shared + 1))
  }
  return new Map(sessions.map((session) => [session, `${session.agent}:${session.id.slice(0, lengths.get(session.id))}`]))
}

function sharedLength(one: string, other: string | undefined): number {
  if (other === undefined) return 0
  let at = 0
  while (at < one.length && one[at] === other[at]) at += 1
  return at
}
