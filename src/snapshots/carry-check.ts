// Proves that a carried work tree is in the state of its source: by what git itself says of both.
import { copyFile, rm, stat, utimes } from 'node:fs/promises'
import type { BytePath } from './byte-path.ts'
import { copyFiles } from './copy-files.ts'
import type { Git } from './git.ts'
import { writeBeliefs } from './index-stat.ts'
import type { WorkTree } from './repository.ts'
import { isEmbeddedRepository, readStatus, type Status } from './status.ts'

export interface CarryCheck {
  readonly git: Git
  readonly source: WorkTree
  readonly child: WorkTree
  /** Of the source. */
  readonly wanted: Status
  readonly config: Readonly<Record<string, string>>
}

/**
 * Reads the child's status as if its index were newer than its files. They were written in the same second, which makes git
 * read every one of them again (140 ms at 20,000 files): we know that they are what git or we wrote.
 */
export async function readFreshStatus({ git, child, config }: CarryCheck): Promise<Status> {
  const index = `${child.indexPath}.fresh`
  await copyFile(child.indexPath, index)
  try {
    const later = (await stat(index)).mtimeMs / 1000 + 60
    await utimes(index, later, later)
    return await readStatus(git, child.root, { index, config })
  } finally {
    await rm(index, { force: true })
  }
}

/**
 * A file may be changed in the child and not in the source though it has the same bytes: git judges what it compares by today's
 * attributes, and in the source it has not looked since they changed. Such a file gets the source's time too.
 */
export async function settleStatus({ git, source, child, wanted, config }: CarryCheck): Promise<Status> {
  const first = await readStatus(git, child.root, { config, refresh: true })
  const open = new Set(wanted.entries.filter((entry) => entry.unstaged !== '.').map((entry) => entry.path))
  const overcritical = compareStatus(wanted, first).filter((path) => !open.has(path))
  if (overcritical.length === 0) return first
  const { stats } = await copyFiles(source.root, child.root, overcritical, { keepTimes: true, replace: true })
  await writeBeliefs(child.indexPath, source.hashBytes, stats)
  return readStatus(git, child.root, { config })
}

/** Paths in another state. Submodules and embedded repositories are left out: they are reported as left behind. */
export function compareStatus(parent: Status, child: Status): BytePath[] {
  const recordsOf = ({ entries }: Status) => {
    const files = entries.filter((entry) => entry.submodule === null && !isEmbeddedRepository(entry))
    return new Map(files.map((entry) => [entry.path, entry.record]))
  }
  const [wanted, found] = [recordsOf(parent), recordsOf(child)]
  const paths = new Set([...wanted.keys(), ...found.keys()])
  return [...paths].filter((path) => wanted.get(path) !== found.get(path))
}
