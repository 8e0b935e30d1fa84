// What an event of an agent does: opens a turn, ends it, or ends one that ended without a word; each time with a snapshot.
// One event of a session at a time. Cut off anywhere, the next event finds either what this one did or what was before it.
import { statSync } from 'node:fs'
import { findCommandBehind, findWrittenPrompts } from '../agents/hook-events.ts'
import type { HookEvent, WrittenPrompt } from '../agents/hooks.ts'
import { errorMessage } from '../lib/error-message.ts'
import { isMissing } from '../lib/file-errors.ts'
import type { CapturedBy } from '../model/capture.ts'
import { isSafeId } from '../snapshots/snapshot.ts'
import { readTree } from '../snapshots/take-snapshot.ts'
import { briefPrompt } from './brief-prompt.ts'
import { claimWorkspace, type Ending, findCaptured, isFirst, keptTurns, ownKey, ownName, turnOf } from './ended-turn.ts'
import { forgetOpen, noteOpen } from './open-turns.ts'
import type { Place } from './place.ts'
import {
  findEnded,
  indexOf,
  placeOf,
  type RecordContext,
  type Recording,
  type RecordRequest,
  save,
  take,
  turnIdOf,
} from './recording.ts'
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
    if (continued !== undefined && event.turnKey === continued.as) return end(recording, continued.turnKey, by)
    const { turnKey, ...more } = await turnOf(recording, event)
    return end(recording, turnKey, by, more)
  }
  if (event.kind === 'session_end' || event.turnKey === null) {
    return open === null ? endAgain(recording) : endUntold(recording, open)
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
  await endLate(recording, open)
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
async function endLate(recording: Recording, open: OpenTurn | null): Promise<void> {
  try {
    await (open === null ? endAgain(recording) : endUntold(recording, open))
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

/**
 * The user ran a command behind a turn that had ended, and no hook was told of its end. The command is part of that turn's conversation, so
 * the turn is captured again: late, unless the files are as they were.
 */
async function endAgain(recording: Recording): Promise<void> {
  const { context, request } = recording
  if (request.by !== 'hook') return
  const command = await findCommandBehind(request.agent, request.event.transcriptPath, true)
  const ended = command === null ? undefined : findCaptured(recording, command.turn)
  const place = ended === undefined ? null : await placeOf(recording)
  if (command === null || ended === undefined || place === null || ended.root !== place.workTree.root) return
  const { root } = place.workTree
  const { tree } = await readTree(context.git, place.workTree, indexOf(recording, root), context.maxFileBytes)
  const by = tree === ended.tree ? request.by : 'late'
  await end(recording, ended.turnKey, by, { turnId: command.turn.id, isAgain: true })
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
  // No agent has written a prompt when it tells of it: looking for it would read all of a transcript, however large.
  return take(recording, turn, 'start', recording.request.by, { turnId: turnIdOf(recording, turn.turnKey, null) })
}

async function end(recording: Recording, turnKey: string, by: CapturedBy, ending: Ending = {}): Promise<void> {
  const { open } = recording.state
  const { event } = recording.request
  const { isAgain = false, turnId = turnIdOf(recording, turnKey, event.transcriptPath) } = ending
  const isOpen = open?.turnKey === turnKey
  const isUnheardOf = !isOpen && findEnded(recording, turnKey) === undefined
  const begun = isOpen ? open : (findEnded(recording, turnKey) ?? ending.begun ?? (await unheardOf(recording, turnKey)))
  const root = (await placeOf(recording))?.workTree.root ?? null
  // Whoever watches a transcript may see a turn begin before its prompt is written.
  const prompt = begun.prompt === '' && event.turnKey === turnKey ? await briefPrompt(event.prompt) : begun.prompt
  const turn: OpenTurn = { ...begun, prompt, startTree: begun.root === root ? begun.startTree : null, root }
  const tree = await take(recording, turn, 'end', by, { turnId, isAgain })
  const others = recording.state.ended.filter((each) => each.turnKey !== turnKey)
  // A later turn has ended, or the user went back and ran a command behind an earlier one.
  const isOvertaken = isUnheardOf || (event.kind === 'turn_end' && event.turnKey !== turnKey)
  const stillOpen = open !== null && isOvertaken ? { ...open, overtaken: true as const } : open
  const ended = { ...turn, tree, ...(turnId === null ? {} : { turnId }) }
  save(recording, { open: isOpen ? null : stillOpen, ended: [ended, ...others] })
  if (isOpen || isUnheardOf) await forget(recording)
}

/** The session has no turn at work any more. */
async function forget(recording: Recording): Promise<void> {
  const place = await placeOf(recording)
  if (place !== null && place.marker !== null) forgetOpen(place.workTree.gitDir, ownName(recording))
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
  // It goes on under another key, and began before anyone looked.
  const isOlder = event.turnKey !== turnKey && written === undefined
  const number = isOlder || (open !== null && written === undefined) ? null : countPrompt(recording, null, place)
  const counted = number === null ? null : number + missed
  if (place !== null) await claimWorkspace(recording, place)
  recording.state = { ...state, count: counted ?? state.count }
  const prompt = await briefPrompt(event.turnKey === turnKey && event.prompt !== null ? event.prompt : (written?.prompt ?? null))
  const isSeen = open === null && missed === 0 && !isOlder
  return {
    ...{ turnKey, prompt, startedAt: written?.writtenAt ?? null, number: counted },
    root: last?.root ?? null,
    startTree: isSeen ? (last?.tree ?? null) : null,
  }
}

/** Number of the turn that begins; `null` when the session had turns before we first heard of it. */
function countPrompt(recording: Recording, prompt: HookEvent | null, place: Place | null): number | null {
  const { state } = recording
  const before = isFirst(state) ? keptTurns(recording, place) : state.count
  if (before !== null) return before + 1
  return isFirst(state) && prompt !== null && isUnwritten(prompt.transcriptPath) ? 1 : null
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
