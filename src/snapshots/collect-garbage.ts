// Which snapshots may go, how much they hold, and letting them go: refs are deleted by the value that was looked at, so that
// one written meanwhile stays. Objects are never pruned by us: among the unreachable ones may be the person's rescue.
import { setTimeout as sleep } from 'node:timers/promises'
import type { SnapshotMeta } from '../model/capture.ts'
import { AppError } from '../model/error.ts'
import { changeRefs, type RefChange } from './change-refs.ts'
import { foldedRef, readFolded, writeFolded } from './folded.ts'
import type { Git } from './git.ts'
import { findMissing } from './read-objects.ts'
import { listLiveRefs } from './read-snapshot.ts'
import type { Snapshot } from './snapshot.ts'

export interface SnapshotRule {
  /** The session can still be opened: its transcript, or the archive's copy, is there. */
  readonly isAlive: (meta: SnapshotMeta) => boolean
  /** Why a fork or a restore that can be undone still needs it; `null` when nothing does. */
  readonly neededFor: (snapshot: Snapshot) => string | null
  /** Taken after this moment they stay, whatever else holds. */
  readonly before: number
}

export interface JudgedSnapshot {
  readonly snapshot: Snapshot
  readonly goes: boolean
  readonly reason: string
}

/** One without a time stays: nobody can tell how old it is. */
export function judgeSnapshots(snapshots: readonly Snapshot[], { isAlive, neededFor, before }: SnapshotRule): JudgedSnapshot[] {
  return snapshots.map((snapshot) => {
    const { meta } = snapshot
    const takenAt = meta.endedAt ?? meta.startedAt
    const kept =
      neededFor(snapshot) ??
      (isAlive(meta) ? 'its session can still be opened' : null) ??
      (takenAt === null || takenAt >= before ? 'it is recent' : null)
    return { snapshot, goes: kept === null, reason: kept ?? `session ${meta.sessionId} is gone` }
  })
}

/** Bytes on disk of the objects that only these hold: freed at the person's next `git gc`. */
export async function measureSnapshots(
  git: Git,
  commonDir: string,
  going: readonly Snapshot[],
  staying: readonly Snapshot[],
): Promise<number> {
  if (going.length === 0) return 0
  // A commit does not limit what a tree reaches, its tree does: without these the whole base would be counted.
  const heads = new Set([...going, ...staying].flatMap(({ meta }) => [meta.head, meta.commit]).filter((each) => each !== null))
  const bases = [...heads].map((head) => `${head}^{tree}`)
  const missing = new Set(await findMissing(git, commonDir, bases))
  const negative = [...staying.map(({ id }) => id), ...bases.filter((base) => !missing.has(base))]
  const input = [...going.map(({ id }) => id), ...negative.map((name) => `^${name}`)].map((line) => `${line}\n`).join('')
  const { stdout } = await git(['rev-list', '--objects', '--disk-usage', '--stdin'], { cwd: commonDir, input })
  return Number(stdout.trim())
}

export interface DeletedRefs {
  readonly deleted: readonly string[]
  /** Those that meanwhile name something else, or are gone. */
  readonly changed: readonly string[]
}

type RefValue = Pick<Snapshot, 'ref' | 'id'>

const tries = 5
const retryMs = 50

/** All in one transaction, those that were folded too; somebody's lock on the packed refs is waited for. */
export async function deleteSnapshots(
  git: Git,
  commonDir: string,
  snapshots: readonly RefValue[],
  now: number,
): Promise<DeletedRefs> {
  const foreign = snapshots.find(({ ref }) => !ref.startsWith('refs/offshoot/'))
  if (foreign !== undefined) throw new Error(`${foreign.ref} is not a ref of ours`)
  for (let attempt = 1; ; attempt++) {
    const { same, changed, changes } = await planDeletion(git, commonDir, snapshots)
    if (same.length === 0) return { deleted: [], changed }
    const problem = await changeRefs(git, commonDir, changes, now)
    if (problem === null) return { deleted: same, changed }
    if (attempt === tries) {
      throw new AppError('busy', `Snapshots could not be removed from ${commonDir}: ${problem}`, {
        hint: 'Another git may be at work there; try again.',
      })
    }
    await sleep(retryMs)
  }
}

async function planDeletion(
  git: Git,
  cwd: string,
  snapshots: readonly RefValue[],
): Promise<{ same: string[]; changed: string[]; changes: RefChange[] }> {
  const live = new Map((await listLiveRefs(git, cwd)).map(({ ref, id }) => [ref, id]))
  const folded = await readFolded(git, cwd)
  const isSame = ({ ref, id }: RefValue) => (live.get(ref) ?? folded.snapshots.get(ref)) === id
  const same = snapshots.filter(isSame).map(({ ref }) => ref)
  const changed = snapshots.filter((each) => !isSame(each)).map(({ ref }) => ref)
  const changes: RefChange[] = same.flatMap((ref) => {
    const from = live.get(ref)
    return from === undefined ? [] : [{ ref, from, to: null }]
  })
  // An older state folded under the name goes with it, or it would come to light again.
  const left = new Map(folded.snapshots)
  for (const ref of same) left.delete(ref)
  if (left.size < folded.snapshots.size) {
    changes.push({ ref: foldedRef, from: folded.root, to: await writeFolded(git, cwd, left) })
  }
  return { same, changed, changes }
}
