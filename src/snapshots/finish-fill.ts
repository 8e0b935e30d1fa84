// The last step of filling a worktree from a snapshot: bytes git would not write, what the index believes of each file, and the
// proof that git says of the child what it said of the work tree the snapshot was taken of.
import { lutimes, mkdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type BytePath, placeOf, showPath } from './byte-path.ts'
import type { CarryReport } from './carry.ts'
import { takeFingerprint } from './fingerprint.ts'
import type { Git } from './git.ts'
import type { GitSettings } from './git-settings.ts'
import type { IndexEntry } from './index-file.ts'
import { type Belief, writeBeliefs } from './index-stat.ts'
import { look } from './look.ts'
import type { Operation } from './operation.ts'
import type { TreeEntry } from './read-objects.ts'
import type { WorkTree } from './repository.ts'
import { isEmbeddedRepository, readStatus, type Status } from './status.ts'
import { checkOutFiles, isAttributeFile, refuseUnwritten, writeRawFiles } from './write-files.ts'

export interface Filling {
  readonly git: Git
  readonly child: WorkTree
  readonly settings: GitSettings
  readonly raw: ReadonlyMap<BytePath, TreeEntry>
  /** Of a snapshot, which holds what differs; other trees are checked out as the person has it. */
  readonly ofRepository: boolean
}

/** What status must show in the end. */
export interface Wanted {
  readonly entries: readonly IndexEntry[]
  /** Changed against the index, or untracked. */
  readonly open: ReadonlySet<BytePath>
  /** Of these nobody can tell without comparing. */
  readonly either: ReadonlySet<BytePath>
}

/** Raw bytes, what the index believes of each file, and whether git now says of the child what it should. */
export async function finishFill(filling: Filling, wanted: Wanted, operation: Operation | null): Promise<CarryReport> {
  const { git, child, settings, raw } = filling
  const { root, indexPath } = child
  refuseUnwritten(root, await writeRawFiles(git, root, raw))
  const beliefs = new Map<BytePath, Belief>()
  const doubtsAll = [...wanted.open].some(isAttributeFile)
  for (const { path } of doubtsAll ? wanted.entries : []) beliefs.set(path, 'unknown')
  for (const path of wanted.open) beliefs.set(path, 'unknown')
  for (const path of raw.keys()) if (!wanted.open.has(path)) await believe(root, path, beliefs)
  await writeBeliefs(indexPath, child.hashBytes, beliefs)
  const status = await settle(filling, wanted, await readStatus(git, root, { config: settings.overrides, refresh: true }))
  return {
    differences: findDifferences(status, wanted).map(showPath),
    leftBehind: [],
    copiedFiles: raw.size,
    operation: operation === null ? null : { kind: operation.kind, carried: operation.carried },
    notes: [],
    emptySubmodules: [],
    made: await takeFingerprint(root, status, operation?.carried ? operation.kind : null),
  }
}

/** Files that git calls changed, though they were not: it judges by the attributes that lie there, which may be newer than they are. */
async function settle(filling: Filling, wanted: Wanted, status: Status): Promise<Status> {
  const { git, child, settings, raw, ofRepository } = filling
  const { root, indexPath, hashBytes } = child
  const config = settings.overrides
  const listWrong = (found: Status) => findDifferences(found, wanted).filter((path) => !wanted.open.has(path))
  const wrong = listWrong(status)
  if (wrong.length === 0) return status
  // They may have been staged by those newer attributes (a filter just set up, not committed yet): then git writes them by these.
  const isWrong = new Set(wrong)
  const retried = wanted.entries.filter(({ path }) => isWrong.has(path) && !raw.has(path))
  const again = new Map(retried.map(({ path, mode, blob }) => [path, { mode, id: blob }]))
  const aside = await putAside(child, again.keys())
  await checkOutFiles({ git, root, scratch: `${indexPath}.scratch`, entries: again, ofRepository })
  const second = await readStatus(git, root, { config, refresh: true })
  const stillWrong = listWrong(second)
  await aside.putBack(stillWrong.filter((path) => again.has(path)))
  // Else nobody looked since the attributes changed: as the person's index believed them unchanged, the child's must.
  const beliefs = new Map<BytePath, Belief>()
  for (const path of stillWrong) await believe(root, path, beliefs)
  await writeBeliefs(indexPath, hashBytes, beliefs)
  return readStatus(git, root, { config })
}

/** Beside the child's index, so on the same disk. */
async function putAside({ root, gitDir }: WorkTree, paths: Iterable<BytePath>) {
  const folder = join(gitDir, 'offshoot-aside')
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder)
  const places = new Map([...paths].map((path, number) => [path, join(folder, String(number))]))
  for (const [path, place] of places) if ((await look(placeOf(root, path))) !== null) await rename(placeOf(root, path), place)
  return {
    async putBack(wanted: readonly BytePath[]): Promise<void> {
      for (const path of wanted) {
        const place = places.get(path)
        if (place !== undefined && (await look(place)) !== null) await rename(place, placeOf(root, path))
      }
      await rm(folder, { recursive: true })
    },
  }
}

/** As old as no index is: git need not doubt it because it was written in the same second. */
async function believe(root: string, path: BytePath, beliefs: Map<BytePath, Belief>): Promise<void> {
  const place = placeOf(root, path)
  const before = await look(place)
  if (before === null || before.isDirectory()) return
  const earlier = Number(before.mtimeMs) / 1000 - 60
  await lutimes(place, earlier, earlier)
  const stats = await look(place)
  if (stats !== null) beliefs.set(path, stats)
}

function findDifferences({ entries }: Status, { open, either }: Wanted): BytePath[] {
  const shown = entries.filter((entry) => entry.unstaged !== '.' && entry.submodule === null && !isEmbeddedRepository(entry))
  const found = new Set(shown.map(({ path }) => path))
  return [...new Set([...found, ...open])].filter((path) => found.has(path) !== open.has(path) && !either.has(path))
}
