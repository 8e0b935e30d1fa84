// Takes the notes the hook left into the captures table. Any number of processes may try at once and be killed anywhere: a
// note is removed only when its row is stored, and storing it twice changes nothing.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { withLockFile } from '../lib/lock-file.ts'
import { AppError } from '../model/error.ts'
import { completeSession } from './complete.ts'
import type { CaptureContext } from './context.ts'
import { judgeCaptures } from './judge-captures.ts'
import { countPending, type Pending, readPending, removePending } from './pending.ts'
import { capturesFolder } from './session-state.ts'
import { keepFound, toCapture, withChanges } from './to-capture.ts'

export interface IngestReport {
  readonly taken: number
  /** Repositories that got new snapshots. */
  readonly commonDirs: readonly string[]
}

const nothing: IngestReport = { taken: 0, commonDirs: [] }
/** Two seconds: whoever holds it is doing this very work. */
const patience = 80

const running = new WeakMap<CaptureContext, Promise<IngestReport>>()

/** The catalogue should be fresh: turns are found in it. */
export async function ingest(context: CaptureContext): Promise<IngestReport> {
  const before = running.get(context)
  if (before !== undefined) await before.catch(() => undefined)
  const work = ingestAlone(context)
  running.set(context, work)
  return work
}

async function ingestAlone(context: CaptureContext): Promise<IngestReport> {
  const { captures } = context.store()
  const isIdle = () => countPending(context.folder) === 0 && captures.incompleteSessions().length === 0 && !captures.hasUnjudged()
  if (isIdle()) return nothing
  const onBusy = (pid: string) => new AppError('busy', `Another offshoot (process ${pid}) is taking in captures.`)
  try {
    const folder = capturesFolder(context.folder)
    // A database that was brought back has captures, and no folder of captures to come.
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    return await withLockFile(join(folder, 'ingest.lock'), () => takeIn(context), { maxTries: patience, onBusy })
  } catch (error) {
    if (error instanceof AppError && error.code === 'busy') return nothing
    throw error
  }
}

async function takeIn(context: CaptureContext): Promise<IngestReport> {
  const store = context.store()
  const files = readPending(context.folder)
  for (const file of files) {
    await takeInOne(context, file.pending)
    removePending(file)
  }
  const open = [...files.map(({ pending }) => pending.meta), ...store.captures.incompleteSessions()]
  const sessions = new Map(open.map((each) => [`${each.agent}:${each.sessionId}`, each]))
  for (const { agent, sessionId } of sessions.values()) await completeSession(context, agent, sessionId)
  await judgeCaptures(context)
  return {
    taken: files.length,
    commonDirs: [...new Set(files.flatMap(({ pending }) => pending.kept?.commonDir ?? []))],
  }
}

async function takeInOne(context: CaptureContext, { meta, kept, workspace }: Pending): Promise<void> {
  const store = context.store()
  const capture = await withChanges(context.git, toCapture(meta, kept))
  store.write(() => {
    store.captures.put(keepFound(capture, store.captures.get(capture)))
    if (workspace === null || workspace.push === null) return
    const { id: workspaceId, push: remote } = workspace
    const known = store.pushes.get(workspaceId)
    const pushed = known?.remote === remote ? known : { pushedCommit: null, attempts: 0, problem: null, nextAt: null }
    if (meta.commit === null && pushed === known) return
    // Due from now on: should whoever pushes be cut off, that is seen. What failed before is tried with each turn all the same.
    const now = context.now()
    store.pushes.put({ ...pushed, workspaceId, remote, nextAt: meta.commit === null ? null : now, updatedAt: now })
  })
}
