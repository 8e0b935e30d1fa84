// Lineage where no agent recorded it: Claude's --fork-session copies lines with their uuids and names no parent, so sessions
// that share their first turns are a family, and the parent is the older one sharing the longest prefix. Pure.
import type { TurnMark } from '../store/turns.ts'

export interface Member {
  readonly key: number
  readonly id: string
  /** The file names a parent, or shows other signs of being a copy. */
  readonly copied: boolean
  /** Leading turns the file itself marks as copied. */
  readonly inheritedTurns: number
  /** The time behind those. */
  readonly beganAt: number | null
  /** When the file was made. */
  readonly bornAt: number | null
  /** The live chain, then the turns of dead branches. */
  readonly turns: readonly TurnMark[]
}

export interface Inferred {
  readonly parent: Member
  /** Leading turns of the live chain that stand in the parent too. */
  readonly shared: number
}

/** Ids the agent did not make globally unique (`t3` in old Codex files) say nothing about descent. */
export function isTelling(turnId: string): boolean {
  return turnId.length >= 16
}

export function inferParents(family: readonly Member[]): Map<number, Inferred> {
  const parents = new Map<number, Inferred>()
  const older: { member: Member; ids: ReadonlySet<string> }[] = []
  for (const member of sortByAge(family)) {
    let best: Inferred | undefined
    // Of equals the oldest: what both inherited is the older one's own.
    for (const { member: parent, ids } of older) {
      const shared = countShared(member, ids)
      if (shared > (best?.shared ?? 0)) best = { parent, shared }
    }
    if (best !== undefined) parents.set(member.key, best)
    older.push({ member, ids: new Set(member.turns.map(({ id }) => id)) })
  }
  return parents
}

export function countShared({ turns }: Member, ids: ReadonlySet<string>): number {
  let shared = 0
  for (const { id, number } of turns) {
    if (number === null || !isTelling(id) || !ids.has(id)) break
    shared += 1
  }
  return shared
}

function sortByAge(family: readonly Member[]): Member[] {
  const holders = new Map<string, number>()
  for (const { turns } of family) for (const { id } of turns) holders.set(id, (holders.get(id) ?? 0) + 1)
  const ages = family.map((member) => ({ member, at: beginningOf(member, holders) }))
  return ages
    .sort((a, b) => Number(a.member.copied) - Number(b.member.copied) || a.at - b.at || compareText(a.member.id, b.member.id))
    .map(({ member }) => member)
}

const slackMs = 60_000

/**
 * When a session began a life of its own. Its file says so when it marks what was copied, and when what follows is really
 * its own (a copy of a copy carries only the older marks). Else: a fork's file is made with its first own prompt, so the file's birth says it,
 * unless the file is younger than its own turns: then it was copied here (a new machine, a restored backup) and the first
 * turn that no one else has must do. A session without one was forked at its end, after its last turn.
 */
function beginningOf({ inheritedTurns, beganAt, bornAt, turns }: Member, holders: ReadonlyMap<string, number>): number {
  const live = turns.filter(({ number }) => number !== null)
  const firstOwn = live[inheritedTurns]
  const tells = inheritedTurns > 0 && (firstOwn === undefined || holders.get(firstOwn.id) === 1)
  if (tells && beganAt !== null) return beganAt
  const lastAt = live.reduce<number | null>((last, { startedAt }) => startedAt ?? last, null)
  if (bornAt !== null && (lastAt === null || bornAt <= lastAt + slackMs)) return bornAt
  const own = live.find(({ id, startedAt }) => holders.get(id) === 1 && startedAt !== null)
  return own?.startedAt ?? lastAt ?? bornAt ?? 0
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
