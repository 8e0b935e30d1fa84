// Asks of a session only what may be seen of it: its turns, its messages, and forks that keep none of the hidden ones.
import type { Entry } from '../agents/reading.ts'
import type { App } from '../app.ts'
import type { TurnsRead } from '../catalog/read-turns.ts'
import type { TurnName } from '../model/address.ts'
import type { CodePlace } from '../model/capture.ts'
import type { CatalogSession } from '../model/catalog.ts'
import { AppError } from '../model/error.ts'
import { sessionAddress } from '../model/render.ts'
import type { Message, Turn } from '../model/session.ts'
import type { Gate } from './gate.ts'
import { createJudge, findSeenTurn, onlySeen, type PartlySeen, unknownTurn } from './turns.ts'
import { placeOf, type Visible } from './visible.ts'

export interface TurnGateContext {
  readonly gate: Gate
  readonly visible: Visible
  note(verb: string, subject: string, reason: string): void
}

export function createTurnGate(app: Pick<App, 'readSession' | 'resolve'>, { gate, visible, note }: TurnGateContext) {
  /** `null` where all of it may be seen, as of nearly every session. */
  async function partOf(session: CatalogSession): Promise<PartlySeen | null> {
    return (await visible.sessions()).partly.get(placeOf(session)) ?? null
  }

  async function seenTurns(session: CatalogSession, turns: readonly Turn[]): Promise<readonly Turn[]> {
    const original = (await partOf(session))?.original ?? session
    const judge = createJudge(gate)
    const verdicts = new Map<string | undefined, boolean>()
    for (const turn of turns) {
      if (!verdicts.has(turn.cwd)) verdicts.set(turn.cwd, await judge.letsTurn(original, turn))
    }
    return maskCode(turns.filter(({ cwd }) => verdicts.get(cwd) === true))
  }

  /** Without the names of files that were captured in a repository that may not be seen: an agent may go there during a turn. */
  async function maskCode(turns: readonly Turn[]): Promise<readonly Turn[]> {
    const verdicts = new Map<string, Promise<boolean>>()
    const isOpen = (code: CodePlace): Promise<boolean> => {
      const key = JSON.stringify([code.commonDir, code.root])
      const verdict = verdicts.get(key) ?? gate.letsCode(code)
      verdicts.set(key, verdict)
      return verdict
    }
    const masked = turns.map(async (turn) => {
      const code = turn.snapshot?.place
      return code === undefined || (await isOpen(code)) ? turn : { ...turn, snapshot: null }
    })
    return Promise.all(masked)
  }

  async function* entries(session: CatalogSession, read: AsyncIterable<Entry>): AsyncGenerator<Entry> {
    const judge = createJudge(gate)
    for await (const entry of onlySeen(read, session, await partOf(session), judge)) {
      yield entry.kind === 'message' ? { ...entry, message: await judge.maskMessage(session, entry.message) } : entry
    }
  }

  async function maskMessages(session: CatalogSession, messages: readonly Message[]): Promise<readonly Message[]> {
    const judge = createJudge(gate)
    return Promise.all(messages.map((message) => judge.maskMessage(session, message)))
  }

  async function ofTurns(session: CatalogSession, read: TurnsRead): Promise<TurnsRead> {
    const turns = await seenTurns(session, read.turns)
    const messages: Message[] = []
    for await (const entry of entries(session, entriesOf(read))) if (entry.kind === 'message') messages.push(entry.message)
    return { ...read, messages, turns }
  }

  /** The turn, written so that it means no other; a hidden one is answered like one that does not exist. */
  async function pinTurn(
    verb: string,
    part: PartlySeen,
    name: TurnName,
  ): Promise<{ readonly turn: Turn | null; readonly name: TurnName }> {
    if (name.kind === 'message') return { turn: await turnOfMessage(verb, part, name.prefix), name }
    try {
      const turn = findSeenTurn(part, name)
      return { turn, name: turn === null ? name : nameOf(turn) }
    } catch (error) {
      const hidden = part.hidden.find((turn) => isNamed(turn, name))
      if (hidden !== undefined) noteTurn(verb, part, hidden)
      throw error
    }
  }

  async function turnOfMessage(verb: string, part: PartlySeen, prefix: string): Promise<Turn> {
    const { turn } = await app.resolve(`${part.original.path}@m:${prefix}`).catch((error: unknown) => {
      if (error instanceof AppError && error.httpStatus < 500) return { turn: null }
      throw error
    })
    const seen = part.turns.find(({ id }) => id === turn?.id)
    if (seen !== undefined) return seen
    if (turn !== null) noteTurn(verb, part, turn)
    throw new AppError('message_not_found', `${sessionAddress(part.shown)} has no such message.`)
  }

  /** `undefined`: up to the end; `null`: the state before the first turn. Every turn up to there must be one that may be seen. */
  async function requireKept(verb: string, part: PartlySeen, turn: Turn | null | undefined): Promise<void> {
    if (turn === null ? !part.hidesStart : await isKeptSeen(part, turn)) return
    noteTurn(verb, part, part.hidden[0])
    throw unknownTurn(part)
  }

  /** An agent that goes on has all of the session before it, and begins where the session is now. */
  async function requireAll(verb: string, part: PartlySeen): Promise<void> {
    await requireKept(verb, part, undefined)
    if (part.shown.cwd !== part.original.cwd) throw unknownTurn(part)
  }

  async function isKeptSeen(part: PartlySeen, turn: Turn | undefined): Promise<boolean> {
    if (turn === undefined) return !part.hidesLive
    if (part.hidesStart) return false
    if (turn.number !== null) return turn.number < part.firstHidden
    const seen = new Set(part.turns.map(({ id }) => id))
    for await (const entry of app.readSession(part.original, { upTo: { turnId: turn.id } })) {
      if (entry.kind === 'turn' && !seen.has(entry.turn.id)) return false
    }
    return true
  }

  function noteTurn(verb: string, { original }: PartlySeen, turn: Turn | undefined): void {
    note(
      verb,
      `${sessionAddress(original)}@${turn?.number ?? turn?.id ?? ''}`,
      'its turn was given in a folder outside the roots',
    )
  }

  return { partOf, seenTurns, entries, ofTurns, pinTurn, maskCode, maskMessages, requireKept, requireAll, isKeptSeen }
}

function nameOf({ number, id }: Turn): TurnName {
  return number === null ? { kind: 'id', prefix: id } : { kind: 'number', number }
}

function isNamed({ number, id }: Turn, name: TurnName): boolean {
  return name.kind === 'number' ? number === name.number : name.kind === 'id' && id.startsWith(name.prefix)
}

/** Each turn before its messages, as reading the file gives them. */
async function* entriesOf({ messages, turns }: TurnsRead): AsyncGenerator<Entry> {
  const byId = new Map(turns.map((turn) => [turn.id, turn]))
  let turnId: string | null = null
  for (const message of messages) {
    const turn = message.turnId === turnId ? undefined : byId.get(message.turnId)
    if (turn !== undefined) yield { kind: 'turn', turn }
    turnId = message.turnId
    yield { kind: 'message', message }
  }
}
