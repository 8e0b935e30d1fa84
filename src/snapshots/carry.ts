// Fills a fresh worktree with the present state of another one, exactly: staged, unstaged, untracked and conflicts apart.
// Files git would write alike are checked out through a copy of the source's index; everything else is copied as it lies
// there. Nothing is written in the source: no object, no ref, no index.
import { AppError } from '../model/error.ts'
import { type BytePath, folderOf, joinRecords, showPath } from './byte-path.ts'
import { compareStatus, readFreshStatus, settleStatus } from './carry-check.ts'
import { findConverted } from './converted.ts'
import { copyFiles } from './copy-files.ts'
import { type Fingerprint, takeFingerprint } from './fingerprint.ts'
import type { Git } from './git.ts'
import { readSettings } from './git-settings.ts'
import { copyIndex } from './index-copy.ts'
import { type IndexEntry, isSubmodule } from './index-file.ts'
import { type Belief, writeBeliefs } from './index-stat.ts'
import { type LeftBehind, listProblems } from './left-behind.ts'
import { carryOperation, findOperation, type Operation } from './operation.ts'
import type { WorkTree } from './repository.ts'
import { isEmbeddedRepository, readStatus, type Status } from './status.ts'

export interface CarryReport {
  /** Paths whose status in the child is not the parent's; empty when the copy is proven. */
  readonly differences: readonly string[]
  readonly leftBehind: readonly LeftBehind[]
  readonly copiedFiles: number
  readonly operation: Operation | null
  /** What else the user should know of how the state was made. */
  readonly notes: readonly string[]
  /** Submodules that stay empty folders, with the reason. */
  readonly emptySubmodules: readonly string[]
  /** The child as it was made: work done in it later shows against this. */
  readonly made: Fingerprint
}

const checkoutTimeoutMs = 30 * 60_000

/** `base` is the commit the child was made from: it must still be the source's. */
export async function carryNow(git: Git, source: WorkTree, child: WorkTree, base: string | null): Promise<CarryReport> {
  const index = child.indexPath
  const [entries, settings] = await Promise.all([copyIndex(git, source, index), readSettings(git, source)])
  const config = settings.overrides
  const status = await readStatus(git, source.root, { index, config })
  if (status.commit !== base) {
    throw new AppError('busy', `HEAD of ${source.root} moved while it was being forked.`, { hint: 'Try again.' })
  }
  const { quiet, open, submodules } = divide(status, entries)
  const { converted, doubtful } = await findConverted({ git, root: source.root, index, settings, status }, quiet)
  const toCheckOut = [...quiet.filter((entry) => !converted.has(entry.path)), ...submodules]
  await git(['checkout-index', '--index', '--force', '--quiet', '--ignore-skip-worktree-bits', '-z', '--stdin'], {
    cwd: child.root,
    input: joinRecords(toCheckOut.map((entry) => entry.path)),
    timeoutMs: checkoutTimeoutMs,
  })
  const differing = await copyFiles(source.root, child.root, open)
  const alike = await copyFiles(source.root, child.root, converted, { keepTimes: true })
  const operation = await findOperation(source.gitDir)
  if (operation !== null) await carryOperation(operation, source.gitDir, child.gitDir)
  // Of the open files the index still holds the times of the source's: by chance they could look unchanged.
  const unknown = [...open].map((path): [BytePath, Belief] => [path, 'unknown'])
  await writeBeliefs(index, source.hashBytes, new Map([...unknown, ...alike.stats]))
  const check = { git, source, child, wanted: status, config }
  const childStatus = doubtful ? await settleStatus(check) : await readFreshStatus(check)
  return {
    differences: compareStatus(status, childStatus).map(showPath),
    leftBehind: listProblems([...differing.problems, ...alike.problems]),
    copiedFiles: differing.copied + alike.copied,
    operation,
    notes: [],
    emptySubmodules: [],
    made: await takeFingerprint(child.root, childStatus, operation?.carried ? operation.kind : null),
  }
}

interface Division {
  /** The file is as the index has it, staged or not. */
  readonly quiet: readonly IndexEntry[]
  /** Changed, conflicted, untracked, or hidden from git's eyes. */
  readonly open: ReadonlySet<BytePath>
  /** Of these the empty folder: without it the child would call them deleted. */
  readonly submodules: readonly IndexEntry[]
}

function divide(status: Status, entries: readonly IndexEntry[]): Division {
  const changes = status.entries.filter((entry) => entry.unstaged !== '.' && !isEmbeddedRepository(entry))
  const shown = new Map(changes.map((entry) => [entry.path, entry]))
  const isCovered = createCoverCheck(shown)
  const quiet: IndexEntry[] = []
  const submodules: IndexEntry[] = []
  const open = new Set(shown.keys())
  for (const entry of entries) {
    if (isSubmodule(entry)) {
      if (entry.stage === 0 && !'DT'.includes(shown.get(entry.path)?.unstaged || '.')) submodules.push(entry)
    } else if (entry.hidden || entry.intentToAdd || entry.stage > 0) open.add(entry.path)
    else if (!shown.has(entry.path) && !isCovered(folderOf(entry.path))) quiet.push(entry)
  }
  return { quiet, open, submodules }
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
