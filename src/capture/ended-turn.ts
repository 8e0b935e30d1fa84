// Which turn it is that an event says has ended, and by which key it is captured.
import { statSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { findEndedTurn } from '../agents/hook-events.ts'
import type { HookEvent, TurnName } from '../agents/hooks.ts'
import { errorMessage } from '../lib/error-message.ts'
import { readSnapshot } from '../snapshots/read-snapshot.ts'
import { isSafeId, snapshotRef } from '../snapshots/snapshot.ts'
import { amendMarker } from '../snapshots/workspace-marker.ts'
import type { Place } from './place.ts'
import { findEnded, placeOf, type Recording } from './recording.ts'
import type { EndedTurn, OpenTurn, SessionState } from './session-state.ts'

/** The line of a `!` command is written up to this long after its answer stopped; that of a prompt always before. */
const written = { everyMs: 20, tries: 25 }

/** What is known of a turn that ends, besides the session's state. */
export interface Ending {
  /** Absent while nobody has looked. */
  readonly turnId?: string | null
  /** Of a turn the state does not know any more, or never did. */
  readonly begun?: OpenTurn
  readonly isAgain?: boolean
}

/**
 * The turn that has ended. The answer to a command of the user's belongs to the turn it follows in the conversation, whatever the event is
 * named by: as the transcript has it, so that no snapshot of another turn is overwritten. What cannot be told is a capture no turn claims.
 */
export async function turnOf(recording: Recording, event: HookEvent): Promise<Ending & { readonly turnKey: string }> {
  const { open } = recording.state
  const turnKey = event.turnKey ?? open?.turnKey ?? ownKey(recording)
  if (recording.request.by !== 'hook' || (event.turnKey === null && open !== null)) return { turnKey }
  const found = await findTold(recording, event)
  if (found === 'unwritten') return { turnKey: ownKey(recording), turnId: null }
  return found === null ? { turnKey } : nameEnding(recording, found)
}

async function findTold(recording: Recording, event: HookEvent): Promise<TurnName | 'unwritten' | null> {
  const { request, state } = recording
  const { turnKey, transcriptPath } = event
  const hasEnded = turnKey !== null && turnKey !== state.open?.turnKey && findEnded(recording, turnKey) !== undefined
  const isUnknown = turnKey !== null && turnKey !== state.open?.turnKey && !hasEnded
  let found: TurnName | 'unwritten' | null = null
  try {
    let looked = 0
    for (let tries = 0; tries < written.tries; tries += 1) {
      const size = sizeOf(transcriptPath)
      // The agent waits for the hook: do not wait without a transcript, and read one again only when it has grown.
      if (size === 0) break
      if (size > looked) found = await findEndedTurn(request.agent, event, hasEnded)
      if (found !== 'unwritten' && (found !== null || !isUnknown)) break
      looked = size
      await sleep(written.everyMs)
    }
  } catch (error) {
    recording.problem ??= `the transcript cannot be read: ${errorMessage(error)}`
  }
  return found
}

/** By which key a turn was captured, or is now. In a fork several turns may have the same in the agent's hooks. */
async function nameEnding(recording: Recording, turn: TurnName): Promise<Ending & { readonly turnKey: string }> {
  const { id: turnId, key } = turn
  const { open } = recording.state
  if (open !== null && key === open.turnKey) return { turnKey: open.turnKey, turnId }
  const known = findCaptured(recording, turn)
  if (known !== undefined) return { turnKey: known.turnKey, turnId }
  const { event } = recording.request
  if (key !== null && key === event.turnKey && findEnded(recording, key) === undefined) return { turnKey: key, turnId }
  return endOlder(recording, turn)
}

export function findCaptured({ state }: Recording, { id, key }: TurnName): EndedTurn | undefined {
  const { ended } = state
  return ended.find((each) => each.turnId === id) ?? ended.find((each) => each.turnId === undefined && each.turnKey === key)
}

/** One that ended long ago, or in the session this one was forked from. Its own snapshot says how it began. */
async function endOlder(recording: Recording, { id, key }: TurnName): Promise<Ending & { readonly turnKey: string }> {
  const { context, state } = recording
  const place = await placeOf(recording)
  const names = [key, id].filter((each) => each !== null).filter(isSafeId)
  for (const turnKey of place === null ? [] : names) {
    const ref = snapshotRef({ ...ownName(recording), turnKey, moment: 'end' })
    const earlier = await readSnapshot(context.git, place?.workTree.commonDir ?? '', ref)
    if (earlier?.meta.turnId !== id) continue
    const { prompt, startedAt, turnNumber: number, root, startTree } = earlier.meta
    return { turnKey, turnId: id, begun: { turnKey, prompt, startedAt, number, root, startTree } }
  }
  if (place !== null) await claimWorkspace(recording, place)
  const count = isFirst(state) ? keptTurns(recording, place) : state.count
  recording.state = { ...state, count }
  const turnKey = isSafeId(id) ? id : ownKey(recording)
  const unknown = { prompt: '', startedAt: null, number: null, root: null, startTree: null }
  return { turnKey, turnId: id, begun: { turnKey, ...unknown, inherited: true } }
}

function sizeOf(path: string | null): number {
  return path === null ? 0 : (statSync(path, { throwIfNoEntry: false })?.size ?? 0)
}

/** An agent that names its sessions itself tells here, for the first time, which one its workspace is for. */
export async function claimWorkspace({ request }: Recording, { marker, workTree }: Place): Promise<void> {
  if (marker?.agent !== request.agent || marker.sessionId !== null) return
  await amendMarker(workTree.gitDir, { sessionId: request.event.sessionId })
}

/** Nothing was told of the session before. */
export function isFirst({ count, open, ended }: SessionState): boolean {
  return count === null && open === null && ended.length === 0
}

/** Turns the session had when its workspace was made. */
export function keptTurns({ request }: Recording, place: Place | null): number | null {
  const marker = place?.marker ?? null
  const isOurs = marker?.agent === request.agent && (marker.sessionId === null || marker.sessionId === request.event.sessionId)
  return isOurs ? marker.keptTurns : null
}

export function ownName({ request }: Recording) {
  return { agent: request.agent, sessionId: request.event.sessionId }
}

/** For an agent that names no turns: found again by its time. */
export function ownKey({ context }: Recording): string {
  return `at-${context.now()}`
}
