// The mild preference for this repository and for recent work: it decides between sessions that fit alike, and no more.
import type { StoredSession } from '../../store/sessions.ts'

export interface Preference {
  readonly repository: number
  readonly recent: number
  readonly total: number
}

/** In the measure of the parts of a score, of which a good answer has 1.6 and more. */
const forRepository = 0.1
const forRecent = 0.06
/** After so long half of the preference is left. */
const halfLifeMs = 30 * 86_400_000

export function prefer(
  { repoId, updatedAt, modifiedAt }: Pick<StoredSession, 'repoId' | 'updatedAt' | 'modifiedAt'>,
  { hereId, now }: { readonly hereId: string | null; readonly now: number },
): Preference {
  const repository = hereId !== null && repoId === hereId ? forRepository : 0
  const ageMs = Math.max(0, now - (updatedAt ?? modifiedAt))
  const recent = forRecent * 0.5 ** (ageMs / halfLifeMs)
  return { repository, recent, total: repository + recent }
}
