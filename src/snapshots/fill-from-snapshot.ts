// Fills a fresh worktree with a state of the past, exactly: the index as it was, the files as they lay, conflicts and flags.
// All of it comes from git objects: the work tree it was taken of may have changed since, or be gone.
import { lutimes, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { NotCovered } from '../model/capture.ts'
import { type BytePath, joinRecords, placeOf, showPath } from './byte-path.ts'
import type { CarryReport } from './carry.ts'
import { listTreeChanges } from './diff-trees.ts'
import { takeFingerprint } from './fingerprint.ts'
import type { Git } from './git.ts'
import { type GitSettings, readSettings } from './git-settings.ts'
import { type IndexEntry, isSubmodule, parseIndex } from './index-file.ts'
import { type Belief, writeBeliefs } from './index-stat.ts'
import type { LeftBehind } from './left-behind.ts'
import { look } from './look.ts'
import type { OpenSnapshot, SnapshotBase } from './open-snapshot.ts'
import { listTree, type TreeEntry } from './read-objects.ts'
import { removeFiles } from './remove-files.ts'
import type { WorkTree } from './repository.ts'
import { isEmbeddedRepository, readStatus, type Status } from './status.ts'
import { checkOutFiles, isAttributeFile, writeRawFiles } from './write-files.ts'

const checkoutTimeoutMs = 30 * 60_000

interface Filling {
  readonly git: Git
  readonly child: WorkTree
  readonly settings: GitSettings
  readonly raw: ReadonlyMap<BytePath, TreeEntry>
}

export async function fillFromSnapshot(
  git: Git,
  child: WorkTree,
  snapshot: OpenSnapshot,
  { kind, commit, note }: SnapshotBase,
): Promise<CarryReport> {
  const filling: Filling = { git, child, settings: await readSettings(git, child), raw: snapshot.raw }
  const keepsIndex = kind === 'head' || kind === 'unborn' || kind === 'lost'
  const wanted =
    commit !== null && (snapshot.index === null || !keepsIndex)
      ? await fillOverCommit(filling, commit, snapshot.tree)
      : await fillOverIndex(filling, snapshot.index, snapshot.onDisk)
  const report = await finish(filling, wanted)
  const conflicted = wanted.entries.some((entry) => entry.stage > 0)
  const notes = [
    ...(note === null ? [] : [note]),
    ...(conflicted ? ['The conflicts are there, but not the merge they came from: a commit has one parent.'] : []),
  ]
  return { ...report, leftBehind: snapshot.meta.notCovered.map(describeNotCovered), notes }
}

/** The commit checked out, then the tree's files: what differs shows as changed or untracked, nothing is staged. */
export async function fillFromTree(git: Git, child: WorkTree, commit: string | null, tree: string): Promise<CarryReport> {
  const filling: Filling = { git, child, settings: await readSettings(git, child), raw: new Map() }
  const wanted = commit === null ? await fillOverIndex(filling, null, tree) : await fillOverCommit(filling, commit, tree)
  return finish(filling, wanted)
}

/** What status must show in the end. */
interface Wanted {
  readonly entries: readonly IndexEntry[]
  /** Changed against the index, or untracked. */
  readonly open: ReadonlySet<BytePath>
  /** Of these nobody can tell without comparing. */
  readonly either: ReadonlySet<BytePath>
  readonly problems: readonly BytePath[]
}

/** One whole checkout, which also tells the index all times, then the few files that differ. */
async function fillOverCommit({ git, child, raw, settings }: Filling, commit: string, tree: string): Promise<Wanted> {
  const { root, commonDir, indexPath } = child
  await git(['read-tree', '--reset', '-u', commit], { cwd: root, timeoutMs: checkoutTimeoutMs })
  const changes = await listTreeChanges(git, commonDir, `${commit}^{tree}`, tree)
  const gone = changes.filter(({ after }) => after.mode === 0).map(({ path }) => path)
  const { failed } = await removeFiles(root, gone)
  const come = changes.filter(({ path, after }) => after.mode !== 0 && !raw.has(path))
  const entries = new Map(come.map(({ path, after }) => [path, { mode: after.mode, id: after.blob }]))
  const written = await checkOutFiles({ git, root, scratch: `${indexPath}.scratch`, entries })
  const shown = changes.filter(
    ({ before, after }) => before.blob !== after.blob || !isSameMode(settings, before.mode, after.mode),
  )
  return {
    entries: await readIndex(child),
    open: new Set(shown.map(({ path }) => path)),
    either: new Set(),
    problems: [...failed.map(({ path }) => path), ...written.failed],
  }
}

/** The index as it was; files that are as it has them are checked out through it, the others beside it. */
async function fillOverIndex(filling: Filling, index: Buffer | null, tree: string): Promise<Wanted> {
  const { git, child, raw } = filling
  const { root, indexPath: at } = child
  if (index === null) await git(['read-tree', '--empty'], { cwd: root, index: at })
  else await writeFile(at, index)
  const [entries, files] = await Promise.all([readIndex(child), listTree(git, root, tree)])
  const { quiet, ...expected } = divide(filling, entries, files)
  const others = new Map(files)
  for (const path of [...quiet, ...raw.keys()]) others.delete(path)
  // In this order: files as the index has them were written by its attributes, the others by those that lie beside them.
  await git(['checkout-index', '--index', '--force', '--quiet', '--ignore-skip-worktree-bits', '-z', '--stdin'], {
    cwd: root,
    input: joinRecords(quiet),
    timeoutMs: checkoutTimeoutMs,
  })
  const { failed } = await checkOutFiles({ git, root, scratch: `${at}.scratch`, entries: others })
  return { entries, problems: failed, ...expected }
}

interface Division extends Pick<Wanted, 'open' | 'either'> {
  /** The file is as the index has it, and written by git. */
  readonly quiet: readonly BytePath[]
}

function divide({ settings, raw }: Filling, entries: readonly IndexEntry[], files: ReadonlyMap<BytePath, TreeEntry>): Division {
  const quiet: BytePath[] = []
  const open = new Set(files.keys())
  const either = new Set<BytePath>()
  for (const entry of entries) {
    const { path, mode, blob } = entry
    const file = files.get(path)
    const same = file?.id === blob && isSameMode(settings, file.mode, mode)
    if (entry.stage > 0 || entry.intentToAdd) open.add(path)
    else if (entry.hidden) either.add(path)
    else if (isSubmodule(entry)) {
      either.add(path)
      if (file !== undefined) quiet.push(path)
    } else if (same) {
      open.delete(path)
      if (file.mode === mode && !raw.has(path)) quiet.push(path)
    } else open.add(path)
  }
  return { quiet, open, either }
}

/** As git would have it: it may be told to look away from the executable bit. */
function isSameMode({ filemode }: GitSettings, one: number, other: number): boolean {
  return one === other || (!filemode && (one ^ other) === 0o111)
}

/** Raw bytes, what the index believes of each file, and whether git now says of the child what it should. */
async function finish(filling: Filling, wanted: Wanted): Promise<CarryReport> {
  const { git, child, settings, raw } = filling
  const { root, indexPath } = child
  const failed = await writeRawFiles(git, root, raw)
  const beliefs = new Map<BytePath, Belief>()
  const doubtsAll = [...wanted.open].some(isAttributeFile)
  for (const { path } of doubtsAll ? wanted.entries : []) beliefs.set(path, 'unknown')
  for (const path of wanted.open) beliefs.set(path, 'unknown')
  for (const path of raw.keys()) if (!wanted.open.has(path)) await believe(root, path, beliefs)
  await writeBeliefs(indexPath, child.hashBytes, beliefs)
  const status = await settle(filling, wanted, await readStatus(git, root, { config: settings.overrides, refresh: true }))
  const differences = new Set([...findDifferences(status, wanted), ...wanted.problems, ...failed.map(({ path }) => path)])
  return {
    differences: [...differences].map(showPath),
    leftBehind: [],
    copiedFiles: raw.size,
    operation: null,
    notes: [],
    made: await takeFingerprint(root, status, null),
  }
}

/** Files that git calls changed, though they were not: it judges by the attributes that lie there, which may be newer than they are. */
async function settle(filling: Filling, wanted: Wanted, status: Status): Promise<Status> {
  const { git, child, settings, raw } = filling
  const { root, indexPath, hashBytes } = child
  const config = settings.overrides
  const listWrong = (found: Status) => findDifferences(found, wanted).filter((path) => !wanted.open.has(path))
  const wrong = listWrong(status)
  if (wrong.length === 0) return status
  // They may have been staged by those newer attributes (a filter just set up, not committed yet): then git writes them by these.
  const entries = new Map(wanted.entries.map((entry) => [entry.path, { mode: entry.mode, id: entry.blob }]))
  const again = new Map([...entries].filter(([path]) => wrong.includes(path) && !raw.has(path)))
  const aside = await putAside(child, again.keys())
  await checkOutFiles({ git, root, scratch: `${indexPath}.scratch`, entries: again })
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
  await mkdir(folder)
  const places = new Map([...paths].map((path, number) => [path, join(folder, String(number))]))
  for (const [path, place] of places) await rename(placeOf(root, path), place)
  return {
    async putBack(wanted: readonly BytePath[]): Promise<void> {
      for (const path of wanted) {
        const place = places.get(path)
        if (place !== undefined) await rename(place, placeOf(root, path))
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

async function readIndex({ indexPath, hashBytes }: WorkTree): Promise<readonly IndexEntry[]> {
  return parseIndex(await readFile(indexPath), hashBytes).entries
}

const reasons = {
  too_large: 'too-large',
  unreadable: 'unreadable',
  submodule_changes: 'submodule',
  embedded_repository: 'embedded-repository',
  special_file: 'special-file',
  filter_failed: 'filter-failed',
} as const satisfies Record<NotCovered['reason'], LeftBehind['reason']>

function describeNotCovered({ path, reason }: NotCovered): LeftBehind {
  return { path, reason: reasons[reason], files: null }
}
