// What follows a capture, in a process of its own: the notes into the table, the transcript into the archive, our loose
// objects into a pack, many refs into one, the branch to its remote. One such process at a time; one that finds another at work leaves.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { errorMessage } from '../lib/error-message.ts'
import type { ExecGroup } from '../lib/exec-group.ts'
import { foldSnapshots } from '../snapshots/fold.ts'
import { joinPacks } from '../snapshots/join-packs.ts'
import { packSnapshots } from '../snapshots/pack.ts'
import { takeLock } from '../store/lock.ts'
import type { CaptureContext } from './context.ts'
import { ingest } from './ingest.ts'
import { countPending } from './pending.ts'
import { isDue, pushDue } from './push.ts'
import { capturesFolder } from './session-state.ts'

/** How long it stays for the sake of a push that failed; later ones are tried with the next turn, or by who else looks. */
const lingerMs = 180_000
const lookAgainMs = 2000

export interface AfterReport {
  readonly taken: number
  readonly problems: readonly string[]
}

export interface AfterOptions {
  readonly stayMs?: number
  /** Push at once what is waiting to be tried again. */
  readonly pushNow?: boolean
  /** Snapshots with refs of their own from which on these are folded. */
  readonly foldFrom?: number
}

export async function afterCapture(context: CaptureContext, options: AfterOptions = {}): Promise<AfterReport> {
  const { stayMs = lingerMs, pushNow = false, foldFrom = 200 } = options
  const problems: string[] = []
  let taken = 0
  const startedAt = context.now()
  // Once more after letting go: a note may have come while the lock was still held, and its process have left.
  do {
    const round = await withTurn(context, () => doOnce(context, problems, foldFrom))
    if (round === null) break
    taken += round
  } while (countPending(context.folder) > 0)
  const push = () => attempt(problems, () => pushForAWhile(context, startedAt + stayMs, pushNow))
  if ((await withPushTurn(context, push)) === null && pushNow) await haveItPushed(context)
  return { taken, problems }
}

async function doOnce(context: CaptureContext, problems: string[], foldFrom: number): Promise<number> {
  await context.catalog.refresh()
  const { taken, commonDirs } = await ingest(context)
  // All that were ever captured: an agent writes on after its last event. What has not changed since is not copied again.
  const sessions = context.store().captures.sessions()
  if (sessions.length > 0) {
    const { problems: faults } = await context.catalog.archive({ sessions })
    problems.push(...faults.map(({ path, problem }) => `${path}: ${problem}`))
  }
  for (const commonDir of commonDirs) {
    await attempt(problems, () => packSnapshots(context.git, commonDir))
    await attempt(problems, () => joinPacks(context.git, commonDir))
    await attempt(problems, () => foldSnapshots(context.git, commonDir, { now: context.now(), fromSnapshots: foldFrom }))
  }
  return taken
}

/** Another process is at it, or rests until the next try: what waits becomes due, which it sees within moments. */
async function haveItPushed(context: CaptureContext): Promise<void> {
  const { pushes } = context.store()
  const now = context.now()
  for (const push of pushes.all()) if (push.nextAt !== null) pushes.put({ ...push, nextAt: now, updatedAt: now })
  for (let tries = 0; tries < 50 && pushes.all().some((push) => isDue(push, context.now())); tries += 1) await sleep(200)
}

/** Whoever comes meanwhile finds the lock taken and leaves: what it wants pushed is seen here within moments. */
async function pushForAWhile(context: CaptureContext, until: number, pushNow: boolean): Promise<void> {
  if (context.store().pushes.all().length === 0) return
  for (
    let nextAt = await pushDue(context, { now: pushNow });
    nextAt !== null && nextAt <= until;
    nextAt = await pushDue(context)
  ) {
    await sleep(Math.min(lookAgainMs, Math.max(0, nextAt - context.now())))
  }
}

/** For who stays (the server, the terminal UI): what nobody got to push, or could not. */
export async function pushWaiting(context: CaptureContext, group: ExecGroup): Promise<void> {
  const waiting = context.store().pushes.all()
  if (waiting.some((push) => isDue(push, context.now()))) await withPushTurn(context, () => pushDue(context, { group }))
}

function withPushTurn(context: CaptureContext, work: () => Promise<unknown>): Promise<unknown> {
  return withTurn(context, work, 'push.lock')
}

async function withTurn<T>(context: CaptureContext, work: () => Promise<T>, name = 'after.lock'): Promise<T | null> {
  const folder = capturesFolder(context.folder)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const lock = takeLock(join(folder, name), 0)
  if (lock === null) return null
  try {
    return await work()
  } finally {
    lock.release()
  }
}

/** One part that fails keeps no other from being done. */
async function attempt(problems: string[], work: () => Promise<unknown>): Promise<void> {
  try {
    await work()
  } catch (error) {
    problems.push(errorMessage(error))
  }
}
