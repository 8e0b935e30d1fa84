// Fills a fresh worktree with the present state of another one, exactly: staged, unstaged, untracked and conflicts apart.
// Files git would write alike are checked out through a copy of the source's index; everything else is copied as it lies
// there. Nothing is written in the source: no object, no ref, no index.
import { AppError } from '../model/error.ts'
import { type BytePath, folderOf, joinRecords, showPath } from './byte-path.ts'
import { findConverted } from './converted.ts'
import { copyFiles } from './copy-files.ts'
import { type Fingerprint, takeFingerprint } from './fingerprint.ts'
import type { Git } from './git.ts'
import { readSettings } from './git-settings.ts'
import { copyIndex } from './index-copy.ts'
import { type IndexEntry, isSubmodule, readIndexEntries } from './index-entries.ts'
import { type Belief, writeBeliefs } from './index-stat.ts'
import { type LeftBehind, listProblems } from './left-behind.ts'
import { carryOperation, findOperation, type Operation } from './operation.ts'
import type { Repository } from './repository.ts'
import { isEmbeddedRepository, readStatus, type Status } from './status.ts'
import { findIncluded } from './worktree-include.ts'

export interface WorkTree extends Repository {
  readonly root: string
}

export interface CarryReport {
  /** Paths whose status in the child is not the parent's; empty when the copy is proven. */
  readonly differences: readonly string[]
  readonly leftBehind: readonly LeftBehind[]
  readonly copiedFiles: number
  readonly operation: Operation | null
  /** The child as it was made: work done in it later shows against this. */
  readonly made: Fingerprint
}

const checkoutTimeoutMs = 30 * 60_000

/** `base` is the commit the child was made from: it must still be the source's. */
export async function carryNow(git: Git, source: WorkTree, child: WorkTree, base: string | null): Promise<CarryReport> {
  const index = child.indexPath
  await copyIndex(git, source, index)
  const settings = await readSettings(git, source)
  const config = settings.overrides
  const [status, entries] = await Promise.all([
    readStatus(git, source.root, { index, config }),
    readIndexEntries(git, source.root, index),
  ])
  if (status.commit !== base) {
    throw new AppError('busy', `HEAD of ${source.root} moved while it was being forked.`, { hint: 'Try again.' })
  }
  const [included, { toCheckOut, converted, open }] = await Promise.all([
    findIncluded(git, source.root, index, status),
    divide(status, entries, (quiet) => findConverted({ git, root: source.root, index, settings }, quiet)),
  ])
  await git(['checkout-index', '--index', '--force', '--quiet', '--ignore-skip-worktree-bits', '-z', '--stdin'], {
    cwd: child.root,
    input: joinRecords(toCheckOut),
    timeoutMs: checkoutTimeoutMs,
  })
  const differing = await copyFiles(source.root, child.root, new Set([...open, ...included]))
  const alike = await copyFiles(source.root, child.root, converted, { keepTimes: true })
  const operation = await findOperation(source.gitDir)
  if (operation !== null) await carryOperation(operation, source.gitDir, child.gitDir)
  // Of the open files the index still holds the times of the source's: by chance they could look unchanged.
  const unknown = [...open].map((path): [BytePath, Belief] => [path, 'unknown'])
  const hashBytes = (entries[0]?.blob.length ?? 40) / 2
  await writeBeliefs(index, hashBytes, new Map([...unknown, ...alike.stats]))
  const childStatus = await settle(git, source, child, { status, config, hashBytes })
  return {
    differences: compareStatus(status, childStatus).map(showPath),
    leftBehind: listProblems([...differing.problems, ...alike.problems]),
    copiedFiles: differing.copied + alike.copied,
    operation,
    made: await takeFingerprint(child.root, childStatus, operation?.carried ? operation.kind : null),
  }
}

interface Division {
  /** Unchanged, and what git would write is what lies there. */
  readonly toCheckOut: BytePath[]
  /** Unchanged, but other bytes than their blobs'. */
  readonly converted: Set<BytePath>
  /** Changed, conflicted, untracked, or hidden from git's eyes. */
  readonly open: Set<BytePath>
}

async function divide(
  status: Status,
  entries: readonly IndexEntry[],
  findConverted: (quiet: readonly IndexEntry[]) => Promise<Set<BytePath>>,
): Promise<Division> {
  // What is staged and not changed since is as quiet as what is not staged: the file is as the index has it.
  const open = status.entries.filter((entry) => entry.unstaged !== '.' && !isEmbeddedRepository(entry))
  const shown = new Map(open.map((entry) => [entry.path, entry]))
  const isQuiet = (entry: IndexEntry) =>
    !shown.has(entry.path) && !entry.hidden && !entry.intentToAdd && entry.stage === 0 && !isSubmodule(entry)
  const quiet = entries.filter(isQuiet)
  const rest = entries.filter((entry) => !isQuiet(entry) && !isSubmodule(entry))
  // Of a submodule the empty folder: without it the child would call it deleted.
  const submodules = entries.filter((entry) => isSubmodule(entry) && !'DT'.includes(shown.get(entry.path)?.unstaged || '.'))
  const converted = await findConverted(quiet)
  const isCovered = createCoverCheck(shown)
  const plain = quiet.filter((entry) => !converted.has(entry.path) && !isCovered(folderOf(entry.path)))
  return {
    toCheckOut: [...plain, ...submodules].map((entry) => entry.path),
    converted,
    open: new Set([...shown.keys(), ...rest.map((entry) => entry.path)]),
  }
}

/** Below a link that leads to itself git calls files unchanged (it only prints an error): they are not there all the same. */
function createCoverCheck(shown: ReadonlyMap<BytePath, unknown>): (folder: BytePath | null) => boolean {
  const known = new Map<BytePath, boolean>()
  const check = (folder: BytePath | null): boolean => {
    if (folder === null) return false
    const covered = known.get(folder) ?? (shown.has(folder) || check(folderOf(folder)))
    known.set(folder, covered)
    return covered
  }
  return check
}

/**
 * Reads the child's status. A file may be changed there and not in the source though it has the same bytes: git judges what it
 * compares by today's attributes, and in the source it has not looked since they changed. Such a file gets the source's time too.
 */
async function settle(
  git: Git,
  source: WorkTree,
  child: WorkTree,
  { status, config, hashBytes }: { status: Status; config: Readonly<Record<string, string>>; hashBytes: number },
): Promise<Status> {
  // Refreshing here spares the first `git status` in the child a look into every file that was copied.
  const first = await readStatus(git, child.root, { config, refresh: true })
  const open = new Set(status.entries.filter((entry) => entry.unstaged !== '.').map((entry) => entry.path))
  const overcritical = compareStatus(status, first).filter((path) => !open.has(path))
  if (overcritical.length === 0) return first
  const { stats } = await copyFiles(source.root, child.root, overcritical, { keepTimes: true, replace: true })
  await writeBeliefs(child.indexPath, hashBytes, stats)
  return readStatus(git, child.root, { config })
}

/** Paths in another state. Submodules and embedded repositories are left out: they are reported as left behind. */
function compareStatus(parent: Status, child: Status): BytePath[] {
  const recordsOf = ({ entries }: Status) => {
    const files = entries.filter((entry) => entry.submodule === null && !isEmbeddedRepository(entry))
    return new Map(files.map((entry) => [entry.path, entry.record]))
  }
  const [wanted, found] = [recordsOf(parent), recordsOf(child)]
  const paths = new Set([...wanted.keys(), ...found.keys()])
  return [...paths].filter((path) => wanted.get(path) !== found.get(path))
}
