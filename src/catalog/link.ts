// The lineage pass: gives every session that is not linked yet its parent and its own share of turns, messages and tokens.
// What is unlinked is a column, so a pass that was killed is taken up by the next one.
import type { ParentLink, Usage } from '../model/session.ts'
import type { Lineage, StoredSession } from '../store/sessions.ts'
import type { Store } from '../store/store.ts'
import type { TurnMark } from '../store/turns.ts'
import type { CatalogContext } from './context.ts'
import { countShared, type Inferred, inferParents, isTelling, type Member } from './lineage.ts'

interface FamilyMember extends Member {
  readonly session: StoredSession
}

export function linkSessions(context: CatalogContext): void {
  const store = context.store()
  store.write(() => {
    store.sessions.linkAlone()
    const done = new Set<number>()
    for (const { key } of store.sessions.unlinked()) {
      if (!done.has(key)) linkFamily(store, findFamily(store, key), done)
    }
  })
}

/** All sessions of the agent that hold one of the turns this one begins a branch with. */
function findFamily(store: Store, key: number): FamilyMember[] {
  const keys = new Set([key])
  for (const { id } of store.turns.marksOf(key).filter(({ number }) => number === null || number === 1)) {
    if (isTelling(id)) for (const holder of store.turns.holdersOf(id)) keys.add(holder)
  }
  return [...keys].flatMap((each) => {
    const session = store.sessions.get(each)
    if (session === null) return []
    const { id, bornAt, createdAt: beganAt, inheritedTurns } = session
    const copied = session.copied || session.recordedParent !== null
    return { key: each, id, copied, inheritedTurns, beganAt, bornAt, turns: store.turns.marksOf(each), session }
  })
}

function linkFamily(store: Store, family: readonly FamilyMember[], done: Set<number>): void {
  const agents = new Set(family.map(({ session }) => session.agent))
  for (const agent of agents) {
    const members = family.filter(({ session }) => session.agent === agent)
    const inferred = members.length === 1 ? new Map<number, Inferred>() : inferParents(members)
    for (const member of members) {
      const lineage = chooseLineage(store, member, members, inferred.get(member.key))
      store.sessions.link(member.key, withOwnRecord(store, member.session, lineage))
      done.add(member.key)
    }
  }
}

/** What we forked ourselves we know best: also across agents, where no file tells. */
function withOwnRecord(store: Store, { agent, id }: StoredSession, lineage: Lineage): Lineage {
  const fork = store.forks.ofSession(agent, id)
  return fork === null || fork.parent === null || fork.state === 'undone' ? lineage : { ...lineage, parent: fork.parent }
}

function chooseLineage(
  store: Store,
  member: FamilyMember,
  family: readonly FamilyMember[],
  inferred: Inferred | undefined,
): Lineage {
  const { session } = member
  const kept = keepLost(store, member, inferred)
  if (kept !== null) return kept
  const recorded = session.recordedParent
  if (recorded !== null && !copiedFromSibling(member, family, inferred)) return recordedLineage(store, member, recorded)
  if (inferred === undefined) return ownShare(member, null, session.inheritedTurns)
  const turn = member.turns[inferred.shared - 1]
  const there = inferred.parent.turns.find(({ id }) => id === turn?.id)
  const parent: ParentLink = {
    agent: session.agent,
    sessionId: originOf(inferred, family)?.sessionId ?? inferred.parent.id,
    turnId: turn?.id ?? null,
    turnNumber: there?.number ?? null,
    messageId: forkPoint(turn, there),
    kind: 'inferred',
  }
  // The file may tell of more inherited turns than the parent still has.
  if (session.inheritedTurns > inferred.shared) return ownShare(member, parent, session.inheritedTurns)
  return ownShare(member, parent, inferred.shared, there)
}

/** What we share with a fork, it inherited itself: the parent it names, whose file is gone, is ours as well. */
function originOf({ parent, shared }: Inferred, family: readonly FamilyMember[]): ParentLink | null {
  const sibling = family.find(({ key }) => key === parent.key)
  const recorded = sibling?.session.recordedParent ?? null
  const isGone = recorded?.agent === sibling?.session.agent && !family.some(({ id }) => id === recorded?.sessionId)
  return isGone && shared <= parent.inheritedTurns ? recorded : null
}

/**
 * A fork of a branch carries along the marks that name the branch's parent. Where a sibling with the same mark shares more
 * with us than that parent does, the sibling is who we were copied from.
 */
function copiedFromSibling({ session, ...member }: FamilyMember, family: readonly FamilyMember[], inferred?: Inferred): boolean {
  const recorded = session.recordedParent
  if (inferred === undefined || recorded === null || inferred.parent.id === recorded.sessionId) return false
  const sibling = family.find(({ key }) => key === inferred.parent.key)
  if (sibling?.session.recordedParent?.sessionId !== recorded.sessionId) return false
  const parent = family.find(({ id }) => id === recorded.sessionId)
  const sharedWithParent =
    parent === undefined ? session.inheritedTurns : countShared(member, new Set(parent.turns.map(({ id }) => id)))
  return inferred.shared > sharedWithParent
}

/** An inferred parent that was deleted since still is the parent: its children do not become someone else's. */
function keepLost(store: Store, member: FamilyMember, inferred: Inferred | undefined): Lineage | null {
  const before = member.session.parent
  if (before?.kind !== 'inferred' || store.sessions.withId(before.agent, before.sessionId).length > 0) return null
  const shared = member.turns.findIndex(({ id, number }) => number !== null && id === before.turnId) + 1
  return shared === 0 || shared < (inferred?.shared ?? 0) ? null : ownShare(member, before, shared)
}

function recordedLineage(store: Store, member: FamilyMember, recorded: ParentLink): Lineage {
  const shared = Math.min(member.session.inheritedTurns, member.session.turns)
  const turn = member.turns[shared - 1]
  const parent = store.sessions.withId(recorded.agent, recorded.sessionId)[0]
  const theirs = parent === undefined ? [] : store.turns.marksOf(parent.key)
  const id = recorded.turnId ?? theirs.find(({ id }) => id === turn?.id)?.id
  // A copy with new uuids shares no ids: the numbers along both chains are the same, though.
  const there = theirs.find((each) => (id === undefined ? shared > 0 && each.number === shared : each.id === id))
  const link: ParentLink = {
    ...recorded,
    turnId: id ?? there?.id ?? null,
    // What the child itself tells is counted along its own chain, which may begin behind a compaction.
    turnNumber: there?.number ?? recorded.turnNumber ?? (shared > 0 ? shared : null),
    messageId: recorded.messageId ?? forkPoint(there?.id === turn?.id ? turn : there, there),
  }
  return ownShare(member, link, shared, there)
}

/** The last message both have. A fork in mid-turn has fewer than its parent; one of a running turn has a closing word more. */
function forkPoint(ours: TurnMark | undefined, theirs: TurnMark | undefined): string | null {
  if (theirs === undefined || ours === undefined) return ours?.lastMessageId ?? null
  return ours.messages > theirs.messages ? theirs.lastMessageId : ours.lastMessageId
}

/** `theirs` is the last shared turn as the parent has it: what our copy of that turn has beyond it is our own. */
function ownShare({ session, turns }: FamilyMember, parent: ParentLink | null, shared: number, theirs?: TurnMark): Lineage {
  if (shared === 0) return { parent, ownTurns: session.turns, ownMessages: session.messages, ownUsage: session.usage }
  const live = turns.filter(({ number }) => number !== null)
  const inherited = live.slice(0, shared).map((turn, index) => (index === shared - 1 ? smaller(turn, theirs) : turn))
  const ownMessages = sum(live, 'messages') - sum(inherited, 'messages')
  // The agent has left out the turns it knew to be inherited; the rest is taken off here.
  const unknown = inherited.slice(session.inheritedTurns)
  const own = (name: keyof Usage) => Math.max(0, session.usage[name] - sum(unknown, name))
  const ownUsage = {
    inputTokens: own('inputTokens'),
    cachedInputTokens: own('cachedInputTokens'),
    outputTokens: own('outputTokens'),
  }
  return { parent, ownTurns: session.turns - shared, ownMessages, ownUsage }
}

type Counts = Pick<TurnMark, 'messages' | keyof Usage>

function smaller(ours: Counts, theirs: Counts | undefined): Counts {
  const least = (name: keyof Counts) => Math.min(ours[name], theirs?.[name] ?? ours[name])
  return {
    messages: least('messages'),
    inputTokens: least('inputTokens'),
    cachedInputTokens: least('cachedInputTokens'),
    outputTokens: least('outputTokens'),
  }
}

function sum(turns: readonly Counts[], name: keyof Counts): number {
  return turns.reduce((total, turn) => total + turn[name], 0)
}
