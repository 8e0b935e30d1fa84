// What the driver knows while a script runs: which sessions it made, what it said in them, and who is at work. Nothing in here
// comes from offshoot's own reading.
import type { App } from '../../../src/app.ts'
import type { TurnState } from '../../../src/model/session.ts'
import type { Cli, Client, Headless } from './cli.ts'

/** One prompt of the driver; its text occurs nowhere else. */
export interface Said {
  readonly prompt: string
  state: TurnState
}

export interface KnownSession {
  readonly id: string
  /** Every prompt of the session in the order they were said, inherited ones first. */
  readonly said: Said[]
  /** Prompts the agent would go on from, as the API was last told. */
  live: readonly string[]
  /** What each summary of a compaction stands for, by its text. */
  readonly summarised: Map<string, readonly string[]>
  /** Fingerprint of its files when it was last judged. */
  judged: string
}

/** A turn that has begun and not ended. */
export interface Work {
  readonly session: KnownSession
  readonly said: Said
  readonly headless: Headless | null
  release(): void
}

export interface World {
  readonly cli: Cli
  /** Lives as long as the script: its catalogue sees what happened only when it is refreshed. */
  readonly app: App
  readonly sessions: KnownSession[]
  /** The session the next headless prompt or the next client goes to; `null`: a new one. */
  current: KnownSession | null
  client: Client | null
  work: Work | null
  serial: number
}

export function nextWords(world: World): string {
  world.serial += 1
  return `ask ${world.serial}`
}

/** Takes up what was just said, in a session that may be new. */
export function noteSaid(
  world: World,
  sessionId: string,
  prompt: string,
  state: TurnState,
): { session: KnownSession; said: Said } {
  const session = world.sessions.find(({ id }) => id === sessionId) ?? addSession(world, sessionId)
  const said = { prompt, state }
  session.said.push(said)
  world.current = session
  return { session, said }
}

function addSession(world: World, id: string): KnownSession {
  const session: KnownSession = { id, said: [], live: [], summarised: new Map(), judged: '' }
  world.sessions.push(session)
  return session
}
