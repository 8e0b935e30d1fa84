// Which turns of a session may be seen, where it was moved between folders: a turn belongs to the folder in which its prompt was
// given. Nearly every session stays in one folder; for those nothing here is asked.
import type { Entry } from '../agents/reading.ts'
import { titleOfPrompt } from '../lib/prompt-title.ts'
import type { TurnName } from '../model/address.ts'
import type { CatalogSession, FolderPlace } from '../model/catalog.ts'
import { AppError } from '../model/error.ts'
import { sessionAddress } from '../model/render.ts'
import type { Message, Turn, Usage } from '../model/session.ts'
import type { Gate } from './gate.ts'

/** A session of which only some turns may be seen. */
export interface PartlySeen {
  readonly original: CatalogSession
  /** What may be shown of it: counts, times, title and folder are those of its seen turns. */
  readonly shown: CatalogSession
  /** The turns that may be seen, those of dead branches last. */
  readonly turns: readonly Turn[]
  readonly hidden: readonly Turn[]
  /** A turn of the live chain may not be seen, or what comes before the first one. */
  readonly hidesLive: boolean
  /** What the agent was told before the first turn may not be seen: it is of another folder. */
  readonly hidesStart: boolean
  /** Number of the first live turn that may not be seen, 0: the start; what was summed up behind it is of that one too. */
  readonly firstHidden: number
}

/** Judges each folder once. */
export function createJudge(gate: Gate) {
  const verdicts = new Map<string, Promise<boolean>>()
  const folderVerdicts = new Map<string, Promise<boolean>>()

  function lets(place: FolderPlace): Promise<boolean> {
    const { cwd, repoId, repoRoot, repoClaimed } = place
    const key = JSON.stringify([cwd, repoId, repoRoot, repoClaimed])
    let verdict = verdicts.get(key)
    if (verdict === undefined) {
      verdict = gate.letsSession(place)
      verdicts.set(key, verdict)
    }
    return verdict
  }

  /** `some`: of its turns, not all. */
  async function judge(session: CatalogSession): Promise<'all' | 'some' | 'none'> {
    const { folders = [] } = session
    if (folders.length === 0) return (await lets(session)) ? 'all' : 'none'
    const seen = await Promise.all(folders.map((place) => letsPlace(place)))
    if (!seen.some(Boolean)) return 'none'
    return seen.every(Boolean) && (await letsOwn(session)) ? 'all' : 'some'
  }

  /** Where it is now, which may be where its agent went while it answered. */
  async function letsOwn(session: CatalogSession): Promise<boolean> {
    return session.cwd === null || letsPlace(session)
  }

  async function letsStart({ folders = [] }: CatalogSession): Promise<boolean> {
    const start = folders.find(({ isStart }) => isStart === true)
    return start === undefined || letsPlace(start)
  }

  /** Of a folder that was in no repository when it was read, one may have been made since. */
  async function letsPlace(place: FolderPlace): Promise<boolean> {
    return (await lets(place)) || (place.repoId === null && gate.letsFolder(place.cwd))
  }

  /** A folder that is not known of the session is one it has moved to just now. */
  function letsTurn(session: CatalogSession, { cwd = session.cwd ?? undefined }: Pick<Turn, 'cwd'>): Promise<boolean> {
    const place = (session.folders ?? []).find((each) => each.cwd === cwd)
    if (place !== undefined) return letsPlace(place)
    if (cwd === undefined || (cwd === session.cwd && (session.folders ?? []).length === 0)) return lets(session)
    const verdict = folderVerdicts.get(cwd) ?? gate.letsFolder(cwd)
    folderVerdicts.set(cwd, verdict)
    return verdict
  }

  /**
   * Without the text that reports instructions or hooks of a folder outside: a session resumed there can go on inside. The message
   * itself stays, so that indexes mean the same however the session is read.
   */
  async function maskMessage(session: CatalogSession, message: Message): Promise<Message> {
    for (const cwd of message.folders ?? []) {
      if (!(await letsTurn(session, { cwd }))) return { ...message, text: '' }
    }
    return message
  }

  return { judge, letsTurn, letsOwn, letsStart, maskMessage }
}

export type Judge = ReturnType<typeof createJudge>

/** `null` where none of its turns may be seen. */
export async function showPart(original: CatalogSession, all: readonly Turn[], judge: Judge): Promise<PartlySeen | null> {
  const verdicts = await Promise.all(all.map((turn) => judge.letsTurn(original, turn)))
  const turns = all.filter((_, at) => verdicts[at] === true)
  const live = turns.filter(({ number }) => number !== null)
  const hidden = all.filter((_, at) => verdicts[at] !== true)
  const hiddenLive = hidden.filter(({ number }) => number !== null)
  const last = live.at(-1) ?? turns.at(-1)
  if (last === undefined) return null
  const hidesStart = !(await judge.letsStart(original))
  const shown = {
    turns: live.length > 0 ? live : turns,
    last,
    hidesTurns: hidden.length > 0 || hidesStart,
    hidesEnd: (hiddenLive.at(-1)?.number ?? 0) > (last.number ?? 0),
  }
  return {
    original,
    shown: maskSession(original, { ...shown, ownPlace: (await judge.letsOwn(original)) ? {} : noPlace(last) }),
    turns,
    hidden,
    hidesLive: hiddenLive.length > 0 || hidesStart,
    hidesStart,
    firstHidden: hidesStart ? 0 : (hiddenLive[0]?.number ?? Number.POSITIVE_INFINITY),
  }
}

interface Shown {
  readonly turns: readonly Turn[]
  readonly last: Turn
  readonly hidesTurns: boolean
  /** The last live turn may not be seen. */
  readonly hidesEnd: boolean
  /** In place of the session's own, where that may not be seen and nothing is known of the last turn's. */
  readonly ownPlace: Partial<FolderPlace>
}

function noPlace({ cwd = null }: { readonly cwd?: string | null }): FolderPlace {
  return { cwd, repoId: null, repoRoot: null, repoClaimed: false }
}

function maskSession(session: CatalogSession, { turns: seen, last, hidesTurns, hidesEnd, ownPlace }: Shown): CatalogSession {
  const { parent, folders = [] } = session
  const { isStart: _, ...place } = folders.find(({ cwd }) => cwd === last.cwd) ?? ownPlace
  const isCopy = parent !== null && seen.some(({ id }) => id === parent.turnId)
  return {
    ...session,
    // Whoever or whatever named the session had all of it in mind.
    ...(hidesTurns ? { title: titleOfPrompt(seen[0]?.prompt ?? ''), titleFrom: 'prompt' as const, label: null } : {}),
    ...place,
    // Of its start, or of where it is now, as agents record it: either may be outside.
    branch: null,
    ...(hidesEnd ? { model: null, contextWindow: null } : {}),
    createdAt: seen[0]?.startedAt ?? null,
    updatedAt: last.endedAt ?? last.startedAt,
    turns: seen.length,
    messages: seen.reduce((sum, { messages }) => sum + messages, 0),
    ownTurns: Math.min(session.ownTurns, seen.length),
    ownMessages: Math.min(
      session.ownMessages,
      seen.reduce((sum, { messages }) => sum + messages, 0),
    ),
    usage: seen.reduce((sum, { usage }) => addUsage(sum, usage), addUsage()),
    // The size of its file tells of the rest.
    bytes: 0,
    parent: parent === null || isCopy ? parent : { ...parent, turnId: null, turnNumber: null, messageId: null },
    folders,
  }
}

function addUsage(a?: Usage, b?: Usage): Usage {
  return {
    inputTokens: (a?.inputTokens ?? 0) + (b?.inputTokens ?? 0),
    cachedInputTokens: (a?.cachedInputTokens ?? 0) + (b?.cachedInputTokens ?? 0),
    outputTokens: (a?.outputTokens ?? 0) + (b?.outputTokens ?? 0),
  }
}

/** The entries that may be seen. What comes before the first turn is what the agent was told, in whichever folder. */
export async function* onlySeen(
  entries: AsyncIterable<Entry>,
  session: CatalogSession,
  part: PartlySeen | null,
  judge: Judge,
): AsyncGenerator<Entry> {
  const known = new Map<string, boolean>(part?.turns.map(({ id }) => [id, true]))
  let lead: Entry[] | null = []
  let hid = false
  const isSeen = ({ turnId, role }: { readonly turnId: string; readonly role: string }) => {
    // Instructions, output of hooks and notes: agents repeat those of one folder in turns of another, before and behind prompts.
    if (role === 'system' && (hid || part !== null)) return false
    // A summary retells what came before it, seen or not.
    if (role === 'summary' && (hid || (part !== null && isBehindHidden(part, turnId)))) return false
    return known.get(turnId) ?? part === null
  }
  for await (const entry of entries) {
    if (entry.kind === 'turn') {
      const verdict = known.get(entry.turn.id) ?? (await judge.letsTurn(part?.original ?? session, entry.turn))
      known.set(entry.turn.id, verdict)
      if (verdict && lead !== null && part === null) yield* lead
      lead = null
      hid ||= !verdict
      if (verdict) yield entry
    } else if (lead !== null) {
      lead.push(entry)
    } else if (entry.kind !== 'message' || isSeen(entry.message)) yield entry
  }
  if (lead !== null && part === null) yield* lead
}

function isBehindHidden({ turns, firstHidden }: PartlySeen, turnId: string): boolean {
  const number = turns.find(({ id }) => id === turnId)?.number ?? null
  return number === null || number > firstHidden
}

/** The seen turn of this name, as a name that means no other; `null`: the state before the first turn. */
export function findSeenTurn(part: PartlySeen, name: Exclude<TurnName, { readonly kind: 'message' }>): Turn | null {
  const live = part.turns.filter(({ number }) => number !== null)
  if (name.kind === 'number' && name.number === 0) {
    // The state before the first turn belongs to the folder of that turn.
    if (part.firstHidden <= 1) throw unknownTurn(part)
    return null
  }
  const found = () => {
    if (name.kind === 'number') return live.find(({ number }) => number === name.number)
    if (name.kind === 'fromEnd') return live[live.length - name.count]
    const exact = part.turns.filter(({ id }) => id === name.prefix)
    const fitting = exact.length > 0 ? exact : part.turns.filter(({ id }) => id.startsWith(name.prefix))
    return fitting.length === 1 ? fitting[0] : undefined
  }
  const turn = found()
  if (turn === undefined) throw unknownTurn(part)
  return turn
}

/** The same words for a turn that is hidden and for one that does not exist. */
export function unknownTurn({ shown }: PartlySeen): AppError {
  return new AppError('turn_not_found', `${sessionAddress(shown)} has no such turn.`)
}
