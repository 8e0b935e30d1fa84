// One event being recorded: what is known of the session, and the steps that write something down. In this order, so that a
// crash between any two is healed by the next event: objects and ref (the truth), the note for the app, the session's state.
import { existsSync } from 'node:fs'
import { findTurnId } from '../agents/hook-events.ts'
import type { HookEvent } from '../agents/hooks.ts'
import { errorMessage } from '../lib/error-message.ts'
import type { CapturedBy, Moment, SnapshotMeta } from '../model/capture.ts'
import type { AgentId } from '../model/session.ts'
import type { Git } from '../snapshots/git.ts'
import { readSnapshot } from '../snapshots/read-snapshot.ts'
import { snapshotRef } from '../snapshots/snapshot.ts'
import { takeSnapshot } from '../snapshots/take-snapshot.ts'
import { commitMessage, earlierMessage } from './commit-message.ts'
import { listOthersOpen } from './open-turns.ts'
import { type Pending, writePending } from './pending.ts'
import { findPlace, type Place } from './place.ts'
import { type EndedTurn, type OpenTurn, privateIndex, type SessionState, writeState } from './session-state.ts'

export interface RecordContext {
  /** `$OFFSHOOT_HOME`. */
  readonly folder: string
  readonly git: Git
  readonly now: () => number
  /** 0: no limit. */
  readonly maxFileBytes: number
  /** Told at each step: how a test cuts one off. */
  readonly onStep?: (step: string) => void
}

export interface RecordRequest {
  readonly agent: AgentId
  readonly event: HookEvent
  readonly by: 'hook' | 'watcher'
  /** Where to look when the event's own folder is gone. */
  readonly otherFolder?: string
  /** Where the teller knows it already. */
  readonly turnId?: string
}

export interface Recording {
  readonly context: RecordContext
  readonly request: RecordRequest
  /** The session's own. */
  readonly folder: string
  state: SessionState
  place: Place | null | undefined
  /** The work tree as this very event found it, once that is known. */
  tree: string | null
  /** HEAD as this event leaves it, known with the tree. */
  head: string | null
  captured: number
  /** Something that went wrong without the capture failing. */
  problem: string | null
}

export function save(recording: Recording, change: Partial<SessionState>): void {
  recording.state = { ...recording.state, ...change }
  writeState(recording.folder, recording.state)
  recording.context.onStep?.('state written')
}

export function findEnded({ state }: Recording, turnKey: string): EndedTurn | undefined {
  return state.ended.find((turn) => turn.turnKey === turnKey)
}

/** Asked once per event. `null` outside of git. */
export async function placeOf(recording: Recording): Promise<Place | null> {
  const { context, request, state } = recording
  const folders = [request.event.cwd, ...(request.otherFolder === undefined ? [] : [request.otherFolder])].filter(existsSync)
  const usualRoot = state.open?.root ?? state.ended[0]?.root ?? null
  recording.place ??= await findPlace(context.git, folders, usualRoot)
  return recording.place
}

/** The private index of a work tree; a new one where a process that was cut off may still be writing the old. */
export function indexOf(recording: Recording, root: string): string {
  const path = privateIndex(recording.folder, root, recording.state.indexes)
  if (!existsSync(`${path}.lock`)) return path
  recording.state = { ...recording.state, indexes: recording.state.indexes + 1 }
  return privateIndex(recording.folder, root, recording.state.indexes)
}

export interface TakeOptions {
  /** Id of the turn as everywhere else, where the transcript told. */
  readonly turnId: string | null
  /** In place of an earlier one. */
  readonly isAgain?: boolean
}

/** Takes the snapshot of a moment and leaves the note of it; gives the tree, `null` outside of git. */
export async function take(
  recording: Recording,
  turn: OpenTurn,
  moment: Moment,
  by: CapturedBy,
  { turnId, isAgain = false }: TakeOptions,
): Promise<string | null> {
  const { context, request } = recording
  const { agent, event } = request
  const { turnKey, prompt, startedAt, startTree, number } = turn
  const meta = {
    agent,
    sessionId: event.sessionId,
    moment,
    turnKey,
    turnId: request.turnId ?? turnId,
    turnNumber: number,
    prompt,
    by,
    startedAt,
    endedAt: moment === 'end' ? context.now() : null,
    startTree,
  }
  const place = await placeOf(recording)
  if (place === null) {
    note(recording, { ...meta, version: 1, head: null, branch: null, root: event.cwd, commit: null, notCovered: [] }, null)
    return null
  }
  const { workTree, marker } = place
  const earlier = by === 'late' && !isAgain ? await readSnapshot(context.git, workTree.commonDir, snapshotRef(meta)) : null
  if (earlier !== null) {
    // Taken at the right moment after all, by a hook that was cut off before it could say so.
    note(recording, earlier.meta, { commonDir: workTree.commonDir, ...earlier })
    return earlier.tree
  }
  context.onStep?.(`before ${moment}`)
  const { snapshot, problem, commit } = await takeSnapshot(context.git, {
    workTree,
    index: indexOf(recording, workTree.root),
    meta,
    maxFileBytes: context.maxFileBytes,
    ...(context.onStep === undefined ? {} : { onStep: context.onStep }),
    ...(marker === null || moment === 'start' || turn.inherited === true
      ? {}
      : { workspace: { branch: marker.branch, ...describeCommits(recording, place, turn, meta) } }),
  })
  context.onStep?.(`after ${moment}`)
  recording.problem ??= problem
  recording.tree = snapshot.tree
  recording.head = commit ?? snapshot.meta.head
  note(recording, snapshot.meta, { commonDir: workTree.commonDir, ...snapshot })
  return snapshot.tree
}

function describeCommits(
  { context, request }: Recording,
  { workTree: { gitDir, root } }: Place,
  { startTree, startHead }: OpenTurn,
  meta: Parameters<typeof commitMessage>[0],
) {
  const own = { agent: request.agent, sessionId: request.event.sessionId }
  const words = commitMessage(meta, listOthersOpen(context.folder, gitDir, root, own))
  if (startTree === null) return words
  const start = { tree: startTree, ...(startHead === undefined ? {} : { head: startHead }) }
  return { ...words, earlier: { ...earlierMessage(meta), start } }
}

/** What is not found here is found when the note is taken in; a transcript that cannot be read costs no snapshot. */
export function turnIdOf(recording: Recording, turnKey: string, transcriptPath: string | null): string | null {
  try {
    return findTurnId(recording.request.agent, { turnKey, transcriptPath })
  } catch (error) {
    recording.problem ??= `the transcript cannot be read: ${errorMessage(error)}`
    return null
  }
}

function note(recording: Recording, meta: SnapshotMeta, kept: Pending['kept']): void {
  const { context, request, place } = recording
  const marker = place?.marker ?? null
  writePending(context.folder, context.now(), {
    version: 1,
    meta,
    kept: kept === null ? null : { commonDir: kept.commonDir, ref: kept.ref, id: kept.id, tree: kept.tree },
    transcriptPath: request.event.transcriptPath,
    workspace: marker === null ? null : { id: marker.id, push: marker.push },
  })
  recording.captured += 1
  context.onStep?.('noted')
}
