// The sessions there are, parted into those that may be seen and the rest. Kept for a moment: a page of requests asks many times a
// second, and each walk over the agents' folders costs as much as all of them.
import type { App } from '../app.ts'
import type { CatalogSession } from '../model/catalog.ts'
import type { Gate } from './gate.ts'
import { createJudge, type PartlySeen, showPart } from './turns.ts'

export interface Sessions {
  /** Newest first; a parent that may not be seen is not named. */
  readonly seen: readonly CatalogSession[]
  readonly hidden: readonly CatalogSession[]
  /** Of those in `seen` the ones with turns that may not be seen, by agent and path. */
  readonly partly: ReadonlyMap<string, PartlySeen>
}

export function placeOf({ agent, path }: Pick<CatalogSession, 'agent' | 'path'>): string {
  return `${agent}:${path}`
}

const holdMs = 500
/** With a watch, which tells of every change. What no file says (whether an agent runs) is this old at most. */
const watchedHoldMs = 2000
/** Agents at work change their files many times a second. */
const leastMs = 200

export interface VisibleOptions {
  readonly now: () => number
  readonly isWatched: () => boolean
}

export type Visible = ReturnType<typeof createVisible>

export function createVisible(app: Pick<App, 'listSessions' | 'listTurns'>, gate: Gate, { now, isWatched }: VisibleOptions) {
  let last: Sessions | null = null
  let kept: { readonly at: number; readonly sessions: Promise<Sessions> } | undefined
  /** `told`: of a change, after which the catalogue is fresh; `unsure`: the agents' folders have to be looked at. */
  let doubt: 'none' | 'told' | 'unsure' = 'unsure'

  async function look(refresh: boolean): Promise<Sessions> {
    const { whole, some, outside, judge } = await part(await app.listSessions({}, { refresh }), gate)
    const partly = new Map<string, PartlySeen>()
    const hidden = [...outside]
    for (const session of some) {
      const seen = await showPart(session, await app.listTurns(session, { deadBranches: true, refresh: false }), judge)
      if (seen === null) hidden.push(session)
      else partly.set(placeOf(session), seen)
    }
    const shown = [...whole, ...[...partly.values()].map((each) => each.shown)]
    if (partly.size > 0) shown.sort((a, b) => (b.updatedAt ?? 0) - (a.updatedAt ?? 0))
    last = { seen: withoutForeignParents(shown, hidden), hidden, partly }
    return last
  }

  function isGoodEnough(at: number): boolean {
    if (kept === undefined || doubt === 'unsure') return false
    const age = Math.abs(at - kept.at)
    return age <= (doubt === 'told' ? leastMs : isWatched() ? watchedHoldMs : holdMs)
  }

  return {
    sessions(): Promise<Sessions> {
      const at = now()
      if (kept === undefined || !isGoodEnough(at)) {
        const sessions = look(doubt === 'unsure' || !isWatched())
        const mine = { at, sessions }
        kept = mine
        doubt = 'none'
        sessions.catch(() => {
          if (kept === mine) kept = undefined
        })
      }
      return kept.sessions
    },
    /** As of the last look: where a session once judged is all that is asked for. */
    lastKnown: (): Sessions | null => last,
    /** An event told of a change: the next question but those right after this one looks anew. */
    told(): void {
      if (doubt === 'none') doubt = 'told'
    },
    /** Something was done, or is not found: the next question looks at everything. */
    forget(): void {
      doubt = 'unsure'
    },
  }
}

/** Thousands of sessions are of few folders: each is looked at once. */
export async function part(sessions: readonly CatalogSession[], gate: Gate) {
  const judge = createJudge(gate)
  const [whole, some, outside]: [CatalogSession[], CatalogSession[], CatalogSession[]] = [[], [], []]
  for (const session of sessions) {
    const verdict = await judge.judge(session)
    const where = verdict === 'all' ? whole : verdict === 'some' ? some : outside
    where.push(session)
  }
  return { whole, some, outside, judge }
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
