// The sessions there are, parted into those that may be seen and the rest. Kept for a moment: a page of requests asks many times a
// second, and each walk over the agents' folders costs as much as all of them.
import type { App } from '../app.ts'
import type { CatalogSession } from '../model/catalog.ts'
import type { Gate } from './gate.ts'

export interface Sessions {
  /** Newest first; a parent that may not be seen is not named. */
  readonly seen: readonly CatalogSession[]
  readonly hidden: readonly CatalogSession[]
}

const holdMs = 500

export type Visible = ReturnType<typeof createVisible>

export function createVisible(app: Pick<App, 'listSessions'>, gate: Gate, now: () => number) {
  let last: Sessions | null = null
  let kept: { readonly at: number; readonly sessions: Promise<Sessions> } | undefined

  async function look(): Promise<Sessions> {
    const verdicts = new Map<string, boolean>()
    const seen: CatalogSession[] = []
    const hidden: CatalogSession[] = []
    for (const session of await app.listSessions()) {
      const place = JSON.stringify([session.cwd, session.repoId, session.repoRoot])
      const verdict = verdicts.get(place) ?? (await gate.letsSession(session))
      verdicts.set(place, verdict)
      if (verdict) seen.push(session)
      else hidden.push(session)
    }
    last = { seen: withoutForeignParents(seen, hidden), hidden }
    return last
  }

  return {
    sessions(): Promise<Sessions> {
      const at = now()
      if (kept === undefined || Math.abs(at - kept.at) > holdMs) {
        const sessions = look()
        const mine = { at, sessions }
        kept = mine
        sessions.catch(() => {
          if (kept === mine) kept = undefined
        })
      }
      return kept.sessions
    },
    /** As of the last look: where a session once judged is all that is asked for. */
    lastKnown: (): Sessions | null => last,
    /** Something has changed: the next question looks anew. */
    forget(): void {
      kept = undefined
    },
  }
}

/** A parent nobody knows any more is only an id; one that is known and shut is not even that. */
function withoutForeignParents(seen: readonly CatalogSession[], hidden: readonly CatalogSession[]): CatalogSession[] {
  const open = new Set(seen.map(({ agent, id }) => `${agent}:${id}`))
  const shut = new Set(hidden.map(({ agent, id }) => `${agent}:${id}`).filter((name) => !open.has(name)))
  return seen.map((session) => {
    const { parent } = session
    return parent !== null && shut.has(`${parent.agent}:${parent.sessionId}`) ? { ...session, parent: null } : session
  })
}
