// Why a file may not be brought back: whatever would be lost by it has to be in the snapshot of the present state. Ignored
// files, folders that hold them and files too large for a snapshot are not.
import { readdir } from 'node:fs/promises'
import { eachAtOnce } from '../lib/at-once.ts'
import type { NotCovered } from '../model/capture.ts'
import { asBytePath, type BytePath, folderOf, placeOf, showPath } from './byte-path.ts'
import type { TreeChange } from './diff-trees.ts'
import { look } from './look.ts'
import { findGap, type Gap, type NotRemoved, stepGap } from './remove-files.ts'

const submoduleMode = 0o160000

export async function refuseUnsafe<Change extends TreeChange>(
  root: string,
  all: readonly Change[],
  notCovered: readonly NotCovered[],
  notCoveredThen: readonly NotCovered[],
): Promise<{ changes: Change[]; refused: NotRemoved[] }> {
  const refused: NotRemoved[] = []
  const changes: Change[] = []
  const going = new Set<BytePath>()
  // Only a look, for which a folder is looked at once; right before a file is written or removed the way to it is looked at again.
  const gapAt = createGapFinder(root)
  const check = async (change: Change) => {
    const { path, before, after } = change
    const reason =
      whyNever(change, notCovered, notCoveredThen) ??
      (after.mode === 0
        ? await whyNotRemoved(root, path, gapAt)
        : await whyNotWritten(root, path, before.mode !== 0, going, gapAt))
    if (reason !== null) refused.push({ path, reason })
    else {
      changes.push(change)
      if (after.mode === 0) going.add(path)
    }
  }
  // Deletions first: a file may only be written over a folder or beyond a file that is itself going.
  await eachAtOnce(
    all.filter(({ after }) => after.mode === 0),
    check,
  )
  await eachAtOnce(
    all.filter(({ after }) => after.mode !== 0),
    check,
  )
  return { changes: changes.sort(byPath), refused: refused.sort(byPath) }
}

function byPath(one: { readonly path: BytePath }, other: { readonly path: BytePath }): number {
  return one.path < other.path ? -1 : 1
}

type GapFinder = (folder: BytePath | null) => Promise<Gap | null>

/** Remembers what it found. */
function createGapFinder(root: string): GapFinder {
  const known = new Map<BytePath, Promise<Gap | null>>()
  const find: GapFinder = (folder) => {
    if (folder === null) return Promise.resolve(null)
    const found = known.get(folder) ?? findOne(folder)
    known.set(folder, found)
    return found
  }
  const findOne = async (folder: BytePath) => (await find(folderOf(folder))) ?? stepGap(root, folder)
  return find
}

function whyNever(
  { path, before, after }: TreeChange,
  notCovered: readonly NotCovered[],
  notCoveredThen: readonly NotCovered[],
): string | null {
  if (before.mode === submoduleMode || after.mode === submoduleMode) return 'it is a repository of its own (a submodule)'
  const name = showPath(path)
  const among = (list: readonly NotCovered[]) => list.find((each) => `${name}/`.startsWith(each.path.replace(/\/?$/, '/')))
  const uncovered = among(notCovered)
  if (uncovered !== undefined) return `what is there now could not be saved first (${uncovered.reason})`
  // It was there then, in a state nobody knows: removing it would not be going back.
  const unknown = after.mode === 0 ? among(notCoveredThen) : undefined
  return unknown === undefined ? null : `it was there then too, but could not be captured (${unknown.reason})`
}

async function whyNotRemoved(root: string, path: BytePath, gapAt: GapFinder): Promise<string | null> {
  const gap = await gapAt(folderOf(path))
  if (gap !== null) return gap.absent ? null : `it is reached through ${showPath(gap.at)}, which is no folder`
  return (await look(placeOf(root, path)))?.isDirectory() ? 'there is a folder in its place' : null
}

/** Only looks; `known`: the present state holds this path. */
export async function whyNotWritten(
  root: string,
  path: BytePath,
  known: boolean,
  going: ReadonlySet<BytePath>,
  gapAt: GapFinder = (folder) => findGap(root, folder),
): Promise<string | null> {
  const gap = await gapAt(folderOf(path))
  if (gap !== null) {
    if (gap.absent || going.has(gap.at)) return null
    return `${showPath(gap.at)} lies where its folder would be`
  }
  const stats = await look(placeOf(root, path))
  if (stats === null) return null
  if (stats.isDirectory()) {
    const kept = await findKept(root, path, going)
    return kept === null ? null : `the folder in its place holds ${showPath(kept)}, which is in no snapshot or not to be removed`
  }
  if (!stats.isFile() && !stats.isSymbolicLink()) return 'there is a pipe, a socket or a device in its place'
  return known ? null : 'the file in its place is in no snapshot (ignored, perhaps)'
}

/** The first file below a folder that is not going; git's own checkout would delete it with the folder. */
async function findKept(root: string, folder: BytePath, going: ReadonlySet<BytePath>): Promise<BytePath | null> {
  for (const entry of await readdir(placeOf(root, folder), { encoding: 'latin1', withFileTypes: true })) {
    const path = asBytePath(`${folder}/${entry.name}`)
    if (entry.isDirectory()) {
      const kept = await findKept(root, path, going)
      if (kept !== null) return kept
    } else if (!going.has(path)) return path
  }
  return null
}
