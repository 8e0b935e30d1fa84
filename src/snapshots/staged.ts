// What the person has staged, kept with a snapshot: the index in a canonical form and the blobs only it names. Most of the
// time the index is plainly that of HEAD, and there is nothing to keep.
import type { Git } from './git.ts'
import { buildIndex } from './index-build.ts'
import { type IndexEntry, isSubmodule } from './index-file.ts'
import type { Seed } from './private-index.ts'
import type { WorkTree } from './repository.ts'
import { makeTree, writeBlob } from './write-objects.ts'

export interface Staged {
  /** Blob of the canonical index; `null` when it is plainly that of HEAD. */
  readonly index: string | null
  /** Tree of the blobs that neither HEAD nor the files need have: what is staged, and the sides of conflicts. */
  readonly blobs: string | null
}

export const nothingStaged: Staged = { index: null, blobs: null }

export async function keepStaged(git: Git, workTree: WorkTree, seed: Seed, headTree: string | null): Promise<Staged> {
  const staged = headTree === null ? everything(seed.entries()) : await listStaged(git, workTree.root, seed.path, headTree)
  if (!staged.any && (seed.plain || !seed.entries().some(isMarked))) return nothingStaged
  const entries = seed.entries()
  const blobs = new Set([...staged.blobs, ...namedBy(entries.filter((entry) => entry.stage > 0))])
  const canonical = canonicalIndex(entries, seed.bytes, workTree.hashBytes)
  const [index, tree] = await Promise.all([
    writeBlob(git, workTree.commonDir, canonical.toString('latin1')),
    blobs.size === 0
      ? null
      : makeTree(
          git,
          workTree.commonDir,
          [...blobs].map((id) => ({ mode: '100644', id, name: id })),
        ),
  ])
  return { index, blobs: tree }
}

/** The same state gives the same bytes: no times, no sizes, no extensions. */
export function canonicalIndex(entries: readonly IndexEntry[], source: Buffer, hashBytes: number): Buffer {
  const records = entries.map((entry) => {
    const assumeUnchanged = (source.readUInt16BE(entry.at + 40 + hashBytes) & 0x8000) !== 0
    return { entry, source, keepStat: false, assumeUnchanged, skipWorktree: entry.skipWorktree }
  })
  return buildIndex(records, hashBytes)
}

function isMarked({ hidden, intentToAdd, stage }: IndexEntry): boolean {
  return hidden || intentToAdd || stage > 0
}

interface StagedBlobs {
  readonly any: boolean
  readonly blobs: ReadonlySet<string>
}

/** Before the first commit. */
function everything(entries: readonly IndexEntry[]): StagedBlobs {
  return { any: entries.length > 0, blobs: namedBy(entries) }
}

function namedBy(entries: readonly IndexEntry[]): Set<string> {
  return new Set(entries.filter((entry) => !isSubmodule(entry) && !entry.intentToAdd).map((entry) => entry.blob))
}

/** What the index has otherwise than HEAD; `blobs` are those it has instead. */
async function listStaged(git: Git, cwd: string, index: string, headTree: string): Promise<StagedBlobs> {
  const args = ['diff-index', '--cached', '--raw', '-z', '--no-renames', '--no-abbrev', '--ignore-submodules=none', headTree]
  const { stdout } = await git(args, { cwd, index })
  const blobs = new Set<string>()
  // `:<mode> <mode> <id> <id> <letter>`, then the path.
  for (const [, mode = '', id = ''] of stdout.matchAll(/(?:^|\0):\d+ (\d+) \w+ (\w+) \w(?=\0)/g)) {
    if (/^1[02]0/.test(mode) && !/^0+$/.test(id)) blobs.add(id)
  }
  return { any: stdout !== '', blobs }
}
