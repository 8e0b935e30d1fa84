// What two sessions cost after the turn where they part: turns, tokens as the agents recorded them, time at work. No money: an
// agent records none, and prices of a day are not what was paid.
import type { CatalogSession, CostComparison, SessionCost } from '../model/catalog.ts'
import type { Turn, Usage } from '../model/session.ts'
import type { CatalogContext } from './context.ts'
import { listSessions, listTurns } from './list.ts'

/** How much of an ancestor is in a session; `reseeded`: its turns are numbered anew since, the ancestor's are none of its own. */
interface Share {
  readonly turns: number
  readonly reseeded: boolean
}

export async function compareCosts(context: CatalogContext, one: CatalogSession, other: CatalogSession): Promise<CostComparison> {
  const known = new Map((await listSessions(context)).map((session) => [nameOf(session), session]))
  const shares = [one, other].map((session) => sharesOf(session, known)) as [Map<string, Share>, Map<string, Share>]
  const common = [...shares[0].keys()].find((name) => shares[1].has(name))
  const [here, there] = common === undefined ? [] : [shares[0].get(common), shares[1].get(common)]
  const shared = here === undefined || there === undefined ? null : Math.min(here.turns, there.turns, one.turns, other.turns)
  const cost = (session: CatalogSession, share: Share | undefined) => {
    const after = share === undefined || share.reseeded ? 0 : (shared ?? 0)
    return costOf(
      session,
      listTurns(context, session).filter(({ number }) => number !== null && number > after),
    )
  }
  return { sharedTurns: shared, sides: [cost(one, here), cost(other, there)] }
}

/** Itself and its ancestors, nearest first. */
function sharesOf(session: CatalogSession, known: ReadonlyMap<string, CatalogSession>): Map<string, Share> {
  const shares = new Map<string, Share>([[nameOf(session), { turns: Number.POSITIVE_INFINITY, reseeded: false }]])
  let [at, share]: [CatalogSession | undefined, Share] = [session, { turns: Number.POSITIVE_INFINITY, reseeded: false }]
  while (at !== undefined && at.parent !== null) {
    const { parent }: CatalogSession = at
    const name = `${parent.agent}:${parent.sessionId}`
    if (shares.has(name)) break
    const isSeed: boolean = parent.kind === 'seed'
    const turns: number = parent.turnNumber ?? (isSeed ? 0 : at.turns - at.ownTurns)
    share = { turns: isSeed ? turns : Math.min(share.turns, turns), reseeded: share.reseeded || isSeed }
    shares.set(name, share)
    at = known.get(name)
  }
  return shares
}

function costOf(session: CatalogSession, turns: readonly Turn[]): SessionCost {
  const measured = turns.flatMap(({ usage }) => (usage === undefined ? [] : [usage]))
  const times = turns.flatMap(({ startedAt, endedAt }) =>
    startedAt === null || endedAt === null ? [] : [Math.max(0, endedAt - startedAt)],
  )
  return {
    agent: session.agent,
    sessionId: session.id,
    turns: turns.length,
    usage: measured.length === 0 && turns.length > 0 ? null : measured.reduce(add, { ...nothing }),
    workedMs: times.length === 0 && turns.length > 0 ? null : times.reduce((sum, ms) => sum + ms, 0),
  }
}

const nothing: Usage = { inputTokens: 0, cachedInputTokens: 0, outputTokens: 0 }

function add(sum: Usage, { inputTokens, cachedInputTokens, outputTokens }: Usage): Usage {
  return {
    inputTokens: sum.inputTokens + inputTokens,
    cachedInputTokens: sum.cachedInputTokens + cachedInputTokens,
    outputTokens: sum.outputTokens + outputTokens,
  }
}

function nameOf({ agent, id }: CatalogSession): string {
  return `${agent}:${id}`
}
