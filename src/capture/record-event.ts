// What an event of an agent does: opens a turn, ends it, or ends one that ended without a word; each time with a snapshot.
// One event of a session at a time. Cut off anywhere, the next event finds either what this one did or what was before it.
import { statSync } from 'node:fs'
import { findWrittenPrompts } from '../agents/hook-events.ts'
import type { HookEvent, WrittenPrompt } from '../agents/hooks.ts'
import { errorMessage } from '../lib/error-message.ts'
import { isMissing } from '../lib/file-errors.ts'
import type { CapturedBy } from '../model/capture.ts'
import { isSafeId } from '../snapshots/snapshot.ts'
import { readTree } from '../snapshots/take-snapshot.ts'
import { amendMarker } from '../snapshots/workspace-marker.ts'
import { briefPrompt } from './brief-prompt.ts'
import { forgetOpen, noteOpen } from './open-turns.ts'
import type { Place } from './place.ts'
import { findEnded, indexOf, placeOf, type RecordContext, type Recording, type RecordRequest, save, take } from './recording.ts'
import { noState, type OpenTurn, readState, sessionFolder, withSession } from './session-state.ts'

export interface Recorded {
  readonly captured: number
  readonly problem: string | null
}

const unread = { tree: null, head: null }
/** Ten seconds; the hook's own limit is shorter. */
const patience = 400

export async function recordEvent(context: RecordContext, request: RecordRequest): Promise<Recorded> {
  const { agent, event, by } = request
  if (!isSafeId(event.sessionId)) throw new Error('not a session id')
  const folder = sessionFolder(context.folder, agent, event.sessionId)
  const record = async (): Promise<Recorded> => {
    context.onStep?.('locked')
    const state = { ...(readState(folder) ?? noState), by }
    const recording: Recording = { context, request, folder, state, place: undefined, ...unread, captured: 0, problem: null }
    await apply(recording, event)
    return { captured: recording.captured, problem: recording.problem }
  }
  return withSession(folder, record, patience)
}

async function apply(recording: Recording, event: HookEvent): Promise<void> {
  const { by } = recording.request
  const { open, continued } = recording.state
  if (event.kind === 'prompt') return event.continues === true ? goOn(recording, event) : begin(recording, event)
  if (event.kind === 'turn_end') {
    const turnKey = event.turnKey === continued?.as ? continued?.turnKey : event.turnKey
    return end(recording, turnKey ?? open?.turnKey ?? ownKey(recording), by)
  }
  if (event.kind === 'session_end' || event.turnKey === null) {
    return open === null ? undefined : endUntold(recording, open)
  }
  // Interrupted: that very turn is over, at this very moment.
  if (open?.turnKey === event.turnKey || findEnded(recording, event.turnKey) === undefined)
    await end(recording, event.turnKey, by)
}

/** The last turn is open again, and ends again: its snapshot is then overwritten. */
function goOn(recording: Recording, { turnKey }: HookEvent): void {
  const { open, ended } = recording.state
  const turn = open ?? ended[0]
  if (turn === undefined || turnKey === null) return
  save(recording, { open: turn, continued: { as: turnKey, turnKey: turn.turnKey } })
}

/** A prompt: what was still open has ended without a word, and the work tree is as the person left it. */
async function begin(recording: Recording, event: HookEvent): Promise<void> {
  const turnKey = event.turnKey ?? ownKey(recording)
  const { open } = recording.state
  // Told twice, where hooks stand in the user's settings and in the project's.
  if (open?.turnKey === turnKey || findEnded(recording, turnKey) !== undefined) return
  if (open !== null) await endLate(recording, open)
  const startedAt = recording.context.now()
  const prompted = { turnKey, prompt: await briefPrompt(event.prompt), startedAt }
  noteFirst(recording, prompted)
  const place = await placeOf(recording)
  const root = place?.workTree.root ?? null
  const number = countPrompt(recording, event, place)
  const turn: OpenTurn = { ...prompted, number, root, startTree: null }
  save(recording, { count: number, open: turn })
  if (place === null) return
  await claimWorkspace(recording, place)
  if (place.marker !== null) noteOpen(place.workTree.gitDir, ownName(recording))
  const startTree = await findStartTree(recording, turn, place)
  save(recording, { open: { ...turn, startTree, ...(startTree === null ? {} : { startHead: recording.head }) } })
}

/**
 * Before git is asked, which may hang: whatever becomes of this event, the next one knows that the turn has begun, and takes it to have
 * begun where the one before ended.
 */
function noteFirst(recording: Recording, prompted: Pick<OpenTurn, 'turnKey' | 'prompt' | 'startedAt'>): void {
  const before = recording.state
  const last = before.ended[0]
  const number = before.count === null ? null : before.count + 1
  const turn = { ...prompted, number, root: last?.root ?? null, startTree: last?.tree ?? null }
  save(recording, { count: number, open: turn })
  recording.state = before
}

/** That the turn before cannot be captured any more must not cost the one that begins. */
async function endLate(recording: Recording, open: OpenTurn): Promise<void> {
  try {
    await endUntold(recording, open)
  } catch (error) {
    recording.problem = errorMessage(error)
    recording.state = { ...recording.state, open: null }
  }
}

/**
 * The open turn ended without a word. What the work tree holds now is what the newest turn left: a prompt that was typed ahead may have had
 * its turn since, equally without a word.
 */
async function endUntold(recording: Recording, open: OpenTurn): Promise<void> {
  const newest = promptsAfter(recording, open)[0]
  if (newest === undefined && open.overtaken !== true) return end(recording, open.turnKey, 'late')
  save(recording, { open: { ...open, overtaken: true } })
  if (newest !== undefined) await end(recording, newest.turnKey, 'late')
  await forget(recording)
  save(recording, { open: null })
}

/** Prompts the transcript got after this turn's and no event was told of, newest first. */
function promptsAfter(recording: Recording, { turnKey, startedAt }: OpenTurn): WrittenPrompt[] {
  const { agent, event, by } = recording.request
  // Whoever reads the transcript itself tells of each turn.
  if (by !== 'hook' || startedAt === null) return []
  const isKnown = (key: string) => key === turnKey || findEnded(recording, key) !== undefined
  try {
    const written = findWrittenPrompts(agent, event.transcriptPath, startedAt)
    const known = written.findIndex((each) => isKnown(each.turnKey))
    // The very prompt an event tells of as it begins has not had its turn.
    const isBeginning = (key: string) => event.kind === 'prompt' && key === event.turnKey
    return written.slice(0, known === -1 ? undefined : known).filter((each) => !isBeginning(each.turnKey))
  } catch (error) {
    recording.problem ??= `the transcript cannot be read: ${errorMessage(error)}`
    return []
  }
}

/** An agent that names its sessions itself tells here, for the first time, which one its workspace is for. */
async function claimWorkspace({ request }: Recording, { marker, workTree }: Place): Promise<void> {
  if (marker?.agent !== request.agent || marker.sessionId !== null) return
  await amendMarker(workTree.gitDir, { sessionId: request.event.sessionId })
}

/** A snapshot only where it says something new: nothing before, or not what the turn before left. */
async function findStartTree(recording: Recording, turn: OpenTurn, { workTree }: Place): Promise<string | null> {
  if (recording.tree !== null) return recording.tree
  const { git, maxFileBytes } = recording.context
  const last = recording.state.ended[0]
  if (last?.tree !== null && last?.root === workTree.root) {
    const { tree, head } = await readTree(git, workTree, indexOf(recording, workTree.root), maxFileBytes)
    recording.head = head
    if (tree === last.tree) return tree
  }
  return take(recording, turn, 'start', recording.request.by)
}

async function end(recording: Recording, turnKey: string, by: CapturedBy): Promise<void> {
  const { open } = recording.state
  const { event } = recording.request
  const isOpen = open?.turnKey === turnKey
  const isUnheardOf = !isOpen && findEnded(recording, turnKey) === undefined
  const begun = isOpen ? open : (findEnded(recording, turnKey) ?? (await unheardOf(recording, turnKey)))
  const root = (await placeOf(recording))?.workTree.root ?? null
  // Whoever watches a transcript may see a turn begin before its prompt is written.
  const prompt = begun.prompt === '' && event.turnKey === turnKey ? await briefPrompt(event.prompt) : begun.prompt
  const turn: OpenTurn = { ...begun, prompt, startTree: begun.root === root ? begun.startTree : null, root }
  const tree = await take(recording, turn, 'end', by)
  const others = recording.state.ended.filter((each) => each.turnKey !== turnKey)
  const stillOpen = open !== null && isUnheardOf ? { ...open, overtaken: true as const } : open
  save(recording, { open: isOpen ? null : stillOpen, ended: [{ ...turn, tree }, ...others] })
  if (isOpen || isUnheardOf) await forget(recording)
}

/** The session has no turn at work any more. */
async function forget(recording: Recording): Promise<void> {
  const place = await placeOf(recording)
  if (place !== null && place.marker !== null) forgetOpen(place.workTree.gitDir, ownName(recording))
}

function ownName({ request }: Recording) {
  return { agent: request.agent, sessionId: request.event.sessionId }
}

/**
 * A turn whose beginning nobody told of (`notify` tells of ends only, and of a prompt typed ahead nobody is told when it starts): for us
 * it began where the one before ended, if that was seen.
 */
async function unheardOf(recording: Recording, turnKey: string): Promise<OpenTurn> {
  const { event } = recording.request
  const { state } = recording
  const { open } = state
  const last = state.ended[0]
  const before = open ?? last
  const place = await placeOf(recording)
  const between = before === undefined ? [] : promptsAfter(recording, before)
  const at = between.findIndex((each) => each.turnKey === turnKey)
  const written = between[at]
  // Turns that ended before this one and were not told of either.
  const missed = between.slice(at + 1).length
  const number = open !== null && written === undefined ? null : countPrompt(recording, null, place)
  const counted = number === null ? null : number + missed
  if (place !== null) await claimWorkspace(recording, place)
  recording.state = { ...state, count: counted ?? state.count }
  const prompt = await briefPrompt(event.turnKey === turnKey && event.prompt !== null ? event.prompt : (written?.prompt ?? null))
  const isSeen = open === null && missed === 0
  return {
    ...{ turnKey, prompt, startedAt: written?.writtenAt ?? null, number: counted },
    root: last?.root ?? null,
    startTree: isSeen ? (last?.tree ?? null) : null,
  }
}

/** Number of the turn that begins; `null` when the session had turns before we first heard of it. */
function countPrompt({ state, request }: Recording, prompt: HookEvent | null, place: Place | null): number | null {
  const isFirst = state.count === null && state.open === null && state.ended.length === 0
  if (!isFirst) return state.count === null ? null : state.count + 1
  const { sessionId } = request.event
  const marker = place?.marker ?? null
  const isOurs = marker?.agent === request.agent && (marker.sessionId === null || marker.sessionId === sessionId)
  if (isOurs && marker.keptTurns !== null) return marker.keptTurns + 1
  return prompt !== null && isUnwritten(prompt.transcriptPath) ? 1 : null
}

/** Claude makes the file with the first prompt. */
function isUnwritten(transcriptPath: string | null): boolean {
  if (transcriptPath === null) return false
  try {
    return statSync(transcriptPath).size === 0
  } catch (error) {
    return isMissing(error) // one that cannot be looked at may hold anything
  }
}

/** For an agent that names no turns: found again by its time. */
function ownKey({ context }: Recording): string {
  return `at-${context.now()}`
}
