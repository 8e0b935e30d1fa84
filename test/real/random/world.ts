// What the driver knows while a script runs: which sessions it made, what it said in them, and who is at work. What is true of them
// comes from the driver and the API, never from offshoot's own reading.
import type { Agent } from '../../../src/agents/agent.ts'
import type { App } from '../../../src/app.ts'
import type { TurnState } from '../../../src/model/session.ts'
import type { SeenItem } from '../lib/history.ts'
import type { Cli, Client, Headless, Hold } from './cli.ts'

/** One prompt of the driver; its text occurs nowhere else. */
export interface Said {
  readonly prompt: string
  /** `any` where two clients at once leave more than one answer open. */
  state: TurnState | 'any'
  /** Typed while the agent worked, and handed to the turn that ran: not a turn of its own. */
  joined: boolean
  /** Typed while the agent worked. */
  typedAhead: boolean
  /** The terminal it was typed in; `null`: headless. */
  by: Client | null
  /** The client that was open while another one said it, and does not know of it. */
  unheardBy: Client | null
  /** Said in another session, of which this one is a fork. */
  readonly inherited: boolean
}

export interface KnownSession {
  readonly id: string
  readonly parent: KnownSession | null
  /** Every prompt of the session in the order they were said, inherited ones first. */
  readonly said: Said[]
  /** Prompts the API was told when a copy was last resumed. */
  told: readonly string[]
  /** Prompts that a summary stands for which it was told. */
  compacted: readonly string[]
  /** Both. */
  live: readonly string[]
  /** What each summary of a compaction stands for, by its text. */
  readonly summarised: Map<string, readonly string[]>
  /** Prompts that the last partial summary left as they were. */
  kept: readonly string[]
  /** Of those the ones that the open client has taken back: whoever loads the file finds them again. */
  readonly putBack: Set<string>
  /** Forked by offshoot, not by the agent. */
  byOffshoot: boolean
  /** What such a fork must hold, until it was seen to. */
  promised: Promised | null
  /** What offshoot says the model has seen at the end of each turn, by its prompt, when it was last judged. */
  upTo: ReadonlyMap<string, readonly SeenItem[]>
  /** Where its files were moved to. */
  away: readonly Moved[] | null
  /** Fingerprint of its files when it was last judged. */
  judged: string
  /** The states of its turns then. */
  judgedStates: string
}

export interface Promised {
  readonly prompts: readonly string[]
  /** The parent's history up to the turn; absent where it was not read yet. */
  readonly context: readonly SeenItem[] | undefined
}

interface Moved {
  readonly from: string
  readonly to: string
}

/** A turn that has begun and not ended. */
export interface Work {
  readonly session: KnownSession
  readonly said: Said
  readonly headless: Headless | null
  readonly hold: Hold
  /** A prompt that was typed meanwhile. */
  steer: Said | null
  /** Another client has gone on from this session meanwhile. */
  contested: boolean
  release(): void
}

export interface World {
  readonly cli: Cli
  /** The readers under test. */
  readonly agents: readonly Agent[]
  /** Lives as long as the script: its catalogue sees what happened only when it is refreshed. */
  readonly app: App
  readonly sessions: KnownSession[]
  /** The session the next headless prompt or the next client goes to; `null`: a new one. */
  current: KnownSession | null
  client: Client | null
  /** The client went back to before this prompt, which not every agent puts on disk before the next one. */
  rewoundTo: string | null
  work: Work | null
  hooks: boolean
  serial: number
}

export function createWorld(cli: Cli, app: App, agents: readonly Agent[]): World {
  return { cli, app, agents, sessions: [], current: null, client: null, rewoundTo: null, work: null, hooks: false, serial: 0 }
}

export function nextWords(world: World, word = 'ask'): string {
  world.serial += 1
  return `${word} ${world.serial}`
}

/** Takes up what was just said, in a session that may be new. */
export function noteSaid(world: World, id: string, prompt: string, state: Said['state']): { session: KnownSession; said: Said } {
  const session = world.sessions.find((each) => each.id === id) ?? addSession(world, id)
  const said: Said = { prompt, state, joined: false, typedAhead: false, by: world.client, unheardBy: null, inherited: false }
  session.said.push(said)
  world.current = session
  world.rewoundTo = null
  return { session, said }
}

/** A session that holds these prompts of another one. */
export function addSession(world: World, id: string, parent?: KnownSession, inherited: readonly string[] = []): KnownSession {
  const session: KnownSession = {
    id,
    parent: parent ?? null,
    said: (parent?.said ?? []).filter(({ prompt }) => inherited.includes(prompt)).map((said) => ({ ...said, inherited: true })),
    told: [],
    compacted: [],
    live: inherited,
    summarised: new Map(parent?.summarised),
    kept: [],
    putBack: new Set(parent?.putBack),
    byOffshoot: false,
    promised: null,
    upTo: new Map(),
    away: null,
    judged: '',
    judgedStates: '',
  }
  world.sessions.push(session)
  return session
}

/** The session that the client has open, or the one the next prompt goes to; `null` while it has none. */
export function activeSession({ client, current, sessions }: World): KnownSession | null {
  if (client === null) return current
  const id = client.sessionId()
  return sessions.find((each) => each.id === id) ?? null
}

/** What the client had only in mind is gone with it: a fork that nobody has talked to as well. */
export function closeClient(world: World): void {
  const { cli, current, sessions } = world
  if (current !== null && cli.files(current.id).length === 0) {
    sessions.splice(sessions.indexOf(current), 1)
    world.current = current.parent
  }
  world.client = null
  world.rewoundTo = null
}
