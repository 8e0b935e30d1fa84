// Fills a fresh worktree with the present state of another one, exactly: staged, unstaged, untracked and conflicts apart.
// Files git would write alike are checked out through a copy of the source's index; everything else is copied as it lies
// there. Nothing is written in the source: no object, no ref, no index.
import type { BytePath } from './byte-path.ts'
import { joinRecords, showPath } from './byte-path.ts'
import { findConverted } from './converted.ts'
import { copyFiles } from './copy-files.ts'
import { type Fingerprint, takeFingerprint } from './fingerprint.ts'
import type { Git } from './git.ts'
import { readSettings } from './git-settings.ts'
import { copyIndex } from './index-copy.ts'
import { type IndexEntry, isSubmodule, readIndexEntries } from './index-entries.ts'
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

export async function carryNow(git: Git, source: WorkTree, child: WorkTree): Promise<CarryReport> {
  const index = child.indexPath
  await copyIndex(git, source, index)
  const settings = await readSettings(git, source)
  const { overrides } = settings
  const [status, entries] = await Promise.all([
    readStatus(git, source.root, { index, config: overrides }),
    readIndexEntries(git, source.root, index),
  ])
  const [included, { toCheckOut, toCopy }] = await Promise.all([
    findIncluded(git, source.root, index, status),
    divide(status, entries, (quiet) => findConverted({ git, root: source.root, index, settings }, quiet)),
  ])
  // The index is written before any file is copied: a copy made in the same second is then compared, not believed.
  await git(['checkout-index', '--index', '--force', '--quiet', '-z', '--stdin'], {
    cwd: child.root,
    input: joinRecords(toCheckOut),
    timeoutMs: checkoutTimeoutMs,
  })
  const { copied, problems } = await copyFiles(source.root, child.root, new Set([...toCopy, ...included]))
  const operation = await findOperation(source.gitDir)
  if (operation !== null) await carryOperation(operation, source.gitDir, child.gitDir)
  // Refreshing here spares the first `git status` in the child a look into every file that was copied.
  const childStatus = await readStatus(git, child.root, { config: overrides, refresh: true })
  return {
    differences: compareStatus(status, childStatus),
    leftBehind: listProblems(problems),
    copiedFiles: copied,
    operation,
    made: await takeFingerprint(child.root, childStatus, operation?.carried ? operation.kind : null),
  }
}

interface Division {
  readonly toCheckOut: BytePath[]
  readonly toCopy: BytePath[]
}

async function divide(
  status: Status,
  entries: readonly IndexEntry[],
  findConverted: (quiet: readonly IndexEntry[]) => Promise<Set<BytePath>>,
): Promise<Division> {
  const open = new Map(status.entries.filter((entry) => !isEmbeddedRepository(entry)).map((entry) => [entry.path, entry]))
  const files = entries.filter((entry) => !isSubmodule(entry))
  const apart = files.filter((entry) => !open.has(entry.path) && (entry.hidden || entry.intentToAdd || entry.stage > 0))
  const quiet = files.filter((entry) => !open.has(entry.path) && !entry.hidden && !entry.intentToAdd && entry.stage === 0)
  const converted = await findConverted(quiet)
  // Of a submodule the empty folder: without it the child would call it deleted.
  const submodules = entries.filter((entry) => isSubmodule(entry) && !'DT'.includes(open.get(entry.path)?.unstaged || '.'))
  const toCheckOut = [...quiet.filter((entry) => !converted.has(entry.path)), ...submodules].map((entry) => entry.path)
  return { toCheckOut, toCopy: [...open.keys(), ...apart.map((entry) => entry.path), ...converted] }
}

/** Submodules and embedded repositories are left out of both: they are reported as left behind. */
function compareStatus(parent: Status, child: Status): string[] {
  const recordsOf = (status: Status) =>
    new Map(
      status.entries
        .filter((entry) => entry.submodule === null && !isEmbeddedRepository(entry))
        .map((entry) => [entry.path, entry.record]),
    )
  const [wanted, found] = [recordsOf(parent), recordsOf(child)]
  const paths = new Set([...wanted.keys(), ...found.keys()])
  return [...paths].filter((path) => wanted.get(path) !== found.get(path)).map(showPath)
}
