// A fork by `prefix`: the lines of the chosen branch, through all the files it is made of, as a thread of its own that depends
// on no other file. Both generations: with ordinals counted up from 0, or without any.
import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { createExclusive, type FileWriter, partPathOf } from '../../lib/exclusive-file.ts'
import { fileErrorCode } from '../../lib/file-errors.ts'
import { AppError } from '../../model/error.ts'
import type { Cut } from '../../model/fork.ts'
import type { SessionFile } from '../agent.ts'
import type { AgentEnv } from '../agent-env.ts'
import type { ForkedFile, ForkTarget } from '../forking.ts'
import { childMeta, childPath, gitOf, makeThreadId, missingFolders, nameThread } from './child-thread.ts'
import type { SurveyedBranch } from './emit.ts'
import { findForkPoint, refuseRunning } from './fork-point.ts'
import { type History, scanHistory } from './history.ts'
import { KeptLines } from './kept-lines.ts'
import { type Body, breathe, pause, type RolloutRecord, textOrNull } from './lines.ts'
import { isBusy } from './live.ts'
import { isPaginated } from './read.ts'
import { findRollout, timeOfId } from './rollout-files.ts'

export async function writePrefix(source: SessionFile, env: AgentEnv, cut: Cut, target: ForkTarget): Promise<ForkedFile> {
  const point = await findForkPoint(source, env, cut)
  if (point.isOpen && isBusy(source, env)) refuseRunning(source, point)
  const { branch } = point
  const at = target.forkedAt
  const threadId = chooseThreadId(target, env)
  const path = childPath(env, threadId, at)
  const folders = missingFolders(path)
  for (const each of [...folders, partPathOf(path), path]) target.onCreate?.(each)
  const git = await gitOf(target.cwd, env)
  const meta = childMeta(branch.history.meta, { threadId, parentId: source.id, cwd: target.cwd, at, git })
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    await createExclusive(path, (writer) => copyBranch(branch, cut, new ChildLines(writer, branch.history, at), meta))
    nameThread(env, threadId, target.title, at)
  } catch (error) {
    if (!(error instanceof Error) || error instanceof AppError || fileErrorCode(error) === undefined) throw error
    throw new AppError('failed', `The fork could not be written: ${error.message}`, { cause: error })
  }
  return { sessionId: threadId, path, created: [path, ...folders] }
}

/** The id asked for, if it is one as Codex makes them; else a new one. */
function chooseThreadId({ sessionId, forkedAt }: ForkTarget, env: AgentEnv): string {
  if (timeOfId(sessionId) === null) return makeThreadId(forkedAt)
  if (findRollout(sessionId, env) !== undefined) throw new AppError('file_exists', `The session id ${sessionId} is taken.`)
  return sessionId
}

async function copyBranch(branch: SurveyedBranch, cut: Cut, lines: ChildLines, meta: Body): Promise<void> {
  const { history, to } = branch
  lines.own('session_meta', meta)
  if (cut.kind === 'start') return
  const kept = new KeptLines(branch, isPaginated(history))
  for (const record of scanHistory(history, { to })) {
    if (record === pause) await breathe()
    else for (const each of kept.take(record)) lines.copy(each)
    if (kept.done) break
  }
  for (const each of kept.finish()) lines.copy(each)
  // Codex would take it for a turn that still runs somewhere.
  const turnId = kept.openTurnId
  if (turnId !== null) lines.own('event_msg', { type: 'turn_aborted', turn_id: turnId, reason: 'interrupted' })
}

class ChildLines {
  private readonly writer: FileWriter
  private readonly timestamp: string
  /** When the parent began: the time of copied lines that have none. */
  private readonly parentTimestamp: string
  private ordinal: number | null

  constructor(writer: FileWriter, parent: History, at: number) {
    this.writer = writer
    this.ordinal = isPaginated(parent) ? 0 : null
    this.timestamp = new Date(at).toISOString()
    this.parentTimestamp = textOrNull(parent.meta?.timestamp) ?? this.timestamp
  }

  copy(record: RolloutRecord): void {
    record.copyTo(this.writer, this.ordinal, this.parentTimestamp)
    this.count()
  }

  own(type: string, payload: Body): void {
    const head = this.ordinal === null ? {} : { ordinal: this.ordinal }
    this.writer.write(Buffer.from(`${JSON.stringify({ timestamp: this.timestamp, ...head, type, payload })}\n`))
    this.count()
  }

  private count(): void {
    if (this.ordinal !== null) this.ordinal += 1
  }
}
