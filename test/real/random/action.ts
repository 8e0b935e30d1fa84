// What an action is, and the questions that actions ask of the world.
import type { Client } from './cli.ts'
import { activeSession, type KnownSession, type Said, type World } from './world.ts'

export interface Action {
  /** How often it is tried, against the weights of all others. */
  readonly weight: number
  possible(world: World): boolean
  /** `pick` is any number; the action takes its choices from it. */
  run(world: World, pick: number): Promise<void>
}

export type Actions = Readonly<Record<string, Action>>

/** Nobody works, and the session that would be spoken to is where it belongs. */
export const isFree = (world: World) => world.work === null && activeSession(world)?.away == null
export const isTyped = (world: World) => isFree(world) && world.client !== null
export const isHeadless = (world: World) => isFree(world) && world.client === null

/** Prompts one can go back to: the model is told them, and they began a turn. */
export function places(world: World): string[] {
  const session = activeSession(world)
  if (session === null || session.away !== null) return []
  const { told, compacted, said } = session
  const isOpen = (prompt: string) => told.includes(prompt) && (world.cli.rewindsPastCompaction || !compacted.includes(prompt))
  const end = said.findIndex(({ prompt }) => prompt === world.rewoundTo)
  const left = end === -1 ? said : said.slice(0, end)
  const isHeard = ({ unheardBy }: Said) => unheardBy === null || unheardBy !== world.client
  return left.flatMap((each) => (!each.joined && isHeard(each) && isOpen(each.prompt) ? [each.prompt] : []))
}

export const hasPlaces = (world: World) => places(world).length > 0

export function chosen<T>(from: readonly T[], pick: number): T {
  const one = from[pick % from.length]
  if (one === undefined) throw new Error('nothing to choose from')
  return one
}

export function clientOf({ client }: World): Client {
  if (client === null) throw new Error('no client is open')
  return client
}

export function active(world: World): KnownSession {
  const session = activeSession(world)
  if (session === null) throw new Error('no session is open')
  return session
}

export function requireId(id: string | null): string {
  if (id === null) throw new Error('the agent has not named its session')
  return id
}
